"""SFT003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.held_out import SCORES
from runvitals.rules.outcome import course
from runvitals.rules.outcome.stated import statement
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.sft._loss import training_loss
from runvitals.signals.crossing import Stretch
from runvitals.signals.held_out import Drop, drop_from_best
from runvitals.signals.late import THIRD, late_median, points_in

MIN_POINTS, MIN_EVALUATIONS = 8, 5  # judgement
ROSE = 0.03  # of the best held-out loss (judgement; ftdoctor: 10 of 24 apparent rises were noise)
ROSE_NATS = 0.01  # at least (judgement)
TIMES_CHANCE = 2  # standard errors, by which a score is below its best
WIDTH, MIN_WIDTH = 10, 3  # a tenth of the points, at least this many, make a level
MANY_EPOCHS = 10.0  # one to five are usual
MANY_EVALUATIONS, MIN_THIRD = 8, 2  # judgement; evaluations in a third of them
# After that: held-out loss is worth a look, training has so little of it left, and it no longer falls.
MIN_HELD_OUT, LEFT = 0.03, 0.05  # nats; of it (judgement)
NO_LONGER_FALLS = 0.93  # of the third before (judgement)
CAUSES = ("too many epochs", "too few samples", "learning rate too high")


@rule(
    "SFT003",
    "sft-overfit",
    severity="warning",
    verdict="overfitting",
    needs=["outcome"],
    families=["sft"],
)
def sft_overfit(patient: Patient, *, least_rise: float | None = None) -> Iterator[Hit]:
    """Held-out loss rises again while training loss still falls.

    ## What it looks for
    Either of these:

    - Of at least five evaluations, the last two or three are above the best ones by 3%
      (`least_rise`), by 0.01 nats and by four times the evaluation's own noise, while the training
      loss has fallen since. It is a notice if a held-out score is at its best.
    - After at least ten epochs, the training loss is below a twentieth of a held-out loss that no
      longer falls.

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
    hit = statement(patient, "SFT003", advice=_advice(patient), causes=CAUSES)
    if hit is not None:
        yield hit
        return
    loss = training_loss(patient)
    held_out = patient.find("eval/loss", "eval/lm/loss")
    if loss is None or held_out is None:
        return
    if len(held_out) < MIN_EVALUATIONS or len(loss) < MIN_POINTS:
        return
    bound = patient.limit(least_rise, otherwise=ROSE, why="beyond the noise of evaluations")
    drop = drop_from_best(-held_out.values)
    if drop is not None and _rises(drop, bound.value) and _falls_since(loss, held_out, drop):
        yield Hit(
            series=held_out.name,
            span=Stretch(drop.best_index, len(held_out) - 1, 0).span(held_out),
            message=f"held-out loss rose from {-drop.best:.3g} to {-drop.now:.3g} since step "
            f"{int(held_out.steps[drop.best_index]):,} while training loss fell",
            advice=f"keep the checkpoint from step {int(held_out.steps[drop.best_index]):,}, and train "
            "for fewer epochs",
            severity="notice" if _score_at_best(patient) or _accuracy_holds(patient) else None,
            causes=CAUSES,
            limit=bound,
            also=(loss.name,),
        )
        return
    hit = _memorised(patient, loss, held_out)
    if hit is not None:
        yield hit


def _advice(patient: Patient) -> str:
    held_out = patient.held_out
    if held_out is None or not held_out.course.falls:
        return "use more samples or fewer epochs"
    step = int(held_out.series.steps[held_out.course.best_index])
    return f"keep the checkpoint from step {step:,}, and train for fewer epochs"


def _rises(drop: Drop, least: float) -> bool:
    return drop.sure and drop.size > max(least * abs(drop.best), ROSE_NATS)


def _falls_since(loss: Series, held_out: Series, drop: Drop) -> bool:
    """Whether training loss is lower than around the best evaluation."""
    at = int(np.searchsorted(loss.steps, held_out.steps[drop.best_index]))
    width = max(MIN_WIDTH, len(loss) // WIDTH)
    then = loss.values[max(0, at - width) : at + 1]
    return len(then) > 0 and float(np.median(loss.values[-width:])) < float(np.median(then))


def _score_at_best(patient: Patient) -> bool:
    score = patient.find(*SCORES)
    if score is None or len(score) < MIN_EVALUATIONS:
        return False
    drop = drop_from_best(score.values, share=True)
    fallen = drop is not None and drop.size > TIMES_CHANCE * drop.error
    return not fallen and course(score.values, "rate", ceiling=1.0).shape in ("rose", "high")


def _accuracy_holds(patient: Patient) -> bool:
    """Whether a held-out rate does not fall in a run that does well: loss and skill can part."""
    held_out = patient.held_out
    if not patient.health.good or held_out is None or held_out.role.kind != "rate":
        return False
    return held_out.speaks and not held_out.course.falls


def _memorised(patient: Patient, loss: Series, held_out: Series) -> Hit | None:
    epoch = patient.find("progress/epoch")
    if epoch is None or epoch.last < MANY_EPOCHS or len(held_out) < MANY_EVALUATIONS:
        return None
    if _accuracy_holds(patient):
        return None
    third = points_in(len(held_out), THIRD, MIN_THIRD)
    late, before = held_out.values[-third:], held_out.values[-2 * third : -third]
    mine, theirs = late_median(loss.values), float(np.median(late))
    if theirs < MIN_HELD_OUT or mine > LEFT * theirs:
        return None
    if theirs < NO_LONGER_FALLS * float(np.median(before)):
        return None
    return Hit(
        series=held_out.name,
        span=Stretch(len(held_out) - 2 * third, len(held_out) - 1, 0).span(held_out),
        message=f"after {epoch.last:.3g} epochs, training loss is {mine:.2g} but held-out loss stays"
        f" at {theirs:.2g}",
        advice="use more samples or fewer epochs",
        causes=("too few samples", "too many epochs"),
        also=(loss.name,),
    )
