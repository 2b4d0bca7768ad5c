"""How far chance alone could have moved a difference: bootstrap intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runvitals.model import FloatArray
from runvitals.model.formatting import number

DRAWS = 10_000
LEVEL = 0.95
MIN_POINTS = 8  # of a series, before its own noise can be told

# two-sided 95% quantiles of Student's t with 1, 2, ... degrees of freedom
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
_NORMAL = 1.96


@dataclass(frozen=True)
class Interval:
    """A 95% interval of a difference, and what it accounts for."""

    low: float
    high: float
    kind: str  # "seeds", "pairs" or "within"

    @property
    def excludes_zero(self) -> bool:
        """Whether chance alone hardly explains the difference."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Mean:
    """A mean over runs; `half` is half of its 95% interval by Student's t, None for a single run."""

    count: int
    mean: float
    half: float | None

    def __str__(self) -> str:
        """With as many digits as the interval bears out."""
        if not self.half:
            return number(self.mean)
        digits = 1 - math.floor(math.log10(self.half))
        return f"{number(round(self.mean, digits))} ± {number(self.half, 2)}"


def mean_of(values: Sequence[float | None]) -> Mean | None:
    """The mean of what is finite; None if nothing is.

    >>> mean_of([1.0, None, 3.0])
    Mean(count=2, mean=2.0, half=12.706)
    """
    known = np.array([v for v in values if v is not None and math.isfinite(v)], np.float64)
    n = len(known)
    if n < 2:
        return Mean(n, float(known[0]), None) if n else None
    return Mean(n, float(known.mean()), _student(n) * float(known.std(ddof=1)) / math.sqrt(n))


def _student(n: int) -> float:
    """The quantile for a mean of n values, within 0.3% from 12 on."""
    return _STUDENT[n - 2] if n - 2 < len(_STUDENT) else _NORMAL + 2.5 / (n - 1)


def over_runs(base: FloatArray, other: FloatArray) -> Interval:
    """For the difference of the means of two groups of runs, two at least in each.

    The percentile bootstrap is too narrow for few runs: each group's draws are widened by what
    Student's t has over the normal distribution (Hesterberg 2015, "What teachers should know about the
    bootstrap").
    """
    rng = np.random.default_rng(0)
    gap = float(other.mean() - base.mean())
    draws = _deviations(other, rng) - _deviations(base, rng)
    return _interval(gap, draws, "seeds")


def over_pairs(base: FloatArray, other: FloatArray) -> Interval:
    """For the mean difference of runs that belong together, such as those with the same seed."""
    gaps = other - base
    return _interval(float(gaps.mean()), _deviations(gaps, np.random.default_rng(0)), "pairs")


def within_runs(gap: float, base: FloatArray, other: FloatArray) -> Interval | None:
    """For the difference of two levels of single runs, by the noise of their points alone.

    Blocks of neighbours are drawn, since neighbours are alike. It says nothing about other seeds.
    None if there are too few points.
    """
    if min(len(base), len(other)) < MIN_POINTS:
        return None
    rng = np.random.default_rng(0)
    return _interval(gap, _block_deviations(other, rng) - _block_deviations(base, rng), "within")


def _interval(gap: float, draws: FloatArray, kind: str) -> Interval:
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(gap + float(low), gap + float(high), kind)


def _deviations(values: FloatArray, rng: np.random.Generator) -> FloatArray:
    n = len(values)
    drawn = values[rng.integers(0, n, (DRAWS, n))].mean(axis=1) - values.mean()
    return np.asarray(drawn * math.sqrt(n / (n - 1)) * _student(n) / _NORMAL)


def _block_deviations(values: FloatArray, rng: np.random.Generator) -> FloatArray:
    n = len(values)
    size = min(n // 3, max(round(n ** (1 / 3)), math.ceil(2 * _memory(values))))
    count = -(-n // size)
    starts = rng.integers(0, n - size + 1, (DRAWS, count))
    sums = np.concatenate([[0.0], np.cumsum(values)])
    means = (sums[starts + size] - sums[starts]).sum(axis=1) / (count * size)
    return np.asarray(means - means.mean())


def _memory(values: FloatArray) -> float:
    """For how many points a series remembers where it was: (1 + r) / (1 - r)."""
    centred = values - values.mean()
    power = float(centred @ centred)
    r = float(centred[1:] @ centred[:-1]) / power if power > 0 else 0.0
    r = min(max(r, 0.0), 0.95)
    return (1 + r) / (1 - r)
