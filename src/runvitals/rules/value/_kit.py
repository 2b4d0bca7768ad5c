"""What the rules about the critic share."""

from __future__ import annotations

import numpy as np

from runvitals.model import FloatArray, Series, Span
from runvitals.rules.patient import Patient
from runvitals.signals.crossing import Stretch
from runvitals.signals.late import QUARTER, THIRD, early_median, late_median
from runvitals.signals.pairs import aligned
from runvitals.signals.robust import running_median

PERSIST = 20  # updates for which a value has to be odd (judgement)
MIN_POINTS = PERSIST + 10  # so that there is something before
LAST_TENTH = 0.9  # of the run, where it must not have ended (judgement)
SMOOTH = 10  # points of a running median (judgement)
LASTS = 10  # points of a running median beyond a limit (judgement)
AT_THE_END = 3  # points from the end, within which a stretch has not ended (judgement)
OF_THE_RUN = 1 / 5  # that a stretch lasts which did end (judgement)
CONSTANT = 0.02  # spread of returns against their size, below which they hardly vary (judgement)
CONSTANT_MEAN, MIN_MEANS = 0.005, 12  # the same of mean returns, and of how many (judgement)
MIN_RETURNS = 12  # points, so that the largest of them means something (judgement)
SMALL_ERROR = 0.005  # of the square of the largest return: an error that hardly matters (judgement)
MIN_KNOWN = 5  # points of the returns that a loss is measured by (judgement)


def span_at(series: Series, steps: FloatArray, stretch: Stretch) -> Span:
    """The steps of a stretch that was found at these steps of a series."""
    return stretch.span(_at(series, steps))


def lasting(stretches: list[Stretch], count: int) -> Stretch | None:
    """The last stretch, if it is long and reaches the last tenth of this many points."""
    if not stretches:
        return None
    last = stretches[-1]
    return last if last.beyond >= PERSIST and last.last >= LAST_TENTH * count - 1 else None


def longest(stretches: list[Stretch], count: int) -> Stretch | None:
    """The longest stretch of those that go on at the end of this many points, or went on for long."""
    enough = [
        one
        for one in stretches
        if one.beyond >= LASTS
        and (one.last >= count - AT_THE_END or one.beyond >= int(OF_THE_RUN * count))
    ]
    return max(enough, key=lambda one: one.beyond, default=None)


def return_spread(patient: Patient) -> Series | None:
    """The standard deviation of the returns, as logged."""
    series = patient.find("returns/std")
    if series is not None:
        return series
    var = patient.find("returns/var")
    if var is not None:
        root = np.sqrt(np.maximum(var.values, 0.0))
        return Series(var.name, var.steps, root, var.times, var.metric, var.labels)
    return patient.find("outcome/return_std")


def largest_return(patient: Patient, least: int) -> float | None:
    """The size of the largest return in the log; None if it does not tell, or has fewer points."""
    mean = patient.find("outcome/return_mean")
    if mean is None or len(mean) < least:
        return None
    extremes = (patient.find(f"outcome/return_{m}") for m in ("max", "min"))
    known = (mean, *extremes, patient.find("returns/max"))
    return max(float(np.abs(s.values).max()) for s in known if s is not None)


def error_is_small(patient: Patient) -> bool:
    """Whether the critic's late error hardly matters beside the largest return, as far as known."""
    loss, size = patient.find("value/loss"), largest_return(patient, MIN_RETURNS)
    if loss is None or size is None:
        return False
    return late_median(loss.values, THIRD) < SMALL_ERROR * size**2


def returns_vary(patient: Patient) -> bool:
    """Whether late returns differ from each other: if not, no critic can explain a difference."""
    spread = return_spread(patient)
    targets = spread is not None and (spread.metric or "").startswith("returns/")
    mean = patient.find("returns/mean") if targets else patient.find("outcome/return_mean")
    if targets and mean is None:
        return True
    if spread is not None and mean is not None:
        size = max(abs(late_median(mean.values, QUARTER)), 1e-9)
        return late_median(spread.values, QUARTER) >= CONSTANT * size
    if mean is not None and len(mean) >= MIN_MEANS:
        tail = mean.values[len(mean) // 2 :]
        return float(np.ptp(tail)) > CONSTANT_MEAN * max(abs(float(np.median(tail))), 1e-9)
    return True


def normalised_loss(patient: Patient, loss: Series) -> tuple[Series, FloatArray, bool]:
    """The value loss per variance of the returns; whether that variance is known, or only guessed.

    Where it was not logged, the square of the largest return so far stands in: a loss that grows
    only because returns grow is not a finding.
    """
    spread = return_spread(patient)
    if spread is not None and len(spread) >= MIN_KNOWN:
        steps, losses, widths = aligned(loss, spread)
        keep = _at(loss, steps)
        floor = max(CONSTANT * float(np.median(widths)), 1e-9) if len(widths) else 1.0
        return keep, _per_square(losses, np.maximum(widths, floor)), True
    mean = patient.find("outcome/return_mean", "returns/mean")
    if mean is not None and len(mean) >= MIN_KNOWN:
        steps, losses, means = aligned(loss, mean)
        size = (
            np.maximum.accumulate(np.abs(running_median(means, MIN_KNOWN))) if len(means) else means
        )
        return _at(loss, steps), _per_square(losses, np.maximum(size, 1e-9)), False
    return loss, loss.values, False


def explained_growth(patient: Patient) -> float:
    """How many times a value loss may grow from the first to the last third because returns do."""
    spread = return_spread(patient)
    size = spread or patient.find("outcome/return_mean", "returns/mean")
    if size is None or len(size) < MIN_KNOWN:
        return 1.0
    before, now = (f(np.abs(size.values), THIRD) for f in (early_median, late_median))
    return max(1.0, (min(now, 1e100) / max(before, 1e-9)) ** 2)


def _per_square(values: FloatArray, size: FloatArray) -> FloatArray:
    """Values over the square of a size, whatever their magnitude."""
    return np.clip(values, -1e100, 1e100) / np.square(np.clip(size, 1e-9, 1e100))


def _at(series: Series, steps: FloatArray) -> Series:
    """A series with other steps, for spans."""
    whole = steps.astype(np.int64)
    empty = np.full(len(whole), np.nan)
    return Series(series.name, whole, empty, empty, series.metric, series.labels)
