"""RM001."""

from collections.abc import Iterator
from math import log

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.outcome.stated import statement
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.held_out import evaluation_noise
from runvitals.signals.late import THIRD, late_mean, late_median
from runvitals.signals.trend import trend

MIN_SHARE = 0.4  # of the plan (judgement)
MIN_POINTS, MIN_WITHOUT_PLAN = 12, 40  # judgement: of an unknown plan little may be done
MIN_JUDGED = 5  # points of an accuracy or held-out loss
MIN_LATE = 5  # points that tell where a loss ended
FLOOR = 0.55  # of the pairs (ColossalAI #3534: 0.555)
FROZEN, AT_CHANCE = 1e-6, 1e-3  # by which a loss moves; off ln 2
LEARNED = 0.9  # of ln 2, of the training pairs
NEARLY_DONE = 0.95  # of the plan
MIN_TRAINED = 20  # points of the training accuracy
WELL = 0.8  # of the training pairs: labels can hardly be wrong then (judgement)
EASIER, TIMES_CHANCE = 0.1, 4  # of the pairs; times the noise of an evaluation (judgement)
POOR, POOR_LOSS = 0.6, 0.97 * log(2)  # a judge that is right in 60% can reach this loss

ADVICE = "check which token is scored and that the score head is trained"
CAUSES = ("score head not trained", "score read from padding", "labels random")


@rule(
    "RM001",
    "rm-not-learning",
    severity="warning",
    needs=["outcome"],
    families=["reward-model"],
)
def rm_not_learning(patient: Patient, *, accuracy_floor: float | None = None) -> Iterator[Hit]:
    """The reward model ranks pairs no better than chance.

    ## What it looks for
    After 40% of the plan, one of these:

    - The loss is not below 97% of ln 2, and an accuracy below 0.55 (`accuracy_floor`) does not
      rise.
    - The accuracy on held-out pairs is below 0.55 while the training loss falls.
    - At the end of the run, the held-out loss and accuracy are both worse than those of a judge who
      is right 60% of the time.
    - Held-out pairs are ranked far better (10 points) than the training pairs, which suggests wrong
      labels in the training data.

    ## Why it matters
    A judge that guesses gives the policy noise to learn from.

    ## Usual causes
    1. The score head is not trained, or the score is read from a padding token.
    2. Labels are noisy, random or swapped.
    3. The learning rate is far too high or too low.
    4. The base model knows nothing about the task.

    ## What to try
    Check which token is scored, and that the head is among the trained parameters. Overfit 32
    pairs.

    ## When to ignore it
    The first part of a run.

    ## Sources
    Training Metrics Glossary; trlx #338 (50%); ColossalAI #3534 (0.555); MA-RLHF #1.
    """
    hit = statement(patient, "RM001", advice=ADVICE, causes=CAUSES)
    if hit is None:
        hit = _at_chance(patient, accuracy_floor)
    if hit is not None:
        yield hit


def _at_chance(patient: Patient, accuracy_floor: float | None) -> Hit | None:
    """The pairs are ranked no better than a coin would; else that the training labels look wrong."""
    loss, accuracy = patient.find("rm/loss"), patient.find("rm/accuracy")
    if loss is None or not _long_enough(patient, loss):
        return None
    held_out = patient.find("eval/rm/accuracy")
    judged = held_out if held_out is not None and len(held_out) >= MIN_JUDGED else accuracy
    if judged is None or len(judged) < MIN_JUDGED:
        return None
    bound = patient.limit(accuracy_floor, otherwise=FLOOR, why="one half is chance")
    late, right = late_median(loss.values, THIRD, MIN_LATE), _late(judged)
    still = np.ptp(loss.values[len(loss) // 2 :]) < FROZEN
    frozen = bool(still and abs(late - log(2)) < AT_CHANCE)
    by_chance = _ends_at_chance(patient, judged) or (
        right < bound.value and _tells_nothing(loss, late, others=judged is held_out)
    )
    if not frozen and (not by_chance or trend(judged.values).up):
        return _wrong_labels(accuracy, held_out)
    tied = frozen and right == 0.0
    return Hit(
        series=judged.name,
        span=judged.span(len(judged) // 2),
        message=f"loss is {late:.3g}, and {right:.0%} of the pairs are ranked correctly"
        + (": all scores are equal" if tied else ""),
        advice=ADVICE,
        severity="critical" if frozen else None,
        causes=CAUSES,
        limit=bound,
    )


def _long_enough(patient: Patient, loss: Series) -> bool:
    if patient.progress is None:
        return len(loss) >= MIN_WITHOUT_PLAN
    return patient.progress >= MIN_SHARE and len(loss) >= MIN_POINTS


def _tells_nothing(loss: Series, late: float, *, others: bool) -> bool:
    """Whether the loss stays at that of a coin, or fell only on the pairs it was trained on."""
    stuck = late > POOR_LOSS and not trend(loss.values).down
    return stuck or (others and late < LEARNED * log(2))


def _ends_at_chance(patient: Patient, judged: Series) -> bool:
    """Whether a run that is over has a held-out loss of a coin, and does not still learn slowly."""
    loss = patient.find("eval/rm/loss", "eval/loss")
    done = patient.finished or (patient.progress or 0.0) >= NEARLY_DONE
    if not done or loss is None or len(loss) < MIN_JUDGED or _late(judged) >= POOR:
        return False
    return _late(loss) > POOR_LOSS and not trend(loss.values).down


def _late(series: Series) -> float:
    return late_mean(series.values, THIRD)


def _wrong_labels(accuracy: Series | None, held_out: Series | None) -> Hit | None:
    if accuracy is None or held_out is None:
        return None
    if len(held_out) < MIN_JUDGED or len(accuracy) < MIN_TRAINED:
        return None
    mine, theirs = _late(accuracy), _late(held_out)
    chance = evaluation_noise(held_out.values, share=True)
    if mine > WELL or theirs - mine < max(EASIER, TIMES_CHANCE * chance):
        return None
    return Hit(
        series=accuracy.name,
        span=accuracy.span(len(accuracy) // 2),
        message=f"{mine:.0%} of the training pairs but {theirs:.0%} of the held-out pairs are ranked "
        "correctly: the training labels look wrong",
        advice="read twenty training pairs that the model ranks against their label",
        causes=("training labels wrong", "held-out pairs are easier"),
        also=(held_out.name,),
    )
