"""What a comparison keeps of one run, light enough to send between processes; settings that differ."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runvitals.diagnosis.judge import Settings, judge
from runvitals.model import Diagnosis, Run, Series
from runvitals.rules.outcome.roles import CANDIDATES

TOKEN_RATES = (
    "throughput/tokens_per_s",
    "throughput/tokens_per_s_per_device",
    "throughput/generation_tokens_per_s",
)


@dataclass(frozen=True)
class RunPace:
    """How fast a run was. NaN where the log does not tell."""

    steps_per_second: float
    tokens_per_second: float
    seconds: float


@dataclass(frozen=True)
class Member:
    """One run of a side: its settings, its outcomes, its diagnosis and its pace."""

    path: str
    name: str
    config: Mapping[str, Any]
    seed: Any
    diagnosis: Diagnosis
    series: Mapping[str, Series]  # finite, by the name that was asked for
    names: frozenset[str]  # all that was logged, as logged and as the catalog calls it
    started: float | None  # when its first row was logged: imports and set-up come before
    pace: RunPace
    missing: tuple[str, ...] = ()  # what its log says of data that is not there


@dataclass(frozen=True)
class Side:
    """Runs that belong together, such as seeds of one setting. `shown` is what the user gave."""

    letter: str
    shown: str
    members: tuple[Member, ...]


def member_of(run: Run, settings: Settings, metric: str | None = None) -> Member:
    """Judge a run and keep its outcome series, or the series of the given name."""
    wanted = [metric] if metric is not None else [name for name, _ in CANDIDATES]
    return Member(
        path=str(run.path or "-"),
        name=run.name or run.id,
        config=_config(run),
        seed=run.settings.get("seed", run.config.get("seed")),
        diagnosis=judge(run, settings, since_when=False),
        series=_series(run, wanted),
        names=frozenset((*run.names(), *run.metrics())),
        started=_clock(run)[0],
        pace=_pace(run),
        missing=tuple(map(str, run.missing)),
    )


def _config(run: Run) -> dict[str, Any]:
    """The settings, and the state of the code if it was recorded."""
    code = run.provenance.get("git")
    commit = code.get("commit") if isinstance(code, Mapping) else None
    return flat(run.config) | ({"git commit": str(commit)[:10]} if commit else {})


def _series(run: Run, names: Iterable[str]) -> dict[str, Series]:
    found = {}
    for name in names:
        series = run.get(name)
        if series is not None and len(series := series.finite()):
            found[name] = series
    return found


def _logged(run: Run) -> Iterator[Series]:
    """What the training logged; the machine is sampled before it begins, too."""
    return (series for series in run if not series.name.lower().startswith("system/"))


def _clock(run: Run) -> tuple[float | None, float | None]:
    """When the first and the last row were logged: training, without imports and set-up."""
    times = [series.times[np.isfinite(series.times)] for series in _logged(run)]
    known = [one for one in times if len(one)]
    if not known:
        return None, None
    return min(float(one.min()) for one in known), max(float(one.max()) for one in known)


def _pace(run: Run) -> RunPace:
    longest = max(_logged(run), key=len, default=None)
    steps_per_second = math.nan
    if longest is not None:
        known = np.isfinite(longest.times)
        steps, times = longest.steps[known], longest.times[known]
        if len(times) > 1 and (took := float(times.max() - times.min())) > 0:
            steps_per_second = float(steps.max() - steps.min()) / took
    first, last = _clock(run)
    seconds = math.nan if first is None or last is None else last - first
    tokens = next((s for name in TOKEN_RATES if (s := run.get(name)) is not None), None)
    rates = np.empty(0) if tokens is None else tokens.finite().values
    tokens_per_second = float(np.median(rates)) if len(rates) else math.nan
    return RunPace(steps_per_second, tokens_per_second, seconds)


MISSING = "not set"


@dataclass(frozen=True)
class Setting:
    """A setting that differs: its values on each side, each value once."""

    key: str
    values: tuple[tuple[str, ...], ...]


def flat(config: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Nested settings as one level, with dots.

    >>> flat({"optim": {"lr": 0.1, "betas": [0.9, 0.99]}, "seed": 0})
    {'optim.lr': 0.1, 'optim.betas': [0.9, 0.99], 'seed': 0}
    """
    found: dict[str, Any] = {}
    for key, value in config.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{above}{key}.")
        else:
            found[f"{above}{key}"] = value
    return found


def differing(sides: Sequence[Sequence[Mapping[str, Any]]]) -> list[Setting]:
    """Settings whose values are not the same on all sides, in the order of their first mention.

    What varies alike on all sides, as seeds do, is not a difference.

    >>> differing([[{"lr": 0.1, "seed": 0}, {"lr": 0.1, "seed": 1}], [{"seed": 1}, {"seed": 0}]])
    [Setting(key='lr', values=(('0.1',), ('not set',)))]
    """
    keys = dict.fromkeys(key for side in sides for config in side for key in config)
    found = []
    for key in keys:
        values = tuple(_values(key, side) for side in sides)
        if len({frozenset(side) for side in values}) > 1:
            found.append(Setting(key, values))
    return found


def _values(key: str, side: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_text(config.get(key, MISSING)) for config in side))


def _text(value: Any) -> str:
    if isinstance(value, float) and value == int(value) and abs(value) < 1e9:
        return str(int(value))  # one tool writes 1, another 1.0
    return f"{value:g}" if isinstance(value, float) else str(value)
