"""ADV002."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity, Span
from runvitals.model.formatting import number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.rules.uneven import HELD, long_tails, lopsided
from runvitals.signals.crossing import sustained_above
from runvitals.signals.pairs import aligned
from runvitals.signals.spikes import spikes

MIN_POINTS = 30  # judgement
JUMP = 5.0  # times the usual spread (judgement)
MANY, WITHIN = 3, 50  # jumps, and the points within which they belong together (judgement)
FAR_OUT = 10.0  # spreads from zero; of a million normal numbers none is beyond 6
LASTS = 20  # updates (judgement)


@rule(
    "ADV002",
    "advantage-extreme",
    severity="warning",
    needs=["advantage/std|advantage/abs_mean|histogram:advantage"],
    families=["policy-gradient"],
)
def advantage_extreme(patient: Patient, *, most: float = 100.0) -> Iterator[Hit]:
    """A few advantages are so large that they dominate the update.

    ## What it looks for
    Any of these:

    - Advantages that are not normalised: their standard deviation is above `most` (100) in 8 of 10
      updates, over half of the run, while the outcome is not doing well. This is a warning.
    - Three jumps of their standard deviation to five times its usual size within 50 updates. This
      is a warning if the outcome is not doing well, otherwise a notice.
    - A largest advantage of more than ten standard deviations in 8 of 10 updates. This is a notice,
      or a warning if the outcome falls.
    - Logged histograms of advantages with long tails (the farthest 5% account for 30% of all
      deviation) or a skew beyond 1, in most of the last fifth of the run. This is a notice, or a
      warning if the outcome is not doing well.

    ## Why it matters
    The gradient is a sum weighted by advantages. A sample with a hundred times the usual weight
    decides it alone.

    ## Usual causes
    1. Advantages are not normalised, and rewards are large.
    2. Some rewards are outliers (REW007).
    3. Advantages are divided by a tiny standard deviation within a group.
    4. The critic fails.

    ## What to try
    Normalise advantages per batch and clip rewards. In groups, raise the epsilon added to the
    standard deviation, or do not divide by it.

    ## When to ignore it
    Rewards are sparse, and the few successes should carry a lot of weight.

    ## Sources
    RL metrics table (balanced distribution); Training Metrics Glossary (an extreme spread means
    instability); the Dr. GRPO paper on dividing by the standard deviation.
    """
    series = patient.find("advantage/std", "advantage/abs_mean")
    hit = None
    if series is not None and len(series) >= MIN_POINTS and not patient.health.early:
        hit = _wide(patient, series, most)
    hit = hit or _longest(patient) or _uneven(patient)
    if hit is not None:
        yield hit


def _wide(patient: Patient, series: Series, most: float) -> Hit | None:
    """A spread that is large for long, or jumps again and again."""
    sick = patient.health.struggles
    large = max(sustained_above(series.values, most), key=lambda s: s.beyond, default=None)
    if sick and large is not None and large.beyond >= len(series) // 2:
        middle = float(np.median(series.values[large.first : large.last + 1]))
        return Hit(
            series=series.name,
            span=large.span(series),
            message=f"advantages are not normalised: standard deviation {number(middle, 3)}",
            advice="normalise advantages per batch, or scale rewards down",
            causes=("advantages not normalised", "rewards too large"),
            limit=patient.limit(
                None, otherwise=most, why="normalised advantages have a standard deviation of 1"
            ),
        )
    jumps = spikes(series.values, ratio=JUMP)
    close = [int(i) for i in jumps if int(((jumps >= i) & (jumps < i + WITHIN)).sum()) >= MANY]
    if close:
        severity: Severity = "warning" if sick else "notice"
        return Hit(
            series=series.name,
            span=Span(int(series.steps[close[0]]), int(series.steps[jumps[-1]]), len(jumps)),
            message=f"standard deviation of advantages jumped to {JUMP:g} times its usual size "
            f"{len(jumps)} times over",
            advice="clip rewards or advantages; look for groups with nearly equal rewards",
            severity=severity,
            causes=(
                "outliers among the rewards",
                "division by a tiny standard deviation",
                "the critic fails",
            ),
        )
    return None


def _uneven(patient: Patient) -> Hit | None:
    """What logged histograms show."""
    found = long_tails(patient, "advantage") or lopsided(patient, "advantage")
    if found is None or patient.health.early:
        return None
    return Hit(
        series=found.name,
        span=found.span,
        message=f"advantages have {found.words}{so_far(patient)}",
        advice="clip rewards or advantages; look at the samples with the most weight",
        severity=by_outcome(patient),
        causes=("outliers among the rewards", "a reward that is rarely given"),
        limit=Limit(HELD, "RL metrics table: balanced, not skewed"),
    )


def _longest(patient: Patient) -> Hit | None:
    std, top = patient.find("advantage/std"), patient.find("advantage/max")
    if std is None or top is None:
        return None
    steps, high, width = aligned(top, std)
    if len(steps) < MIN_POINTS:
        return None
    ratio = np.where(width > 1e-9, np.clip(high, -1e100, 1e100) / np.maximum(width, 1e-9), 0.0)
    stretch = max(sustained_above(ratio, FAR_OUT), key=lambda s: s.beyond, default=None)
    if stretch is None or stretch.beyond < LASTS:
        return None
    return Hit(
        series=top.name,
        span=Span(int(steps[stretch.first]), int(steps[stretch.last]), stretch.beyond),
        message=f"largest advantage is {number(np.median(ratio), 3)} standard deviations from zero",
        advice="clip advantages, or look for outliers among the rewards",
        severity="warning" if patient.health.falls else "notice",
        causes=("outliers among the rewards",),
    )
