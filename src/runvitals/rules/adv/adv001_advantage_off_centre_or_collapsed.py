"""ADV001."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity, Span
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.baseline import reference
from runvitals.signals.crossing import sustained_above, sustained_below
from runvitals.signals.pairs import aligned

LEAST_OF_SPREAD, LEAST_OF_BOTH = 20, 30  # points (judgement)
NO_SPREAD = 1e-4  # normalised advantages spread by 1
COLLAPSED = 0.01  # of the early spread (judgement)
NEED = 9  # of 10 updates: a spread that comes back has not collapsed
LASTS, TO_THE_END = 10, 2  # updates, of which the last may lie so far from the end (judgement)
OFF_CENTRE = 0.5  # spreads; centred at 0 is healthy (RL metrics table)
FAR_OFF = 1.0  # spreads (judgement)


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
    A spread of the advantages below 1e-4, or below 1 % of its early level, for at least 10 updates
    to the end: a warning while the outcome does not do well. Else a mean beyond half a spread (or
    `mean_limit`) in 8 of 10 updates over half of the run: a warning beyond a full spread while the
    outcome does not do well, otherwise a notice, since tools log this number before or after
    normalising, per token or per sample.

    ## Why it matters
    An offset pushes the probability of everything that was done, good or bad. A collapse teaches
    nothing.

    ## Usual causes
    1. All rewards are equal (REW004, REW009).
    2. Normalisation is missing, or runs over the wrong axis or mask.
    3. The critic is off by a constant.
    4. One sample per group: the advantage is the raw reward.

    ## What to try
    Print the rewards of one group, and check axis and mask of the normalisation.

    ## When to ignore it
    A solved task, in which every advantage is zero.

    ## Sources
    RL metrics table (advantages centred at 0); Training Metrics Glossary (sign flips, collapse);
    Training Metrics and Telemetry.
    """
    std, mean = patient.find("advantage/std"), patient.find("advantage/mean")
    sick = patient.health.struggles
    if std is not None and len(std) >= LEAST_OF_SPREAD and sick:
        bound = max(NO_SPREAD, COLLAPSED * max(reference(std.values), 0.0))
        stretches = sustained_below(std.values, bound, need=NEED)
        last = stretches[-1] if stretches else None
        if last is not None and last.beyond >= LASTS and last.last >= len(std) - TO_THE_END:
            yield Hit(
                series=std.name,
                span=last.span(std),
                message=f"advantages collapsed: spread {std.last:.2g} in {last.beyond} updates",
                advice="print the rewards of one batch: if they are equal, the reward is the fault",
                causes=("all rewards equal", "critic sees the return: a leak"),
                limit=patient.limit(None, otherwise=bound, why="1e-4, or 1 % of its early level"),
            )
            return
    if std is None or mean is None or len(mean) < LEAST_OF_BOTH:
        return
    steps, means, widths = aligned(mean, std)
    if len(steps) < LEAST_OF_BOTH or float(np.median(widths)) <= 1e-9:
        return
    away = np.abs(means) / np.maximum(widths, 1e-12)
    bound = OFF_CENTRE if mean_limit is None else mean_limit
    stretch = max(sustained_above(away, bound), key=lambda s: s.beyond, default=None)
    if stretch is None or stretch.beyond < len(away) // 2:
        return
    middle = float(np.median(away[stretch.first : stretch.last + 1]))
    severity: Severity = "warning" if sick and middle > FAR_OFF else "notice"
    yield Hit(
        series=mean.name,
        span=Span(
            int(steps[stretch.first]), int(steps[stretch.last]), stretch.last - stretch.first + 1
        ),
        message=f"advantages lie {middle:.2g} spreads off zero over {stretch.beyond} updates",
        advice="check axis and mask of the normalisation of advantages",
        severity=severity,
        causes=("normalisation missing or over the wrong axis", "critic off by a constant"),
    )
