"""GRAD003."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Severity
from runvitals.rules.gradients._kit import NORMS, is_sick
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.baseline import ratio_to_reference
from runvitals.signals.crossing import sustained_below

MIN_POINTS = 20  # judgement
WORTH_KNOWING, MOST, ALL_BUT_A_FEW = 0.2, 0.7, 0.95  # of the norms that are 0 (judgement)
FADED = 0.05  # of the early level (judgement)
LASTS, AT_THE_END = 20, 3  # points, and how far from the end they may stop (judgement)
SMALL, DECIMALS = 0.05, 3  # norms of which rounding to this many decimals makes 0


@rule(
    "GRAD003",
    "grad-vanishing-or-zero",
    severity="warning",
    verdict="not learning",
    needs=[NORMS],
)
def grad_vanishing_or_zero(patient: Patient, *, zeros: float = 0.4) -> Iterator[Hit]:
    """The gradient is zero in many steps, or has faded to almost nothing.

    ## What it looks for
    Norms of exactly zero:

    - Notice: in more than 20% of the points.
    - Warning: in more than 40% (`zeros`).
    - Critical: in more than 70%.

    While the outcome is doing well, it is a notice at most. Otherwise, a norm below 5% of its
    early level in at least the last 20 points, while the outcome is flat or falls.

    ## Why it matters
    A step with a zero gradient costs as much as any other and changes nothing.

    ## Usual causes
    1. All groups are tied (REW009), or all labels are masked.
    2. The policy is saturated: it is certain of every action.
    3. The loss is multiplied by zero, or detached.

    ## What to try
    If groups with equal rewards explain it, fix the rewards, not the optimiser.

    ## When to ignore it
    The task is solved, or the log rounds small norms to zero.

    ## Sources
    TRL and verl (share of groups with no spread); SageMaker Debugger (vanishing gradient).
    """
    norm = patient[NORMS]
    if len(norm) < MIN_POINTS or patient.health.early or _rounded(norm.values):
        return
    zero = norm.values == 0.0
    share = float(zero.mean())
    late = float(zero[len(zero) // 2 :].mean())
    if share > WORTH_KNOWING and late > WORTH_KNOWING:
        severity: Severity = (
            "critical" if share > MOST else "warning" if share > zeros else "notice"
        )
        if patient.health.good or (patient.health.unknown and share < ALL_BUT_A_FEW):
            severity = "notice"
        first = int(np.argmax(zero))
        yield Hit(
            series=norm.name,
            span=norm.span(first),
            message=f"gradient norm is exactly 0 in {share:.0%} of {len(norm):,} logged steps",
            advice="look for groups or batches with equal rewards, and for masked labels",
            severity=severity,
            causes=("all groups tied", "all labels masked", "loss detached or multiplied by zero"),
        )
        return
    if not is_sick(patient):
        return
    ratio = ratio_to_reference(norm.values)
    stretches = sustained_below(ratio, FADED)
    if stretches and stretches[-1].beyond >= LASTS and stretches[-1].last >= len(norm) - AT_THE_END:
        yield Hit(
            series=norm.name,
            span=stretches[-1].span(norm),
            message=f"gradient norm has faded to {ratio[-1]:.1%} of its early level",
            advice="check the entropy: a policy that is certain of every action has no gradient",
            causes=("saturated policy", "all groups tied"),
        )


def _rounded(values: FloatArray) -> bool:
    """Whether the log holds so few decimals that small norms read as 0."""
    some = values[values != 0]
    return (
        len(some) > 0
        and float(np.abs(some).max()) < SMALL
        and bool(np.allclose(some, np.round(some, DECIMALS), rtol=0, atol=1e-9))
    )
