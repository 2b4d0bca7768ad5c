"""ADV001."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Series, Span
from runvitals.model.formatting import number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far, suffers
from runvitals.signals.baseline import reference
from runvitals.signals.crossing import Stretch, sustained_above, sustained_below
from runvitals.signals.pairs import aligned

MIN_OF_SPREAD, MIN_OF_BOTH = 20, 30  # points (judgement)
NO_SPREAD = 1e-4  # normalised advantages spread by 1
COLLAPSED = 0.05  # of the early spread (judgement)
NEED = 9  # of 10 updates: a spread that comes back has not collapsed
LASTS, TO_THE_END = 10, 2  # updates, of which the last may lie so far from the end (judgement)
OFF_CENTRE = 0.5  # spreads; centred at 0 is healthy (RL metrics table)
FAR_OFF = 1.0  # spreads (judgement)
NORMALISED = 1.0  # the spread of normalised advantages, where none was logged
FLIPS_BY = 0.2  # spreads to either side, lastingly: noise about zero stays far below (judgement)


@rule(
    "ADV001",
    "advantage-off-centre-or-collapsed",
    severity="warning",
    needs=["advantage/std|advantage/mean"],
    families=["policy-gradient"],
)
def advantage_off_centre_or_collapsed(
    patient: Patient, *, mean_limit: float | None = None
) -> Iterator[Hit]:
    """Advantages are not centred around zero, or have collapsed to it.

    ## What it looks for
    Advantages that have collapsed, unless the task is solved: their standard deviation is below
    1e-4, or below 5% of its early level, for at least the last 10 updates.

    Otherwise, a mean that is off centre:

    - It is more than half a standard deviation from zero (or `mean_limit`) in 8 of 10 updates, over
      half of the run.
    - Or it changes sign: it stays a fifth of a standard deviation on one side of zero for at least
      10 updates, then on the other side.

    If no standard deviation of the advantages was logged, that of the returns is used. If that is
    missing too, 1 is used, as for normalised advantages.

    A collapse is a warning if the outcome is not doing well. For an off-centre mean to be a
    warning, it must also be a full standard deviation off, or the outcome must be clearly bad.
    Everything else is a notice, because tools log this number before or after normalising, per
    token or per sample.

    ## Why it matters
    An offset pushes up or down the probability of every action taken, good or bad. A collapse
    leaves nothing to learn from.

    ## Usual causes
    1. All rewards are equal (REW004, REW009).
    2. Normalisation is missing, or uses the wrong axis or mask.
    3. The critic is off by a constant.
    4. There is one sample per group, so the advantage is the raw reward.

    ## What to try
    Print the rewards of one group. Check the axis and the mask of the advantage normalisation.

    ## When to ignore it
    The task is solved and every advantage is zero.

    ## Sources
    RL metrics table (advantages centred at 0); Training Metrics Glossary (sign flips, collapse);
    Training Metrics and Telemetry.
    """
    hit = _collapsed(patient) or _off_centre(patient, mean_limit)
    if hit is not None:
        yield hit


def _collapsed(patient: Patient) -> Hit | None:
    std = patient.find("advantage/std")
    if std is None or len(std) < MIN_OF_SPREAD or patient.health.solved or patient.health.early:
        return None
    bound = max(NO_SPREAD, COLLAPSED * max(reference(std.values), 0.0))
    stretches = sustained_below(std.values, bound, need=NEED)
    last = stretches[-1] if stretches else None
    if last is None or last.beyond < LASTS or last.last < len(std) - TO_THE_END:
        return None
    return Hit(
        series=std.name,
        span=last.span(std),
        message=f"advantages have collapsed: standard deviation below {number(bound, 2)} "
        f"in {last.beyond:,} updates, now {number(std.last, 2)}"
        f"{so_far(patient)}",
        advice="print the rewards of one batch; if they are all equal, fix the reward",
        severity=by_outcome(patient),
        causes=("all rewards are equal", "the critic sees the return (a leak)"),
        limit=patient.limit(None, otherwise=bound, why="1e-4, or 5% of its early level"),
    )


def _off_centre(patient: Patient, mean_limit: float | None) -> Hit | None:
    mean = patient.find("advantage/mean")
    if mean is None or len(mean) < MIN_OF_BOTH:
        return None
    steps, means, widths = _beside_spread(patient, mean)
    if len(steps) < MIN_OF_BOTH or float(np.median(widths)) <= 1e-9:
        return None
    away = means / np.maximum(widths, 1e-12)
    bound = OFF_CENTRE if mean_limit is None else mean_limit
    stretch = max(sustained_above(np.abs(away), bound), key=lambda s: s.beyond, default=None)
    flip = _flip(away)
    if stretch is not None and stretch.beyond >= len(away) // 2:
        middle = float(np.median(np.abs(away[stretch.first : stretch.last + 1])))
        message = (
            f"mean advantage is {number(middle, 2)} standard deviations from zero "
            f"in {stretch.beyond:,} updates"
        )
        gross = middle > FAR_OFF
    elif flip is not None:
        stretch, gross = flip, False
        message = f"mean advantage changes sign at step {int(steps[flip.last]):,}"
    else:
        return None
    if flip is not None and flip is not stretch:
        message += ", on both sides of it"
    return Hit(
        series=mean.name,
        span=Span(
            int(steps[stretch.first]), int(steps[stretch.last]), stretch.last - stretch.first + 1
        ),
        message=f"{message}{so_far(patient)}",
        advice="check the axis and the mask of the advantage normalisation",
        severity="warning"
        if suffers(patient) or (gross and patient.health.struggles)
        else "notice",
        causes=("normalisation missing or over the wrong axis", "critic off by a constant"),
    )


def _beside_spread(patient: Patient, mean: Series) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The mean at each step, and by how much the advantages spread there."""
    std = patient.find("advantage/std")
    if std is not None:
        return aligned(mean, std)
    var = patient.find("returns/var")
    usual = float(np.sqrt(max(float(np.median(var.values)), 0.0))) if var is not None else 0.0
    return mean.steps.astype(np.float64), mean.values, np.full(len(mean), usual or NORMALISED)


def _flip(away: FloatArray) -> Stretch | None:
    """From the first stretch on one side of zero to the first on the other; None if there is none."""
    sides = sorted(
        [(one, 1) for one in sustained_above(away, FLIPS_BY)]
        + [(one, -1) for one in sustained_below(away, -FLIPS_BY)],
        key=lambda entry: entry[0].first,
    )
    for (one, side), (other, opposite) in itertools.pairwise(sides):
        if side != opposite and min(one.beyond, other.beyond) >= LASTS:
            return Stretch(one.first, other.first, one.beyond)
    return None
