"""Whether the numbers of a series can be what its name was read as."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FEW_FALLS = 0.02  # share of a counter's steps that may go down: restarts happen
MIN_CONSTANT = 5  # points that show that a number does not count anything
OFTEN_FALLS = 0.25  # what is measured anew at each step falls half of the time
MAX_LEARNING_RATE = 1.0
SLACK = 1e-6
# Above it a number is percent and no share: rounding, smoothing and bonuses bring a share to little
# more than 1, and 1.5% is less than anybody logs of a run that gets anywhere (judgement).
MAX_SHARE = 1.5
# One row in twenty beyond 1 may be a slip in a log of shares, where the others are worth the name: as
# percents nearly all of them would be next to nothing (judgement).
FEW_SLIPS, WORTH_A_SHARE = 0.05, 0.05
SIZE_OF_ONE = 2.0  # an episode of two steps is the shortest that is worth a mean
_RATES = (
    "success_rate", "win_rate", "accuracy", "collision_rate", "termination_rate", "clip_fraction",
    "clip_fraction_low", "clip_fraction_high", "clip_fraction_dual", "zero_std_fraction",
    "response_clip_ratio", "stop_rate", "explore/epsilon", "progress/fraction", "fill_fraction",
)  # fmt: skip
_OFTEN_PERCENT = ("success_rate", "win_rate", "accuracy", "collision_rate")
_COUNTERS = (
    "progress/epoch", "progress/step", "progress/optimizer_steps", "progress/env_steps",
    "progress/episodes", "progress/samples", "progress/tokens", "time/elapsed_s",
)  # fmt: skip
_NOT_NEGATIVE = (
    "_std", "/std", "grad_norm", "param_norm", "_length_mean", "_length_min", "_length_max", "_gb",
    "_per_s", "length/", "replay/size", "update_norm", "supervised/error", "_percent", "clip_range",
    "agent/",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Facts:
    """What matters of the values of a series."""

    low: float
    high: float
    falls: float  # share of its steps down
    rises: float  # share of its steps up
    count: int
    middle: float = 0.0  # the median
    climbs: bool = False  # whether its last quarter lies above all of its first
    beyond_one: float = 1.0  # share of its values above 1


def facts_of(values: NDArray[np.float64]) -> Facts | None:
    """The facts of a series; None if it has no finite value."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return None
    steps = np.diff(finite)
    n = max(len(steps), 1)
    quarter = max(1, len(finite) // 4)
    return Facts(
        float(finite.min()),
        float(finite.max()),
        float(np.count_nonzero(steps < 0)) / n,
        float(np.count_nonzero(steps > 0)) / n,
        len(finite),
        float(np.median(finite)),
        bool(np.median(finite[-quarter:]) > finite[:quarter].max()),
        float(np.count_nonzero(finite > 1 + SLACK)) / len(finite),
    )


def alike(one: Facts, other: Facts) -> bool:
    """Whether two series are of one size: the rewards of steps and of whole episodes are not."""
    if one.middle * other.middle <= 0:
        return one.middle == other.middle
    return 1 / SIZE_OF_ONE < one.middle / other.middle < SIZE_OF_ONE


def scale_if_it_fits(metric: str, facts: Facts) -> float | None:
    """What to multiply the values with to have them in the catalog's unit; None: they disagree.

    >>> scale_if_it_fits("outcome/success_rate", Facts(0.0, 87.5, 0.4, 0.6, 20))
    0.01
    >>> scale_if_it_fits("outcome/success_rate", Facts(0.1, 1.02, 0.4, 0.6, 20))
    1.0
    >>> scale_if_it_fits("optim/learning_rate", Facts(-3.0, 1.0, 0.5, 0.5, 20)) is None
    True
    """
    low, high = facts.low, facts.high
    if metric.endswith(_RATES):
        if low < -SLACK or high > 100 + SLACK:
            return None
        if high <= 1 + SLACK:
            return 1.0
        return _share_or_percent(facts) if metric.endswith(_OFTEN_PERCENT) else None
    if metric.endswith("supervised/score"):  # some are below 0 where guessing is better
        if high <= MAX_SHARE:
            return 1.0
        return _share_or_percent(facts) if low >= 0 and high <= 100 + SLACK else None
    if metric.endswith("learning_rate"):
        return 1.0 if low >= 0 and high <= MAX_LEARNING_RATE else None
    if metric in _COUNTERS:
        return 1.0 if low >= 0 and facts.falls <= FEW_FALLS else None
    if metric.endswith("explained_variance"):
        return 1.0 if high <= 1 + SLACK else None
    if metric.endswith("perplexity"):
        return 1.0 if low >= 1 - SLACK else None
    if metric == "lm/loss":
        return 1.0 if low >= 0 else None
    if metric.startswith("time/") and low < 0:
        return None
    if any(part in metric for part in _NOT_NEGATIVE) and low < 0:
        return None
    return 1.0


def _share_or_percent(facts: Facts) -> float:
    """Whether values from 0 to 100 are shares or percents; a few rows above 1 leave them shares."""
    slips = facts.beyond_one <= FEW_SLIPS and facts.middle >= WORTH_A_SHARE
    return 1.0 if facts.high <= MAX_SHARE or slips else 0.01
