"""VAL005."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.signals.crossing import sustained_above

LASTS, AT_THE_END = 20, 5  # updates, and how far from the end they may stop (judgement)


@rule(
    "VAL005",
    "value-clip-high",
    severity="notice",
    needs=["value/clip_fraction"],
    families=["policy-gradient"],
)
def value_clip_high(patient: Patient, *, limit: float = 0.2) -> Iterator[Hit]:
    """Many of the critic's updates are clipped.

    ## What it looks for
    `value/clip_fraction` above 0.2 (`limit`) in 8 of 10 updates: a notice. It is a warning if it
    lasts for at least 20 updates and to the end while the outcome is not doing well.

    ## Why it matters
    The clip range is in the unit of the returns. A range that suits returns of 1 paralyses a critic
    of returns of 500.

    ## Usual causes
    1. The clip range is too small for the scale of the returns.
    2. The critic moves too fast.

    ## What to try
    Scale the clip range to the returns, or turn it off. Use fewer epochs for the critic.

    ## When to ignore it
    Early in training, when values still have a long way to go.

    ## Sources
    RL metrics table (value clip fraction should be low).
    """
    clipped = patient.after_warm_up(patient["value/clip_fraction"])
    stretches = sustained_above(clipped.values, limit)
    if not stretches:
        return
    stretch = max(stretches, key=lambda s: s.beyond)
    middle = float(np.median(clipped.values[stretch.first : stretch.last + 1]))
    lasting = stretch.beyond >= LASTS and stretch.last >= len(clipped) - AT_THE_END
    yield Hit(
        series=clipped.name,
        span=clipped.span(stretch.first, stretch.last),
        message=f"{middle:.0%} of the value predictions are clipped, over {stretch.beyond:,} updates"
        f"{so_far(patient)}",
        advice="scale the value clip range to the returns, or turn it off",
        severity=by_outcome(patient) if lasting else "notice",
        causes=("clip range too small for the returns", "critic moves too fast"),
        limit=patient.limit(None, otherwise=limit, why="usual for clipped value losses"),
    )
