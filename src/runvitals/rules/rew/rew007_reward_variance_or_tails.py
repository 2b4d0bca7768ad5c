"""REW007."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Limit, Series
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.rew._kit import far_enough, span_of
from runvitals.rules.rew._surplus import surplus_of
from runvitals.signals.baseline import ratio_to_reference
from runvitals.signals.crossing import sustained_above
from runvitals.signals.late import late
from runvitals.signals.pairs import aligned
from runvitals.signals.trend import trend

LEAST_POINTS = 20  # judgement
FOREIGN = 2.0  # times the spread of all parts together (judgement)
LARGEST = 1e100  # larger spreads are cut, so that their squares are finite
GREW, GREW_FOR = 3.0, 10  # times its early level, for so many points to the end (judgement)
CLEAR = 2.0  # times the noise, that it has to rise
HALF_DONE, LEAST_NOISY = 0.5, 30  # of the plan, and points: nothing was learned by then (judgement)
NO_SPREAD = 1e-6  # of rewards: rounding
LOPSIDED = 0.3  # of the farther extreme: most rewards lie at the nearer one (judgement)
FAR_OUT = 10.0  # spreads from the mean (judgement): a normal reward never is
SPREADS = "reward/std|reward/score_std|outcome/return_std"


@rule(
    "REW007",
    "reward-variance-or-tails",
    severity="notice",
    needs=[f"{SPREADS}|reward/var"],
    families=["rl"],
)
def reward_variance_or_tails(
    patient: Patient, *, variance_max: float | None = None, noise: float = 5.0
) -> Iterator[Hit]:
    """Rewards are spread so widely, or so unevenly, that a few of them own the batch.

    ## What it looks for
    In this order, the first that holds: the variance above `variance_max` in the last fifth of the
    run, if you set it; a spread more than twice that of all logged parts together, although these
    add up to the mean (warning; a notice if the task is solved all the same); a spread that has
    grown to three times its early level without a better outcome (warning); noise on the reward: a
    spread of single rewards `noise` (5) times their mean size, from the start to the end, while the
    outcome never rises (warning); the best or worst reward of a batch more than ten spreads from
    the mean in 8 of 10 points.

    ## Why it matters
    An update follows the sum of the advantages. With long tails that sum is the outlier's.

    ## Usual causes
    1. Outliers or terms without a bound in the reward.
    2. Noise on the reward: a judge that changes its mind, a sensor.
    3. Tasks of different scale in one batch.

    ## What to try
    Clip rewards or rank them; normalise per task; average several calls of the judge.

    ## When to ignore it
    Returns that spread because episodes grow longer while the policy gets better.

    ## Sources
    RL metrics table (reward std moderate, no long tails); TensorBoard Metrics Reference (variance
    below 0.01 for scores from 0 to 1).
    """
    spread = _spread(patient)
    if spread is None or len(spread) < LEAST_POINTS:
        return
    if variance_max is not None:
        yield from _above_limit(spread, variance_max)
        return
    if (hit := _foreign(patient)) is not None:
        yield hit
        return
    well = patient.health.good or patient.health.silent
    hit = None if well else _growing(spread)
    if hit is None and patient.health.struggles and not patient.health.falls:
        hit = _noisy(patient, spread, noise)
    hit = hit or _tails(patient)
    if hit is not None:
        yield hit


def _spread(patient: Patient) -> Series | None:
    series = patient.find(*SPREADS.split("|"))
    if series is not None:
        return series
    var = patient.find("reward/var")
    if var is None:
        return None
    root = np.sqrt(np.maximum(var.values, 0.0))
    return Series(var.name, var.steps, root, var.times, var.metric, var.labels)


def _above_limit(spread: Series, variance_max: float) -> Iterator[Hit]:
    last = spread.part(-len(late(spread.values)))
    variance = float(np.square(np.median(np.clip(last.values, 0.0, LARGEST))))
    if variance > variance_max:
        yield Hit(
            series=spread.name,
            span=span_of(last),
            message=f"reward variance {variance:.3g} at the end, above {variance_max:g}",
            advice="average several calls of the judge, or train longer with a smaller rate",
            severity="warning",
            causes=("noisy judge", "tasks of different scale in one batch"),
            limit=Limit(variance_max, "your option", from_run=True),
        )


def _foreign(patient: Patient) -> Hit | None:
    """Something that is no part of the reward makes most of its spread."""
    surplus = surplus_of(patient)
    if surplus is None or surplus.times < FOREIGN:
        return None
    return Hit(
        series=surplus.series.name,
        span=span_of(surplus.series),
        message=f"rewards spread by {surplus.own:.3g}, all their parts together by {surplus.parts:.3g}",
        advice="find what is added to the reward besides its parts; average or clip it",
        severity="notice" if patient.health.solved else "warning",
        causes=("noise on the reward", "a term that is not logged"),
    )


def _growing(spread: Series) -> Hit | None:
    ratio = ratio_to_reference(spread.values)
    if not np.isfinite(ratio[-1]) or ratio[-1] <= GREW:
        return None
    usual = np.flatnonzero(ratio <= GREW)
    first = int(usual[-1]) + 1 if len(usual) else 0
    if len(spread) - first < GREW_FOR or not trend(spread.values, effect=CLEAR).up:
        return None
    return Hit(
        series=spread.name,
        span=span_of(spread, first),
        message=f"spread of rewards has grown to {ratio[-1]:.3g} times its early level",
        advice="look at the largest and smallest rewards; clip or rank-normalise them",
        severity="warning",
        causes=("outliers or terms without a bound", "tasks of different scale in one batch"),
    )


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
    if len(widths) < LEAST_NOISY or patient.outcome is None:
        return None
    ratio = widths / np.maximum(np.abs(means), 1e-12)
    shares = _share_of_extremes(patient)
    if float(np.median(ratio)) < noise or float(np.median(widths)) < NO_SPREAD or shares:
        return None
    return Hit(
        series=spread.name,
        span=span_of(spread),
        message=f"rewards spread {np.median(ratio):.3g} times their size, and nothing is learned",
        advice="find what adds noise to the reward; average it or clip it",
        severity="warning",
        causes=("noise on the reward", "outliers or terms without a bound"),
    )


def _share_of_extremes(patient: Patient) -> bool:
    """Whether rewards are sparse: nearly all equal, a few that differ; that is no noise."""
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
        if count < LEAST_POINTS:
            continue
        gap = np.clip(side * (far[-count:] - middle[-count:]), -LARGEST, LARGEST)
        away: FloatArray = gap / np.maximum(width[-count:], 1e-9)
        stretches = sustained_above(np.where(width[-count:] > 0, away, 0.0), FAR_OUT)
        if stretches:
            return Hit(
                series=edge.name,
                span=span_of(edge, len(edge) - count + stretches[-1].first),
                message=f"single rewards lie {np.median(away):.3g} spreads from the mean",
                advice="clip or rank-normalise rewards",
                severity="notice",
                causes=("outliers or terms without a bound",),
            )
    return None
