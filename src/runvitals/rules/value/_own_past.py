"""Values against their own early level, where what is earned does not explain the change."""

from __future__ import annotations

import numpy as np

from runvitals.model import FloatArray, Hit, Series
from runvitals.model.formatting import short_number
from runvitals.rules.patient import Patient
from runvitals.rules.severity import by_outcome, so_far
from runvitals.rules.value._kit import MIN_POINTS, SMOOTH, lasting, return_spread, returns_vary
from runvitals.signals.baseline import ratio_to_reference, reference, reference_points
from runvitals.signals.crossing import sustained_above, sustained_below
from runvitals.signals.pairs import aligned
from runvitals.signals.robust import running_median

GROWN = 5.0  # times its early level (judgement; the documents' examples are 30 and more)
NARROW = 0.05  # of its early level (judgement)
NEW_CRITIC = 1 / 5  # of the run, in which values may still be on their way (judgement)
BEYOND_EARNED = 3.0  # times what was ever earned (judgement)
WIDER = 2.0  # times the spread of the returns: no critic should spread wider than they (judgement)
MIN_OF_EARNED = 0.1  # of it: a critic that begins near 0 has a long way to go (judgement)
EARNED = ("outcome/return_mean", "reward/score_mean", "reward/mean")


def value_spread(patient: Patient) -> Series | None:
    """The standard deviation of the values, as logged or as the root of their variance."""
    if (series := patient.find("value/std")) is not None:
        return series
    var = patient.find("value/var")
    if var is None:
        return None
    root = np.sqrt(np.maximum(var.values, 0.0))
    return Series(var.name, var.steps, root, var.times, var.metric, var.labels)


def own_spread(patient: Patient) -> Hit | None:
    """A spread of the values that has left its early level, up or down."""
    spread = value_spread(patient)
    if spread is None or len(spread) < MIN_POINTS:
        return None
    count = len(spread)
    ratio = _after_start(ratio_to_reference(spread.values))
    wide = lasting(sustained_above(_unexplained(patient, spread, ratio), GROWN), count)
    narrow = lasting(sustained_below(ratio, NARROW), count) if returns_vary(patient) else None
    stretch = wide or narrow
    if stretch is None:
        return None
    height = float(np.median(ratio[stretch.first : stretch.last + 1]))
    return Hit(
        series=spread.name,
        span=stretch.span(spread),
        message=f"standard deviation of the values is {short_number(height)} times its early level"
        f"{so_far(patient)}",
        advice="compare value and return of the same states"
        + ("; lower the critic's learning rate" if wide else "; fit the critic alone to one batch"),
        severity=by_outcome(patient),
        causes=("scale of rewards or returns changed", "critic diverges")
        if wide
        else ("saturated output", "critic does not train"),
        limit=patient.limit(None, otherwise=GROWN if wide else NARROW, why="times its early level"),
    )


def own_level(patient: Patient) -> Hit | None:
    """A mean value that has left its early level, and all that was ever earned."""
    value = patient.find("value/mean", "value/pred_mean")
    if value is None or len(value) < MIN_POINTS:
        return None
    size = np.abs(running_median(value.values, SMOOTH))
    early = value.values[reference_points(len(value))]
    base = max(abs(float(np.median(early))), float(np.std(early)))
    earned = _earned(patient)
    most = 0.0
    if earned is not None:
        most = float(np.abs(running_median(earned.values, SMOOTH)).max())
        base = max(base, MIN_OF_EARNED * most)
    if not base > 1e-12:
        return None
    ratio = _after_start(size / base, 0.0)
    if earned is None or _per_step(patient, earned):
        ratio, most = ratio / growth_of(earned, value), 0.0
    else:
        ratio = np.where(size > BEYOND_EARNED * most, ratio, 0.0)
    stretch = lasting(sustained_above(ratio, GROWN), len(value))
    if stretch is None:
        return None
    beside = "" if not most else f", beyond anything that was earned ({short_number(most)})"
    return Hit(
        series=value.name,
        span=stretch.span(value),
        message=f"mean value drifts from {short_number(float(np.median(early)))} to "
        f"{short_number(value.last)}"
        f"{beside}{so_far(patient)}",
        advice="compare value and return of the same states; check the scale of the targets",
        severity=by_outcome(patient),
        causes=("scale of rewards or returns changed", "critic diverges", "a bug in the returns"),
        limit=patient.limit(None, otherwise=GROWN, why="times its early level"),
    )


def earned_by_outcome(patient: Patient) -> Series | None:
    """What the policy earns, as logged beside the targets of the critic."""
    found = (patient.find(metric) for metric in EARNED)
    return next((one for one in found if one is not None and len(one) >= MIN_POINTS), None)


def _earned(patient: Patient) -> Series | None:
    targets = patient.find("returns/mean")
    known = targets is not None and len(targets) >= MIN_POINTS
    return targets if known else earned_by_outcome(patient)


def _per_step(patient: Patient, earned: Series) -> bool:
    """Whether it is the reward of a step, of which values are sums."""
    return earned.metric == "reward/mean" and patient.kind != "llm-rl"


def _unexplained(patient: Patient, spread: Series, ratio: FloatArray) -> FloatArray:
    """A growth of the spread where returns do not spread as widely, or have not grown as much."""
    returns = return_spread(patient)
    if returns is None or len(returns) < MIN_POINTS:
        return ratio / growth_of(_earned(patient), spread)
    _, mine, theirs = aligned(spread, returns)
    if len(mine) != len(spread):
        return np.ones(len(spread))
    return np.where(mine > WIDER * theirs, ratio, 1.0)


def growth_of(cause: Series | None, series: Series) -> FloatArray:
    """How many times what is earned has grown by each point of a series; at least 1."""
    if cause is None or len(cause) < MIN_POINTS:
        return np.ones(len(series))
    size = np.abs(running_median(cause.values, SMOOTH))
    early = max(reference(np.abs(cause.values)), MIN_OF_EARNED * float(size.max()), 1e-12)
    best = np.maximum.accumulate(size) / early
    _, mine, growth = aligned(
        series, Series(cause.name, cause.steps, best, cause.times, cause.metric)
    )
    return np.maximum(growth, 1.0) if len(mine) == len(series) else np.ones(len(series))


def _after_start(ratio: FloatArray, at_first: float = 1.0) -> FloatArray:
    ratio = ratio.copy()
    ratio[: int(NEW_CRITIC * len(ratio))] = at_first
    return ratio
