"""ADV002."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity, Span
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
    While the outcome does not do well: advantages that are not normalised and spread by more than
    `most` (100) in 8 of 10 updates over half of the run; or three jumps of their spread to five
    times its usual size within fifty updates. While it does well, the jumps are a notice. A largest
    advantage of more than ten spreads in 8 of 10 updates is a notice, or a warning while the
    outcome falls. A logged histogram of advantages whose farthest 5 % hold 30 % of all that they
    differ by, or that leans to one side (a skew beyond 1), in most of the last fifth: a notice, or a
    warning where the outcome suffers.

    ## Why it matters
    The gradient is a sum weighted by advantages. One sample with a hundred times the weight decides
    it.

    ## Usual causes
    1. Advantages are not normalised, and rewards are large.
    2. Outliers among the rewards (REW007).
    3. Division by a tiny spread within a group.
    4. A critic that fails.

    ## What to try
    Normalise advantages per batch; clip rewards; raise the epsilon under the group's spread, or do
    not divide by it.

    ## When to ignore it
    Sparse rewards, in which the few that succeed should weigh much.

    ## Sources
    RL metrics table (balanced distribution); Training Metrics Glossary (extreme spread means
    instability); the Dr. GRPO paper on dividing by the spread.
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
            message=f"advantages spread by {middle:.3g} and are not normalised",
            advice="normalise advantages per batch, or scale rewards down",
            causes=("advantages not normalised", "rewards too large"),
            limit=patient.limit(None, otherwise=most, why="normalised advantages spread by 1"),
        )
    jumps = spikes(series.values, ratio=JUMP)
    close = [int(i) for i in jumps if int(((jumps >= i) & (jumps < i + WITHIN)).sum()) >= MANY]
    if close:
        severity: Severity = "warning" if sick else "notice"
        return Hit(
            series=series.name,
            span=Span(int(series.steps[close[0]]), int(series.steps[jumps[-1]]), len(jumps)),
            message=f"spread of the advantages jumped to five times its usual size {len(jumps)} times",
            advice="clip rewards or advantages; look for groups with hardly any spread",
            severity=severity,
            causes=("outliers among the rewards", "division by a tiny spread", "critic fails"),
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
        advice="clip rewards or advantages; look at the samples that weigh most",
        severity=by_outcome(patient),
        causes=("outliers among the rewards", "a reward that is seldom given"),
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
        message=f"largest advantage {np.median(ratio):.3g} spreads from zero",
        advice="clip advantages, or look for outlying rewards",
        severity="warning" if patient.health.falls else "notice",
        causes=("outliers among the rewards",),
    )
