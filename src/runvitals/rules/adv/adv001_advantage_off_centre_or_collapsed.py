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
    if std is not None and len(std) >= 20 and sick:
        bound = max(1e-4, 0.01 * max(reference(std.values), 0.0))
        stretches = sustained_below(std.values, bound, need=9)
        last = stretches[-1] if stretches else None
        if last is not None and last.beyond >= 10 and last.last >= len(std) - 2:
            yield Hit(
                series=std.name,
                span=last.span(std),
                message=f"advantages collapsed: spread {std.last:.2g} in {last.beyond} updates",
                advice="print the rewards of one batch: if they are equal, the reward is the fault",
                causes=("all rewards equal", "critic sees the return: a leak"),
                limit=patient.limit(None, otherwise=bound, why="1e-4, or 1 % of its early level"),
            )
            return
    if std is None or mean is None or len(mean) < 30:
        return
    steps, means, widths = aligned(mean, std)
    if len(steps) < 30 or float(np.median(widths)) <= 1e-9:
        return
    away = np.abs(means) / np.maximum(widths, 1e-12)
    bound = 0.5 if mean_limit is None else mean_limit
    stretch = max(sustained_above(away, bound), key=lambda s: s.beyond, default=None)
    if stretch is None or stretch.beyond < len(away) // 2:
        return
    middle = float(np.median(away[stretch.first : stretch.last + 1]))
    severity: Severity = "warning" if sick and middle > 1.0 else "notice"
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
