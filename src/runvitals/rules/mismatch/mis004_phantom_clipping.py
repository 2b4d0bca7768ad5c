from runvitals.rules.kit import Hit, Patient, above, rule

CLIPPED = "policy/clip_fraction"


@rule("MIS004", needs=[CLIPPED], min_points=12, excused_by_outcome=True)
def phantom_clipping(patient: Patient, *, limit: float = 0.002) -> Hit | None:
    """Tokens are clipped before anything was updated.

    ## What it looks for
    A clip fraction above 0.2% for a fifth of the run, in the first minibatch of each update (label
    `minibatch=first`), or in runs whose settings make one update per batch: one epoch, one minibatch.

    ## Why it matters
    Before the first update the ratio is 1 in exact arithmetic, and nothing can be clipped. What is
    clipped there is precision or another engine, and its gradient is lost.

    ## Usual causes
    1. Old log-probabilities come from the rollout engine and not from the trainer.
    2. bf16 on one side, fp32 on the other.
    3. Other experts are chosen, or dropout is on.

    ## What to try
    Recompute old log-probabilities in the trainer, in fp32 (`bypass_mode=False` in veRL), or correct
    with truncated importance weights.

    ## When to ignore it
    The trainer makes several updates per batch that the settings do not tell.

    ## Sources
    Yao et al. (2025), off-policy RL by rollout and training engines; veRL's rollout correction.
    """
    first = [one for one in patient.all(CLIPPED) if one.labels.get("minibatch") == "first"]
    series = first[0] if first else patient[CLIPPED] if _one_update(patient) else None
    found = above(series, limit, to_end=True)
    return found and found.hit(
        f"{found.level:.1%} of the tokens are clipped before the first update",
        advice="recompute old log-probabilities in the trainer, in fp32",
        causes=("log-probabilities of the rollout engine are taken as old ones", "precision"),
    )


def _one_update(patient: Patient) -> bool:
    """True if the settings say that each batch is used for exactly one update."""
    config = patient.run.config
    if patient.number("epochs_per_batch") != 1:
        return False
    if "ppo_mini_batch_size" in config:
        return bool(config["ppo_mini_batch_size"] == config.get("train_batch_size"))
    steps = config.get("steps_per_generation")
    return steps is not None and steps == config.get("gradient_accumulation_steps")
