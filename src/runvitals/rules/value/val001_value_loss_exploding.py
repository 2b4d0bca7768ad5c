"""VAL001."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Series, Severity
from runvitals.model.formatting import number, short_number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.rules.value._kit import (
    LASTS,
    MIN_RETURNS,
    SMALL_ERROR,
    SMOOTH,
    explained_growth,
    largest_return,
    longest,
    normalised_loss,
)
from runvitals.signals.baseline import reference
from runvitals.signals.crossing import Stretch, sustained_above
from runvitals.signals.late import THIRD, early_median, late_median
from runvitals.signals.robust import running_median
from runvitals.signals.spikes import lasts, spikes
from runvitals.signals.trend import trend

MIN_POINTS = 30  # judgement
OFF_POLICY = 10.0  # times the factor: targets that move take the loss with them (judgement)
UNKNOWN_VARIANCE = (
    3.0  # times the factor, where the loss is measured by the returns' size (judgement)
)
CRITICAL = 10.0  # times the limit (judgement)
ABSURD = 25.0  # times the square of the largest return: five times as far off as can be (judgement)
HUGE = 4.0  # times it; healthy critics of known runs stay below 0.1
HALF = 0.5  # of the run that a loss has to be huge (judgement)
MIN_EARLY, EARLY = 5, 1 / 50  # points at the start, and their share (judgement)
SMALL_AT_FIRST = 0.01  # of its top: else the unit of the loss is another (judgement)
NEW_CRITIC, NEW_POINTS = 1 / 20, 10  # of the run, and points, in which a loss may start near zero
RISEN = 2.0  # times the first third, all along (judgement)
STEADILY = 2.0  # spreads around the rise (judgement)
SPIKE = 30.0  # times the points before, and a third of that times the early level (judgement)
MANY, MAX_SPIKES = (
    2,
    500,
)  # spikes: one is an event, and more than this many change nothing (judgement)
WHAT = {"value/loss": "value loss", "value/error": "value error"}


@rule(
    "VAL001",
    "value-loss-exploding",
    severity="warning",
    needs=["value/loss|value/error"],
    families=["rl"],
)
def value_loss_exploding(patient: Patient, *, factor: float = 10.0) -> Iterator[Hit]:
    """The critic's loss explodes, keeps rising, spikes, or is huge.

    ## What it looks for
    The value loss or value error, divided by the variance of the returns (or by the square of the
    largest return so far, if the variance was not logged):

    - **Explodes**: more than `factor` (10) times its early level, or its lowest since, for at least
      10 points, and to the end or for a fifth of the run. The factor is 30 if the variance is not
      known, and 100 for off-policy critics. While the outcome is doing well, it only counts if the
      loss itself has grown as much.
    - **Keeps rising**: the last third is at twice the first and the loss rises all along, while the
      outcome is not doing well (not for off-policy critics).
    - **Is huge**: more than 4 times the square of the largest return for half of the run.
    - **Spikes**: single updates at 30 times the updates before and ten times the early level, and
      above half a percent of the square of the largest return (not for off-policy critics).

    All are warnings while the outcome is not doing well (spikes from the second one), and notices
    while it is doing well. A hundred times the early level is critical. A loss that starts small
    and passes 25 times the square of the largest return ever seen is a warning whatever the
    outcome.

    ## Why it matters
    The critic's errors become the policy's advantages.

    ## Usual causes
    1. The scale of rewards or returns.
    2. The critic's learning rate.
    3. A bug in the returns, or in bootstrapping at the end of episodes.
    4. Observations that are not normalised.
    5. A target network that is never updated, or at every step.

    ## What to try
    Print returns next to predictions for one episode. Normalise returns, lower the critic's
    learning rate, and check the mask at the end of episodes.

    ## When to ignore it
    Off-policy critics while values are still being learned: their loss may grow on the way up.

    ## Sources
    Training Metrics and Telemetry (value loss huge or rising); RL metrics table (error falls
    smoothly, no big spikes of the loss); RLExplorer's loss check.
    """
    for metric in WHAT:
        loss = patient.find(metric)
        if loss is None or len(loss) < MIN_POINTS or float(loss.values.min()) < 0:
            continue
        if (hit := _absurd(patient, loss)) is not None:
            yield hit
            return
        if patient.health.early:
            return
        hit = _grown(patient, loss, factor) or _risen(patient, loss)
        hit = hit or _huge(patient, loss) or _spiking(patient, loss)
        if hit is not None:
            yield hit
            return


def _grown(patient: Patient, loss: Series, factor: float) -> Hit | None:
    """Beyond what growing returns explain, against its early level or its lowest since."""
    series, ratio, known = normalised_loss(patient, loss)
    if len(ratio) < MIN_POINTS:
        return None
    base = reference(ratio)
    if not base > 1e-12:
        return None
    if patient.kind == "off-policy":
        factor = OFF_POLICY * factor
    elif not known:
        factor = UNKNOWN_VARIANCE * factor
    smooth = running_median(ratio, SMOOTH) / base
    stretch, since = None, "its early level"
    if not (patient.health.good or patient.health.unknown):
        stretch = longest(sustained_above(smooth, factor), len(ratio))
    if stretch is None:
        smooth, since = _since_lowest(smooth), "its lowest"
        grown = running_median(loss.values, SMOOTH) > factor / UNKNOWN_VARIANCE * reference(
            loss.values
        )
        if len(grown) == len(smooth):
            smooth = np.where(grown, smooth, 1.0)
            stretch = longest(sustained_above(smooth, factor), len(ratio))
    if stretch is None:
        return None
    height = float(np.median(smooth[stretch.first : stretch.last + 1]))
    per = "variance of the returns" if known else "square of the return"
    severity: Severity = by_outcome(patient)
    if severity == "warning" and height >= CRITICAL * factor:
        severity = "critical"
    return Hit(
        series=loss.name,
        span=stretch.span(series),
        message=f"{_name(loss)} per {per} is {short_number(height)} times {since}{so_far(patient)}",
        advice="normalise returns or lower the critic's learning rate; check the mask at episode ends",
        severity=severity,
        causes=("scale of the returns", "critic's learning rate too high", "a bug in the returns"),
        limit=patient.limit(None, otherwise=factor, why=f"times {since}"),
    )


def _since_lowest(smooth: FloatArray) -> FloatArray:
    """Each point as a multiple of the lowest before it; 1 where the critic is new."""
    first = max(NEW_POINTS, int(NEW_CRITIC * len(smooth)))
    result = np.ones(len(smooth))
    if first < len(smooth):
        lowest = np.minimum.accumulate(smooth[first:])
        result[first:] = smooth[first:] / np.maximum(lowest, 1e-12)
    return result


def _risen(patient: Patient, loss: Series) -> Hit | None:
    """All along, while the outcome gets nowhere."""
    if not patient.health.struggles or patient.kind == "off-policy":
        return None
    first, last = early_median(loss.values, THIRD), late_median(loss.values, THIRD)
    if not first > 0 or last < RISEN * explained_growth(patient) * first:
        return None
    if not trend(np.log(np.maximum(loss.values, 1e-12)), effect=STEADILY).up:
        return None
    return Hit(
        series=loss.name,
        span=loss.span(),
        message=f"{_name(loss)} keeps rising: {short_number(first)} in the first third,"
        f" {short_number(last)} in the last",
        advice="print returns next to predictions for one episode; lower the critic's learning rate",
        severity="warning",
        causes=("a bug in the returns", "critic's learning rate too high", "poor observations"),
        limit=patient.limit(None, otherwise=RISEN, why="times its first third"),
    )


def _huge(patient: Patient, loss: Series) -> Hit | None:
    """An error larger than any return, in most of the run."""
    size = largest_return(patient, MIN_RETURNS)
    if size is None:
        return None
    most = HUGE * max(size, 1.0) ** 2
    smooth = running_median(loss.values, SMOOTH)
    stretch = _longest_of_all(sustained_above(smooth, most))
    if stretch is None or stretch.beyond < max(LASTS, HALF * len(loss)):
        return None
    middle = float(np.median(smooth[stretch.first : stretch.last + 1]))
    return Hit(
        series=loss.name,
        span=loss.span(stretch.first, stretch.last),
        message=f"{_name(loss)} is huge: {short_number(middle)}, although the largest return was only "
        f"{short_number(size)}{so_far(patient)}",
        advice="scale rewards or normalise returns, then check how returns are computed",
        severity=by_outcome(patient),
        causes=("scale of the returns", "a bug in the returns", "critic's learning rate too high"),
        limit=patient.limit(
            None, otherwise=most, why=f"{HUGE:g} times the square of the largest return"
        ),
    )


def _spiking(patient: Patient, loss: Series) -> Hit | None:
    """Single updates far above all others."""
    if patient.kind == "off-policy":
        return None
    size = largest_return(patient, MIN_RETURNS) or 0.0
    least = max(SPIKE / UNKNOWN_VARIANCE * reference(loss.values), SMALL_ERROR * size**2)
    high = loss.values > least
    if not high.any():
        return None
    at = spikes(loss.values, ratio=SPIKE)
    at = np.array([i for i in at[:MAX_SPIKES] if high[i] and not lasts(loss.values, i)], np.int64)
    if not len(at):
        return None
    top = int(at[np.argmax(loss.values[at])])
    usual, many = float(np.median(loss.values)), len(at) >= MANY
    return Hit(
        series=loss.name,
        span=loss.span(int(at[0]), int(at[-1])),
        message=f"{_name(loss)} spikes in {len(at):,} update{'s' * many}, {'up ' * many}to "
        f"{short_number(loss.values[top])} at step {int(loss.steps[top]):,} "
        f"(usually {short_number(usual)}){so_far(patient)}",
        advice="look at the returns of that update; clip rewards or the critic's gradient",
        severity=by_outcome(patient) if many else "notice",
        causes=(
            "outliers among the returns",
            "critic's learning rate too high",
            "a bug in the returns",
        ),
        limit=patient.limit(None, otherwise=SPIKE, why="times the updates before"),
    )


def _absurd(patient: Patient, loss: Series) -> Hit | None:
    """A squared error of many times the square of the largest return there ever was."""
    size = largest_return(patient, MIN_RETURNS)
    if size is None:
        return None
    most = ABSURD * min(max(size, 1.0), 1e100) ** 2
    smooth: FloatArray = running_median(loss.values, SMOOTH)
    stretch = _longest_of_all(sustained_above(smooth, most))
    early = early_median(loss.values, EARLY, MIN_EARLY)
    if stretch is None or stretch.beyond < LASTS or early > SMALL_AT_FIRST * float(smooth.max()):
        return None
    top = float(smooth[stretch.first : stretch.last + 1].max())
    return Hit(
        series=loss.name,
        span=loss.span(stretch.first, stretch.last),
        message=f"{_name(loss)} reaches {number(top, 2)}, although the largest return was only "
        f"{short_number(size)}",
        advice="lower the critic's learning rate, clip its gradient, and check the target network",
        causes=(
            "critic diverges: overestimation feeds on itself",
            "critic's learning rate too high",
        ),
        limit=patient.limit(
            None, otherwise=most, why=f"{ABSURD:g} times the square of the largest return"
        ),
    )


def _longest_of_all(stretches: list[Stretch]) -> Stretch | None:
    return max(stretches, key=lambda one: one.beyond, default=None)


def _name(loss: Series) -> str:
    return WHAT.get(loss.metric or "", "value loss")
