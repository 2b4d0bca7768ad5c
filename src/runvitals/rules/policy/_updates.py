"""What several rules ask about updates: how many a batch gets, and whether anything is learned."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.model import FloatArray, Series
from runvitals.signals.robust import block_medians

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

ONE_STEP = ("A2C", "A3C", "REINFORCE", "VPG", "RLOO", "GRPO", "DAPO", "TRPO")
NEW_BATCH_EACH = ("A2C", "A3C", "REINFORCE", "VPG")
COARSE = 1e-4  # logs of some tools keep three or four decimals; then 0.000 is not zero
SERIES_LOOKED_AT, VALUES_LOOKED_AT = 40, 200  # more tell no more about rounding
MAX_ROUNDED = 1e6  # a larger value has too few decimals to tell
OFF = 1e-3  # of the last decimal that is kept: what binary numbers leave of it
COARSE_TO_FINE = 4  # series with few decimals for each with many (judgement)
MAX_SIZE = 1e150  # its square is still finite
MAX_POINTS = 400  # of a series; longer ones are thinned out, which changes no verdict


def one_update_per_batch(patient: Patient, *, if_unknown: bool | None = None) -> bool:
    """Whether the policy that is updated may be the one that sampled: then KL and clipping are 0.

    Said to be so unless the log or the config shows several updates for one batch. Several updates
    between two rows of a log are not that: A2C and its kin take a new batch for each. `if_unknown`:
    the answer where nothing tells; else it is yes except for on-policy control.
    """
    if patient.algorithm.startswith(NEW_BATCH_EACH) and patient.kind == "on-policy":
        return True
    updates = patient.find("optim/updates_per_iteration")
    if updates is not None:
        return float(np.median(updates.values)) <= 1.0
    epochs = patient.number("epochs_per_batch")
    pieces = patient.number("num_minibatches")
    if (epochs or 1.0) > 1.0 or (pieces or 1.0) > 1.0:
        return False
    batch, minibatch = patient.number("batch_size"), patient.number("minibatch_size")
    if batch and minibatch and minibatch < batch:
        return False
    if epochs is not None or patient.algorithm.startswith(ONE_STEP):
        return True
    return patient.kind != "on-policy" if if_unknown is None else if_unknown


def log_is_rounded(patient: Patient) -> bool:
    """Whether the log keeps so few decimals that a small number reads as 0."""
    coarse = fine = 0
    for name, decimals in patient.whole.once(_decimals).items():
        series = patient.raw(name)
        points = 0 if series is None else len(series)
        if decimals.fractions >= points:
            continue
        if decimals.many >= points:
            coarse += 1
        else:
            fine += 1
    return coarse > 0 and coarse >= COARSE_TO_FINE * fine


class _Decimals(NamedTuple):
    """The index of the first value that is not a whole number, and of the first with many decimals."""

    fractions: int
    many: int


def _decimals(patient: Patient) -> dict[str, _Decimals]:
    """Of the first series that were logged; no index is beyond all."""
    found = {}
    for name in patient.run.names()[:SERIES_LOOKED_AT]:
        series = patient.raw(name)
        values = np.empty(0) if series is None else series.values[:VALUES_LOOKED_AT]
        clear = np.isfinite(values) & (np.abs(values) < MAX_ROUNDED)
        values = np.where(clear, values, 0.0)
        places = values / COARSE
        many = np.abs(places - np.round(places)) > OFF
        found[name] = _Decimals(*map(_first, (values != np.round(values), many)))
    return found


def _first(true: NDArray[np.bool_]) -> int:
    return int(true.argmax()) if true.any() else sys.maxsize


def thinned(values: FloatArray) -> FloatArray:
    """The course of a long series in medians, short enough for slow questions; held below overflow."""
    values = np.clip(values, -MAX_SIZE, MAX_SIZE)
    return values if len(values) <= MAX_POINTS else block_medians(values, MAX_POINTS // 2)


def action_counts(patient: Patient) -> tuple[list[Series], np.ndarray] | None:
    """The series of all actions, and their shares at the steps they have in common; None if unclear."""
    series = [one for one in patient.all("policy/action_share") if _action(one) is not None]
    if len(series) < 2 or len({_group(one) for one in series}) > 1:
        return None
    common = series[0].steps
    for one in series[1:]:
        if not np.array_equal(common, one.steps):
            common = np.intersect1d(common, one.steps)
    if not len(common):
        return None
    rows = [one.values[np.searchsorted(one.steps, common)] for one in series]
    table = np.array(rows, np.float64).T
    total = table.sum(axis=1, keepdims=True)
    if (table < 0).any() or (total <= 0).any():
        return None
    return series, table / total


def _action(series: Series) -> str | None:
    labelled = series.labels.get("action")
    if labelled is not None:
        return labelled
    found = re.search(r"action=([^,}]+)", series.name) or re.search(r"(\d+)$", series.name)
    return found.group(1) if found else None


def _group(series: Series) -> tuple[str, ...]:
    """What tells one set of actions from another: several heads are several sets."""
    rest = {key: value for key, value in series.labels.items() if key != "action"}
    return tuple(sorted(f"{key}={value}" for key, value in rest.items()))
