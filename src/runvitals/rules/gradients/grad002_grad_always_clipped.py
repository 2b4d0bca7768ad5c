from runvitals.rules.gradients import NORMS
from runvitals.rules.kit import Hit, Patient, above, number, rule


@rule("GRAD002", needs=[NORMS], excused_by_outcome=True, min_points=20, waits=True)
def grad_always_clipped(patient: Patient, *, ratio: float = 2.0) -> Hit | None:
    """Every gradient is clipped, so the clip sets the step size instead of the learning rate.

    ## What it looks for
    The level of the gradient norm before clipping is above `ratio` (2) times the run's
    `max_grad_norm` for at least 30% of the run, up to its end. Many good runs train this way, so it
    is a notice unless the outcome is not doing well.

    ## Why it matters
    Clipping keeps the direction of a gradient and discards its size. If gradients are cut to a
    thousandth, nothing is learned.

    ## Usual causes
    1. The threshold is too small for this model.
    2. The loss is summed instead of averaged.
    3. Rewards or values are on too large a scale.

    ## What to try
    Check how the loss is reduced and the scale of rewards. Then raise `max_grad_norm`, or lower the
    learning rate deliberately.

    ## When to ignore it
    Large models with a threshold of 1, which is meant to be reached.

    ## Sources
    Training Monitoring Guide (norm below max_grad_norm); TRL (logs the norm before clipping).
    """
    norm = patient[NORMS]
    limit = patient.limit(None, setting="max_grad_norm", times=ratio, otherwise=0.0, why="")
    found = above(norm, limit, for_share=0.3, to_end=True) if limit.value > 0 else None
    if found is None:
        return None
    clip = limit.value / ratio
    when = "always clipped" if found.first == 0 else f"clipped since step {found.step:,}"
    return found.hit(
        f"gradients are {when}: median norm {number(found.level, 3)}, cut to {clip:g}",
        advice="check the scale of the loss and of rewards, then raise max_grad_norm "
        f"(this run: {clip:g})",
        causes=(
            "clip threshold too small for this model",
            "loss summed instead of averaged",
            "rewards or values too large",
        ),
    )
