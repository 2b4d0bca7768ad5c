import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, number, rule
from runvitals.signals.crossing import Crossing
from runvitals.signals.gap import gap
from runvitals.signals.held_out import chance_limit

ACCURACIES = (
    ("preference/accuracy", "eval/preference/accuracy"),
    ("rm/accuracy", "eval/rm/accuracy"),
)
MARGINS = (
    ("preference/margin", "eval/preference/margin"),
    ("rm/margin", "eval/rm/margin"),
)
MIN_POINTS, MIN_EVALUATIONS = 5, 2  # the exact tests below tell how sure they are
MIN_TRAINED = 0.55  # of the training pairs, beyond chance (judgement)
MIN_MARGIN = 0.1  # of the training margin, that of the evaluation with the other sign (judgement)


@rule(
    "EVAL005",
    needs=[
        "preference/accuracy|rm/accuracy|preference/margin|rm/margin",
        "eval/preference/accuracy|eval/rm/accuracy|eval/preference/margin|eval/rm/margin",
    ],
    families=["preference", "reward-model"],
)
def evaluation_opposite_to_training(patient: Patient) -> Hit | None:
    """Training pairs are ranked correctly, but held-out pairs the wrong way round.

    ## What it looks for
    - Pair accuracy late in training is above 0.5 beyond chance, while the later half of at least
      two evaluations is below 0.5 by more than the size of their set allows.
    - Or the margins have opposite signs, each clearly different from zero, and that of the
      evaluation is at least a tenth as large.

    ## Why it matters
    Below chance does not mean weak. The model has learned the opposite of what the held-out labels
    say, so one of the two sets is wrong.

    ## Usual causes
    1. Chosen and rejected are swapped in one of the two sets.
    2. The training set is tiny or full of duplicates, and the model separates it by accident, such
       as by length or the order of the answers.
    3. The two sets come from different labellers or templates.

    ## What to try
    Print three pairs of each set with their labels. Compare the lengths of chosen and rejected
    answers in both.

    ## When to ignore it
    The held-out set is adversarial on purpose.

    ## Sources
    Follows from the definition of pair accuracy; TRL runs with swapped pairs.
    """
    return _accuracy(patient) or _margin(patient)


def _accuracy(patient: Patient) -> Hit | None:
    for mine, theirs in ACCURACIES:
        training, held_out = patient.find(mine), patient.find(theirs)
        if not _both(training, held_out) or training is None or held_out is None:
            continue
        trained, late = _late(training), _late(held_out)
        right, there = float(trained.mean()), float(late.mean())
        below = 1.0 - chance_limit(held_out.values)
        if right < MIN_TRAINED or not gap(trained - 0.5).sure or there >= below:
            continue
        return _hit(
            training,
            held_out,
            f"{there:.0%} of held-out pairs are ranked correctly, which is below chance, "
            f"and {right:.0%} of training pairs",
        )
    return None


def _margin(patient: Patient) -> Hit | None:
    for mine, theirs in MARGINS:
        training, held_out = patient.find(mine), patient.find(theirs)
        if not _both(training, held_out) or training is None or held_out is None:
            continue
        trained, late = _late(training), _late(held_out)
        here, there = float(trained.mean()), float(late.mean())
        sure = gap(trained).sure and (gap(-late).sure if len(late) > 2 else bool(late.max() < 0))
        if sure and there <= -MIN_MARGIN * here:
            words = (
                f"the margin is {number(here, 3)} in training "
                f"but {number(there, 3)} on held-out pairs"
            )
            return _hit(training, held_out, words)
    return None


def _both(training: Series | None, held_out: Series | None) -> bool:
    return (
        training is not None
        and held_out is not None
        and len(training) >= MIN_POINTS
        and len(held_out) >= MIN_EVALUATIONS
    )


def _late(series: Series) -> np.ndarray:
    return series.values[len(series) // 2 :]


def _hit(training: Series, held_out: Series, message: str) -> Hit:
    first = len(held_out) // 2
    return Hit(
        series=held_out.name,
        span=Crossing(first, len(held_out) - 1, 0).span(held_out),
        message=message,
        advice="print three pairs of each set with their labels: one of the sets looks swapped",
        causes=(
            "chosen and rejected are swapped in one of the sets",
            "the training pairs are few or duplicated",
        ),
        also=(training.name,),
    )
