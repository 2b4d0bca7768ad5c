from runvitals.rules.gradients import NORMS
from runvitals.rules.kit import Hit, Patient, counted, number, rule, spiked

MANY = 3  # spikes: fewer may be odd batches, from which a run recovers (judgement)


@rule("GRAD001", severity="notice", needs=[NORMS], min_points=20)
def grad_norm_spike(patient: Patient, *, factor: float = 10.0) -> Hit | None:
    """The gradient norm jumps to ten times its usual size.

    ## What it looks for
    Norms that are `factor` (10) times the median of the 50 points before and eight robust
    deviations above it, after the warm-up. Norms below the run's `max_grad_norm` never count.

    It is a warning if there are at least three and the outcome is clearly bad, otherwise a notice.

    ## Why it matters
    One step along such a gradient can undo thousands, unless it is clipped.

    ## Usual causes
    1. A bad batch.
    2. Learning rate too high, or no warm-up.
    3. Numerical instability.
    4. A rare token with an enormous ratio.

    ## What to try
    Clip the norm, log the samples of that step, and add a warm-up.

    ## When to ignore it
    Single spikes that are clipped, and single infinite norms under fp16 loss scaling.

    ## Sources
    Training Metrics Glossary (ten times the usual norm); Training Monitoring Guide; a DanceGRPO
    thread, solved by a smaller `max_grad_norm`.
    """
    norm = patient.after_warm_up(patient[NORMS])
    found = spiked(norm, factor, least=patient.number("max_grad_norm") or 0.0)
    if found is None:
        return None
    highest = found.first + int((norm.values[found.first :] == found.level).argmax())
    return found.hit(
        f"{counted(found.count, 'gradient spike')} of {'up to ' * (found.count > 1)}"
        f"{number(found.level, 3)} at step {int(norm.steps[highest]):,} "
        f"(median {number(found.before, 3)})",
        advice="clip the gradient norm, and look at the batch of that step",
        causes=("a bad batch", "learning rate too high or no warm-up", "numerical instability"),
        severity="warning" if found.count >= MANY and patient.health.bad else None,
    )
