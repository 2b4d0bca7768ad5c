from runvitals.rules.kit import Hit, Patient, rule, stretch
from runvitals.rules.outcome.health import statement

# times its lowest: a held-out loss above it alarms (healthy logs: up to 1.064; sick ones: from 1.093)
WORSE = 1.08
CAUSES = ("too many epochs", "too few samples", "learning rate too high")


@rule("SFT003", verdict="overfitting", needs=["outcome"])
def sft_overfit(patient: Patient) -> Hit | None:
    """Held-out loss rises again while training loss still falls.

    ## What it looks for
    Training gets better, while the held-out outcome is clearly worse than its best or never got
    better. A held-out loss that rises beside a held-out accuracy or score that is good is a notice
    while that still rises, or up to 8% above its lowest: beyond that the model grows sure of its
    mistakes.

    ## Why it matters
    The model memorises its training samples and forgets what it could do.

    ## Usual causes
    1. Too many epochs.
    2. Too few samples.
    3. Learning rate or adapter rank too high.

    ## What to try
    Keep the checkpoint with the lowest held-out loss, and stop there next time. Add data.

    ## When to ignore it
    The metric you select checkpoints by still improves: loss and skill can diverge.

    ## Sources
    ftdoctor (10 of 24 apparent overfits were noise); SageMaker Debugger (Overfit); runmedic.
    """
    held_out, loss = patient.held_out, patient.health.outcomes.held_out_loss
    worse = next((one for one in (held_out, loss) if one is not None and one.course.falls), None)
    advice = "use more samples or fewer epochs"
    if worse is not None:
        step = int(worse.series.steps[worse.course.best_index])
        advice = f"keep the checkpoint from step {step:,}, and train for fewer epochs"
    hit = statement(patient, "SFT003", advice=advice, causes=CAUSES)
    if hit is not None or worse is None or worse is not loss or not patient.health.good:
        return hit
    still_better = held_out is not None and held_out.course.rising
    alarming = loss.course.now <= WORSE * loss.course.best and not still_better
    return stretch(loss.series, loss.course.best_index).hit(
        f"held-out loss rose from {loss.shown(loss.course.best):.3g} to "
        f"{loss.shown(loss.course.now):.3g}, although {patient.health.reason}",
        advice=advice,
        severity=None if alarming else "notice",
        causes=CAUSES,
    )
