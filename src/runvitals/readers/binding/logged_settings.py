"""Settings that no config tells but the log does: a learning rate that was logged is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from runvitals.model import FloatArray, Run
from runvitals.readers.raw.numbers import as_written

_FEW = 3  # equal values before a number counts as one that somebody set


class _Logged(NamedTuple):
    """A setting, the metrics it is logged as, which value counts, and the word for that."""

    key: str
    metrics: tuple[str, ...]
    value: Callable[[FloatArray], float | None]
    which: str


def _peak(values: FloatArray) -> float | None:
    """The top of a schedule. Zeros are what rounding left of a small rate."""
    highest = float(values.max())
    return highest if highest > 0 else None


def _first(values: FloatArray) -> float | None:
    """Where a schedule starts."""
    return float(values[0])


def _constant(values: FloatArray) -> float | None:
    """Only what never moves: an adaptive weight is not a setting."""
    if len(values) < _FEW or not np.all(values == values[0]):
        return None
    return float(values[0])


_LOGGED = (
    _Logged("learning_rate", ("optim/learning_rate", "policy/learning_rate"), _peak, "highest"),
    _Logged("critic_learning_rate", ("value/learning_rate",), _peak, "highest"),
    _Logged("clip_range", ("policy/clip_range",), _first, "first"),
    _Logged("clip_range_vf", ("value/clip_range",), _first, "first"),
    _Logged("kl_coef", ("policy/kl_coef",), _constant, "constant"),
    _Logged("entropy_coef", ("policy/entropy_coef",), _constant, "constant"),
    _Logged("preference_beta", ("preference/beta",), _constant, "constant"),
)


def add_logged_settings(run: Run) -> None:
    """Complete the settings of a bound run: config first, then what was logged, told in its evidence.

    Of a schedule the highest learning rate counts and the first clip range; weights of the KL and
    the entropy count only if they never move, since many tools adapt them.
    """
    known = [note for note in run.evidence.get("settings", ()) if not note.startswith("logged: ")]
    from_log = {_key(note) for note in run.evidence.get("settings", ()) if note not in known}
    settings = {key: value for key, value in run.settings.items() if key not in from_log}
    notes = []
    for logged in _LOGGED:
        if logged.key in settings:
            continue
        for metric in logged.metrics:
            series = run.get(metric)
            if series is None:
                continue
            values = series.values[np.isfinite(series.values)]
            value = logged.value(values) if len(values) else None
            if value is not None:
                settings[logged.key] = as_written(value)
                notes.append(f"logged: {logged.key} is the {logged.which} {series.name}")
                break
    run.settings = settings
    if known or notes:
        run.evidence["settings"] = [*known, *notes]
    else:
        run.evidence.pop("settings", None)


def _key(note: str) -> str:
    return note.removeprefix("logged: ").partition(" ")[0]
