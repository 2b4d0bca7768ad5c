from runvitals.rules.kit import Hit, Patient, above, rule

SINGLE, HALF = 1e-3, 0.02  # what rounding may leave in fp32, and in bf16 or fp16


@rule(
    "POL004",
    severity="critical",
    needs=["policy/ratio_abs_dev"],
    excused_by_outcome=True,
    min_points=12,
)
def first_minibatch_ratio_not_one(patient: Patient, *, limit: float | None = None) -> Hit | None:
    """Before any update, the new policy already differs from the old one.

    ## What it looks for
    `policy/ratio_abs_dev` of an update's first minibatch (label `minibatch=first`) above the limit
    for a fifth of the run. The limit is 0.001, or 0.02 for language models and half precision. For
    language models, whose rollouts often come from another engine, it is a notice unless the outcome
    is not doing well.

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
    low_precision = patient.kind == "llm-rl" or "16" in str(patient.setting("precision"))
    rounding = HALF if low_precision else SINGLE
    bound = patient.limit(limit, otherwise=rounding, why="what rounding may leave")
    for series in patient.all("policy/ratio_abs_dev"):
        first = series.labels.get("minibatch") == "first" or "minibatch=first" in series.name
        found = above(series, bound) if first else None
        if found is not None:
            return found.hit(
                f"ratio of the first minibatch is off by {found.level:.3g} in {found.count:,} "
                "updates; before any update it should be 1",
                advice="compare stored and recomputed log-probabilities of one batch: check "
                "temperature, mask, normaliser and row order",
                causes=(
                    "old log-probabilities from another distribution",
                    "dropout or batch norm in training mode",
                    "a normaliser updated between rollout and update",
                    "misaligned rows",
                ),
                beyond_excuse=patient.kind != "llm-rl",
            )
    return None
