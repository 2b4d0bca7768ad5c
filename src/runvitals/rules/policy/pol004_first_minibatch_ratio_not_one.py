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
    """Before any update the new policy already differs from the old one.

    ## What it looks for
    `policy/ratio_abs_dev` of the first minibatch of an update (label `minibatch=first`) above the
    limit in 8 of 10 updates: 0.001, or 0.02 for language models and half precision. A notice while
    the outcome does well.

    ## Why it matters
    In the first minibatch nothing has been updated yet, so the ratio is 1 in exact arithmetic. If it is
    not, the stored log-probabilities are not those of the policy that acted, and every gradient is
    computed from a wrong ratio.

    ## Usual causes
    1. Old log-probabilities of another distribution: temperature, action mask, clipped action.
    2. Dropout or batch norm in training mode.
    3. A normaliser of observations that was updated between rollout and update.
    4. Shuffled or misaligned indices of the minibatch.
    5. Different kernels for different batch sizes.

    ## What to try
    Assert that both are equal on one batch. Freeze the statistics of normalisers during the update; put
    the model in evaluation mode for log-probabilities.

    ## When to ignore it
    With a rollout engine of its own precision, where the mismatch is corrected by importance weights.

    ## Sources
    The 37 implementation details of PPO (the ratio must be 1 first); NeMo-RL on log-probability errors.
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
            f"ratio of the first minibatch off 1 by {middle:.3g} in {stretch.beyond} updates, "
            "before anything was updated"
        ),
        advice=(
            "compare stored and recomputed log-probabilities of one batch: temperature, mask, "
            "normaliser and order of rows"
        ),
        severity="notice" if patient.health.good else "critical",
        causes=(
            "old log-probabilities of another distribution",
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
