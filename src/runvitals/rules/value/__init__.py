"""Rules about the value function."""

from dataclasses import replace

import numpy as np

from runvitals.model import FloatArray, Series
from runvitals.rules.detectors import Detection, rose
from runvitals.rules.patient import Patient
from runvitals.signals.late import late_median
from runvitals.signals.level import read_level
from runvitals.signals.pairs import aligned_all

MIN_RETURNS = 20  # points of returns that anything is measured by
MIN_SPREAD = 0.02  # of the size of returns: below, they are as good as constant (judgement)
SMALL_ERROR = 0.01  # of the square of a return, which is a tenth of it (judgement)
NO_ERROR = 1e-3  # of the largest error of the run: smaller ones are all alike (judgement)
MIN_SCALE = 0.1  # of the largest scale of the run: smaller ones count as this (judgement)
MAX_PROMISE = 3.0  # times what is earned; values of discounted returns stay near 1 (judgement)
LATELY = 5  # a fifth of the run: values may lag behind returns for so long (judgement)
TARGETS, EPISODES = "returns/mean", "outcome/return_mean"
SCORES = ("reward/score_mean", "reward/mean")  # of whole responses, for language models


def derived(series: Series, steps: FloatArray, values: FloatArray) -> Series:
    """What was computed from a series, at these steps."""
    return replace(series, steps=steps.astype(np.int64), values=values, times=steps * np.nan)


def spread_of(patient: Patient, what: str) -> Series | None:
    """The standard deviation of `value` or `returns`, as logged or as the root of a variance."""
    series, variance = patient.find(f"{what}/std"), patient.find(f"{what}/var")
    if series is None and variance is not None:
        return replace(variance, values=np.sqrt(np.maximum(variance.values, 0.0)))
    return series


def return_spread(patient: Patient) -> Series | None:
    """The standard deviation of the critic's targets, else of the returns of episodes."""
    return _enough(spread_of(patient, "returns")) or _enough(patient.find("outcome/return_std"))


def earned(patient: Patient) -> Series | None:
    """The size of the returns of episodes, or of the critic's targets; None if neither was logged.

    Of language models, which have no returns, the size of their scores.
    """
    names = SCORES if patient.kind == "llm-rl" else (EPISODES, TARGETS)
    series = next((one for one in map(patient.find, names) if _enough(one)), None)
    if series is None or not series.values.any():
        return None
    return replace(series, values=np.abs(series.values))


def largest_so_far(size: Series) -> Series:
    """The highest level of a size up to each point."""
    return replace(size, values=np.maximum.accumulate(np.abs(read_level(size.values).curve)))


def largest_return(patient: Patient) -> float | None:
    """The size of the largest return of the run; None if it was not logged."""
    size = earned(patient)
    if size is None:
        return None
    extremes = map(patient.find, ("outcome/return_max", "outcome/return_min", "returns/max"))
    return max(float(np.abs(one.values).max()) for one in (size, *extremes) if one)


def per_return(patient: Patient, loss: Series) -> Series:
    """A squared error per variance of the returns, or per square of the largest return so far.

    As logged if neither is known.
    """
    scale, size = return_spread(patient), earned(patient)
    if scale is None and size is not None and grows_with_returns(patient):
        scale = largest_so_far(size)
    return loss if scale is None else relative(loss, scale, power=2)


def grows_with_returns(patient: Patient) -> bool:
    """Whether returns spread more as they grow: scores of language models do not."""
    return patient.kind != "llm-rl"


def per_lowest(error: Series) -> Series:
    """An error as a multiple of its lowest level so far."""
    least = max(NO_ERROR * float(error.values.max(initial=0.0)), 1e-12)
    values = np.maximum(error.values, least)
    level = np.exp(read_level(np.log(values)).curve) if len(values) else values
    return replace(error, values=values / np.minimum.accumulate(level))


def promises_too_much(patient: Patient, value: Series) -> Detection | None:
    """Values that have grown to several times what is earned: `level` says how many."""
    size = earned(patient)
    if size is None:
        return None
    window = max(1, len(size) // LATELY)
    padded = np.concatenate([np.zeros(window - 1), size.values])
    paid = np.lib.stride_tricks.sliding_window_view(padded, window).max(axis=1)
    found = relative(value, replace(size, values=paid))
    share = replace(found, values=np.maximum(np.abs(found.values), 1.0))
    return rose(share, MAX_PROMISE, since_lowest=True)


def relative(series: Series, scale: Series, power: int = 1) -> Series:
    """A series as a multiple of a scale, or of its power; a tiny scale counts as a small one."""
    steps, values, sizes = aligned_all(series, scale)
    least = max(MIN_SCALE * float(sizes.max(initial=0.0)), 1e-9)
    return derived(series, steps, values / np.maximum(sizes, least) ** power)


def mean_beside(patient: Patient, spread: Series | None) -> Series | None:
    """The mean of the returns whose spread this is; of episodes if there is none."""
    of_targets = spread is not None and spread.metric != "outcome/return_std"
    return patient.find(TARGETS if of_targets else EPISODES)


def returns_vary(patient: Patient) -> bool:
    """Whether late returns differ from each other: if not, no critic can explain a difference."""
    spread = return_spread(patient)
    mean = mean_beside(patient, spread)
    if mean is None:
        return True
    size = MIN_SPREAD * abs(late_median(mean.values))
    if spread is not None:
        return late_median(spread.values) > size
    return len(mean) < MIN_RETURNS or float(np.ptp(mean.values[len(mean) // 2 :])) > size


def _enough(series: Series | None) -> Series | None:
    return series if series is not None and len(series) >= MIN_RETURNS else None
