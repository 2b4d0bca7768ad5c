"""REW007."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Limit, Series
from runvitals.model.formatting import short_number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.reward._kit import far_enough
from runvitals.rules.reward._surplus import surplus_of
from runvitals.rules.severity import by_outcome, so_far
from runvitals.rules.uneven import HELD, long_tails
from runvitals.signals.baseline import ratio_to_reference, reference
from runvitals.signals.crossing import sustained_above
from runvitals.signals.late import early_median, late, late_median
from runvitals.signals.pairs import aligned
from runvitals.signals.trend import trend
from runvitals.vitals import range_of

MIN_POINTS = 20  # judgement
FOREIGN = 2.0  # times the spread of all parts together (judgement)
MAX_VALUE = 1e100  # larger spreads are cut, so that their squares are finite
GREW = 3.0  # times its early level (judgement)
GREW_FOR, MIN_GREW_FOR = (
    10,
    5,
)  # a tenth of the points, to the end, and this many of them at least
CLEAR = 2.0  # times the noise, that it has to rise
HALF_DONE, MIN_NOISY = 0.5, 30  # of the plan, and points: nothing was learned by then (judgement)
NO_SPREAD = 1e-6  # of rewards: rounding
LOPSIDED = 0.3  # of the farther extreme: most rewards lie at the nearer one (judgement)
FAR_OUT = 10.0  # spreads from the mean (judgement): a normal reward never is
NEARLY_ALL = 0.8  # of the late points: judgement
SPREADS = "reward/std|reward/score_std|outcome/return_std"
MEANS = {  # of what each spread is around
    "reward/std": "reward/mean",
    "reward/var": "reward/mean",
    "reward/score_std": "reward/score_mean",
    "outcome/return_std": "outcome/return_mean",
}


@rule(
    "REW007",
    "reward-variance-or-tails",
    severity="notice",
    needs=[f"{SPREADS}|reward/var|histogram:reward"],
    families=["rl"],
)
def reward_variance_or_tails(
    patient: Patient, *, variance_max: float | None = None, noise: float = 5.0
) -> Iterator[Hit]:
    """Rewards are spread so widely, or so unevenly, that a few of them dominate the batch.

    ## What it looks for
    The first of these that holds:

    - **Variance**: above `variance_max` in the last fifth of the run, if you set it (a warning), or
      above 0.01 for scores from 0 to 1 that a teacher gives.
    - **More than its parts**: a spread more than twice that of all logged parts together, although
      these add up to the mean. It is a warning, or a notice if the task is solved anyway.
    - **Growth**: a spread that has grown to three times its early level. If the outcome is doing
      well, it also has to be wider than all that the mean has gained.
    - **Noise**: single rewards spread by `noise` (5) times their mean size from start to end, while
      the outcome never rises. It is a warning.
    - **Long tails**: a logged histogram of rewards whose farthest 5% account for 30% of all
      differences, or whose tails are equally heavy.
    - **Outliers**: the best or worst reward of a batch is more than ten standard deviations from
      the mean in 8 of 10 points. It is a notice.

    Unless stated, it is a warning if the outcome suffers, otherwise a notice.

    ## Why it matters
    An update follows the sum of the advantages. With long tails, outliers decide that sum.

    ## Usual causes
    1. Outliers or unbounded terms in the reward.
    2. Noise on the reward: a judge that changes its mind, a sensor.
    3. Tasks of different scale in one batch.

    ## What to try
    Clip rewards or rank them. Normalise per task. Average several calls to the judge.

    ## When to ignore it
    Returns that spread because episodes get longer as the policy improves.

    ## Sources
    RL metrics table (reward std moderate, no long tails); TensorBoard Metrics Reference (variance
    below 0.01 for scores from 0 to 1).
    """
    hit = _of_spread(patient, variance_max, noise)
    if hit is None and variance_max is None:
        hit = _long_tails(patient) or _tails(patient)
    if hit is not None:
        yield hit


def _long_tails(patient: Patient) -> Hit | None:
    found = long_tails(patient, "reward")
    if found is None:
        return None
    return Hit(
        series=found.name,
        span=found.span,
        message=f"rewards have {found.words}{so_far(patient)}",
        advice="look at the largest and smallest rewards; clip or rank-normalise them",
        severity=by_outcome(patient),
        causes=("outliers or unbounded terms", "tasks of different scale in one batch"),
        limit=Limit(HELD, "RL metrics table: no long tails"),
    )


def _of_spread(patient: Patient, variance_max: float | None, noise: float) -> Hit | None:
    """What the widths of the batches say, the surest first."""
    spread = _spread(patient)
    if spread is None or len(spread) < MIN_POINTS:
        return None
    if variance_max is not None:
        return _above_limit(spread, variance_max)
    hit = _above_range(patient) or _foreign(patient) or _growing(patient, spread)
    if hit is None and patient.health.struggles and not patient.health.falls:
        hit = _noisy(patient, spread, noise)
    return hit


def _spread(patient: Patient) -> Series | None:
    series = patient.find(*SPREADS.split("|"))
    if series is not None:
        return series
    var = patient.find("reward/var")
    if var is None:
        return None
    root = np.sqrt(np.maximum(var.values, 0.0))
    return Series(var.name, var.steps, root, var.times, var.metric, var.labels)


def _above_limit(spread: Series, variance_max: float) -> Hit | None:
    last = spread.part(-len(late(spread.values)))
    variance = float(np.square(np.median(np.clip(last.values, 0.0, MAX_VALUE))))
    if variance <= variance_max:
        return None
    return Hit(
        series=spread.name,
        span=last.span(),
        message=f"reward variance is {short_number(variance)} at the end, above {variance_max:g}",
        advice="average several calls to the judge, or train longer with a lower learning rate",
        severity="warning",
        causes=("noisy judge", "tasks of different scale in one batch"),
        limit=Limit(variance_max, "your option", from_run=True),
    )


def _above_range(patient: Patient) -> Hit | None:
    """The variance above what a document says for such scores."""
    for series in patient.all("reward/var"):
        held = range_of(patient.run, "reward/var", name=series.name)
        if held is None or held.high is None or len(series) < MIN_POINTS:
            continue
        last = series.part(-len(late(series.values)))
        above = last.values > held.high
        if float(np.mean(above)) < NEARLY_ALL or not far_enough(patient, HALF_DONE):
            continue
        within = np.flatnonzero(series.values <= held.high)
        first = min(int(within[-1]) + 1 if len(within) else 0, len(series) - len(last))
        return Hit(
            series=series.name,
            span=series.span(first),
            message=f"reward variance is {short_number(float(np.median(last.values)))} at the end, "
            f"above {held.high:g}{so_far(patient)}",
            advice="average several calls to the judge, or train longer with a lower learning rate",
            severity=by_outcome(patient),
            causes=("noisy judge", "tasks of different scale in one batch"),
            limit=Limit(held.high, held.source),
        )
    return None


def _foreign(patient: Patient) -> Hit | None:
    """Something that is not part of the reward makes most of its spread."""
    surplus = surplus_of(patient)
    if surplus is None or surplus.times < FOREIGN:
        return None
    return Hit(
        series=surplus.series.name,
        span=surplus.series.span(),
        message=f"standard deviation of the rewards is {short_number(surplus.own)}, but that of "
        f"all their parts together only {short_number(surplus.parts)}",
        advice="find what is added to the reward besides its parts; average or clip it",
        severity="notice" if patient.health.solved else "warning",
        causes=("noise on the reward", "a term that is not logged"),
    )


def _growing(patient: Patient, spread: Series) -> Hit | None:
    ratio = ratio_to_reference(spread.values)
    if not np.isfinite(ratio[-1]) or ratio[-1] <= GREW or patient.health.early:
        return None
    usual = np.flatnonzero(ratio <= GREW)
    first = int(usual[-1]) + 1 if len(usual) else 0
    long = max(MIN_GREW_FOR, min(GREW_FOR, len(spread) // GREW_FOR))
    if len(spread) - first < long or not trend(spread.values, effect=CLEAR).up:
        return None
    if not patient.health.struggles and not _outgrows_the_mean(patient, spread):
        return None
    return Hit(
        series=spread.name,
        span=spread.span(first),
        message=f"spread of the rewards has grown to {short_number(ratio[-1])} times its early level"
        f"{so_far(patient)}",
        advice="look at the largest and smallest rewards; clip or rank-normalise them",
        severity=by_outcome(patient),
        causes=("outliers or unbounded terms", "tasks of different scale in one batch"),
    )


def _outgrows_the_mean(patient: Patient, spread: Series) -> bool:
    """Whether it is wider now than all that the mean gained: larger rewards also differ by more.

    Shares are bounded, and vary most when half of the answers are right.
    """
    mean = patient.find(MEANS.get(spread.metric or "", "reward/mean"))
    if mean is None:
        return True
    if float(mean.values.min()) >= 0.0 and float(mean.values.max()) <= 1.0:
        return False
    gained = abs(late_median(mean.values) - early_median(mean.values))
    return late_median(spread.values) > gained + reference(spread.values)


def _noisy(patient: Patient, spread: Series, noise: float) -> Hit | None:
    """Noise that drowns the reward from the start: its spread is many times its mean size."""
    mean = patient.find("reward/mean", "reward/score_mean")
    if (
        mean is None
        or not far_enough(patient, HALF_DONE)
        or not (spread.metric or "").startswith("reward")
    ):
        return None
    _, widths, means = aligned(spread, mean)
    if len(widths) < MIN_NOISY or patient.outcome is None:
        return None
    ratio = widths / np.maximum(np.abs(means), 1e-12)
    shares = _share_of_extremes(patient)
    if float(np.median(ratio)) < noise or float(np.median(widths)) < NO_SPREAD or shares:
        return None
    return Hit(
        series=spread.name,
        span=spread.span(),
        message=f"rewards spread by {short_number(float(np.median(ratio)))} times their mean size, and "
        "nothing is learned",
        advice="find what adds noise to the reward; average it or clip it",
        severity="warning",
        causes=("noise on the reward", "outliers or unbounded terms"),
    )


def _share_of_extremes(patient: Patient) -> bool:
    """Whether rewards are sparse: nearly all equal, a few that differ; that is not noise."""
    low, high = patient.find("reward/min"), patient.find("reward/max")
    mean = patient.find("reward/mean", "reward/score_mean")
    if low is None or high is None or mean is None:
        return True
    down = float(np.median(mean.values)) - float(np.median(low.values))
    up = float(np.median(high.values)) - float(np.median(mean.values))
    return min(up, down) < LOPSIDED * max(up, down)


def _tails(patient: Patient) -> Hit | None:
    spread = patient.find("reward/std", "reward/score_std")
    mean = patient.find("reward/mean", "reward/score_mean")
    if spread is None or mean is None:
        return None
    for metric, side in (("reward/max", 1.0), ("reward/min", -1.0)):
        edge = patient.find(metric)
        if edge is None:
            continue
        _, far, middle = aligned(edge, mean)
        _, _, width = aligned(edge, spread)
        count = min(len(far), len(width))
        if count < MIN_POINTS:
            continue
        gap = np.clip(side * (far[-count:] - middle[-count:]), -MAX_VALUE, MAX_VALUE)
        away: FloatArray = gap / np.maximum(width[-count:], 1e-9)
        stretches = sustained_above(np.where(width[-count:] > 0, away, 0.0), FAR_OUT)
        if stretches:
            return Hit(
                series=edge.name,
                span=edge.span(len(edge) - count + stretches[-1].first),
                message=f"single rewards are {short_number(float(np.median(away)))} standard "
                "deviations from the mean",
                advice="clip or rank-normalise rewards",
                severity="notice",
                causes=("outliers or unbounded terms",),
            )
    return None
