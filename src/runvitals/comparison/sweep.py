"""A sweep: which settings of many runs decide how they end, and where they fail."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from runvitals import catalog
from runvitals.comparison.regions import Region, regions_of
from runvitals.comparison.resampling import Mean
from runvitals.comparison.siblings import OWN, SEED, Value
from runvitals.model import FloatArray

FAILED = frozenset({"diverged", "collapsed", "not learning"})
MIN_RUNS = 4
MAX_SETTINGS = 30  # that are looked at, those that most runs tell first
NEARLY = 0.8  # of the runs with the most frequent outcome; judgement
LOG_SPAN = 20.0  # times the smallest: from here on a positive setting is read on a log scale


@dataclass(frozen=True)
class Trial:
    """One run of a sweep. `rules` are the codes of its alarms, `outcome` where it ended."""

    id: str
    name: str
    settings: Mapping[str, Value]
    verdict: str
    rules: tuple[str, ...]
    outcome: float | None

    @property
    def failed(self) -> bool:
        """Whether its verdict is bad."""
        return self.verdict in FAILED


@dataclass(frozen=True)
class Varied:
    """A setting with several values, and the value of each run."""

    key: str
    values: tuple[Value, ...]
    numeric: bool
    log: bool
    choices: tuple[Value, ...]  # each value once, in order

    @property
    def several(self) -> bool:
        """Whether runs that tell it differ in it."""
        return len(set(self.choices) - {None}) > 1

    @property
    def places(self) -> dict[Value, float]:
        """Where each value lies: its number, its logarithm, or its place among words."""
        if not self.numeric:
            return {value: float(place) for place, value in enumerate(self.choices)}
        numbers = {v: float(v) for v in self.choices if isinstance(v, int | float)}
        return {v: math.log(one) if self.log else one for v, one in numbers.items()}

    @property
    def column(self) -> FloatArray:
        """The place of each run's value; NaN where it is not set."""
        places = self.places
        return np.array([places.get(value, math.nan) for value in self.values])


@dataclass(frozen=True)
class Sweep:
    """Runs that differ in some settings, and where among them they fail."""

    trials: tuple[Trial, ...]
    metric: str
    sign: int  # 1 if more of the outcome is better, -1 if less is, else 0
    settings: tuple[Varied, ...]
    regions: tuple[Region, ...]
    best: int | None  # the region that is clearly best

    @property
    def verdicts(self) -> dict[str, int]:
        """How many runs have each verdict, the most frequent first."""
        return dict(Counter(trial.verdict for trial in self.trials).most_common())

    @property
    def sentence(self) -> str:
        """What the regions come to."""
        return _sentence(self)


def sweep_of(trials: Sequence[Trial], metric: str, sign: int) -> Sweep:
    """Look through the settings of runs that are compared by one outcome."""
    settings = varied(trials)
    regions = regions_of(trials, settings, sign) if len(trials) >= MIN_RUNS else []
    return Sweep(
        trials=tuple(trials),
        metric=metric,
        sign=sign,
        settings=tuple(settings),
        regions=tuple(regions),
        best=clearly_best([region.mean for region in regions], sign),
    )


def shared_outcome(outcomes: Sequence[Sequence[str]]) -> str:
    """Of what nearly as many runs have as any, what they have first; empty if there is nothing."""
    places: dict[str, list[int]] = {}
    for mine in outcomes:
        for place, name in enumerate(mine):
            places.setdefault(name, []).append(place)
    most = max(map(len, places.values()), default=0)
    shared = {name: fmean(found) for name, found in places.items() if len(found) >= NEARLY * most}
    return min(shared, key=lambda name: (shared[name], -len(places[name])), default="")


def direction(metric: str, unknown: int = 1) -> int:
    """1 if more of it is better, -1 if less is, 0 if neither; `unknown` if nobody knows."""
    known = catalog.metric(metric)
    return unknown if known is None else {"higher": 1, "lower": -1}.get(known.direction, 0)


def varied(trials: Sequence[Trial]) -> list[Varied]:
    """Settings with several values; those that tell the same runs apart in the same way are one."""
    keys = Counter(key for trial in trials for key in trial.settings if not OWN.search(key))
    order = {key: place for place, key in enumerate(keys)}
    found: dict[tuple[Value, ...] | frozenset[int], Varied] = {}
    for key, _ in sorted(keys.items(), key=lambda one: (-one[1], order[one[0]])):
        values = tuple(_typed(trial.settings.get(key)) for trial in trials)
        if len(set(values)) > 1:
            made = _varied(key, values)
            told = frozenset(i for i, value in enumerate(values) if value is not None)
            words = not made.numeric and len(made.choices) > max(2, len(trials) // 2)
            if not words:  # a text of its own in most runs is a name or a path
                found.setdefault(values if made.several else told, made)
    first = list(found.values())[:MAX_SETTINGS]
    # what is only set or not, and what is not chosen, come last
    return sorted(first, key=lambda one: (bool(SEED.search(one.key)), not one.several))


def _typed(value: Value) -> Value:
    """A number that was logged as text is a number."""
    try:
        found = float(value) if isinstance(value, str) else math.nan
    except ValueError:
        return value
    return found if math.isfinite(found) else value


def _varied(key: str, values: tuple[Value, ...]) -> Varied:
    told = [value for value in values if value is not None]
    numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in told)
    if not numeric:
        choices = tuple(sorted(set(values), key=str))
        return Varied(key, values, numeric=False, log=False, choices=choices)
    numbers = [float(v) for v in told if isinstance(v, int | float)]
    log = min(numbers) > 0 and max(numbers) / min(numbers) >= LOG_SPAN
    choices = tuple(sorted(v for v in set(told) if isinstance(v, int | float)))
    return Varied(key, values, numeric=True, log=log, choices=choices)


def clearly_best(means: Sequence[Mean | None], sign: int) -> int | None:
    """Which mean is better than all others by more than both intervals together; None if none is."""
    known = [(place, one) for place, one in enumerate(means) if one is not None]
    if sign == 0 or len(known) < 2:
        return None
    best_place, best = max(known, key=lambda one: sign * one[1].mean)
    for place, other in known:
        if place == best_place:
            continue
        if best.half is None or other.half is None:
            return None
        if sign * (best.mean - other.mean) <= math.hypot(best.half, other.half):
            return None
    return best_place


def _sentence(sweep: Sweep) -> str:
    total, failed = len(sweep.trials), sum(trial.failed for trial in sweep.trials)
    if not sweep.settings:
        return "all settings are the same"
    if not sweep.regions:
        share = f"{failed} of {total} runs fail" if failed else f"none of the {total} runs fails"
        return f"{share}; no setting clearly decides which"
    worst = sweep.regions[0]
    said = []
    if worst.failed:
        codes = ", ".join(code for code, _ in worst.typical[:2])
        said.append(
            f"{worst.condition}: {worst.failed} of {worst.count} fail"
            + (f" ({codes})" if codes else "")
        )
    if sweep.best is not None:
        best = sweep.regions[sweep.best]
        if best.mean is not None and best.mean.half is not None:
            said.append(f"{best.condition}: clearly best, {sweep.metric} {best.mean}")
    elif not worst.failed:
        said.append(f"none of the {total} runs fails")
    return "; ".join(said)
