"""POL004."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import sustained_above

SINGLE, HALF = 1e-3, 0.02  # what rounding may leave in fp32, and in bf16 or fp16


@rule(
    "POL004",
    "first-minibatch-ratio-not-one",
    severity="critical",
    needs=["policy/ratio_abs_dev"],
    families=["policy-gradient"],
)
def first_minibatch_ratio_not_one(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """Before any update, the new policy already differs from the old one.

    ## What it looks for
    `policy/ratio_abs_dev` of an update's first minibatch (label `minibatch=first`) above the limit
    in 8 of 10 updates. The limit is 0.001, or 0.02 for language models and half precision. A notice
    while the outcome is doing well.

    ## Why it matters
    At the first minibatch nothing has been updated yet, so the ratio is 1 in exact arithmetic. If
    it is not, the stored log-probabilities are not those of the policy that acted, and every
    gradient is computed from a wrong ratio.

    ## Usual causes
    1. Old log-probabilities come from another distribution: temperature, action mask, clipped
       action.
    2. Dropout or batch norm is in training mode.
    3. An observation normaliser was updated between rollout and update.
    4. Minibatch indices are shuffled or misaligned.
    5. Different batch sizes use different kernels.

    ## What to try
    Assert that both are equal on one batch. Freeze normaliser statistics during the update. Put the
    model in evaluation mode when computing log-probabilities.

    ## When to ignore it
    A rollout engine with its own precision, if the mismatch is corrected with importance weights.

    ## Sources
    The 37 implementation details of PPO (the ratio must start at 1); NeMo-RL on log-probability
    errors.
    """
    deviation = _of_first_minibatch(patient)
    if deviation is None:
        return
    low_precision = patient.kind == "llm-rl" or "16" in str(patient.setting("precision"))
    bound = patient.limit(
        limit,
        otherwise=HALF if low_precision else SINGLE,
        why="what rounding may leave",
    )
    stretches = sustained_above(deviation.values, bound.value)
    if not stretches:
        return
    stretch = max(stretches, key=lambda one: one.beyond)
    middle = float(np.median(deviation.values[stretch.first : stretch.last + 1]))
    yield Hit(
        series=deviation.name,
        span=stretch.span(deviation),
        message=(
            f"ratio of the first minibatch is off by {middle:.3g} in {stretch.beyond:,} updates; "
            "before any update it should be 1"
        ),
        advice=(
            "compare stored and recomputed log-probabilities of one batch: check temperature, mask, "
            "normaliser and row order"
        ),
        severity="notice" if patient.health.good else "critical",
        causes=(
            "old log-probabilities from another distribution",
            "dropout or batch norm in training mode",
            "a normaliser updated between rollout and update",
            "misaligned rows",
        ),
        limit=bound,
    )


def _of_first_minibatch(patient: Patient) -> Series | None:
    for series in patient.all("policy/ratio_abs_dev"):
        if series.labels.get("minibatch") == "first" or "minibatch=first" in series.name:
            return series
    return None
