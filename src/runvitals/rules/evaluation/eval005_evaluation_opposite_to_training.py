from runvitals.rules.kit import FloatArray, Hit, Patient, Series, number, rule, stretch
from runvitals.signals.gap import gap
from runvitals.signals.held_out import chance_limit

MIN_POINTS, MIN_EVALUATIONS = 5, 2  # the exact tests below tell how sure they are
MIN_TRAINED = 0.55  # of the training pairs, beyond chance (judgement)
MIN_MARGIN = 0.1  # of the training margin, that of the evaluation with the other sign (judgement)

CAUSES = (
    "chosen and rejected are swapped in one of the sets",
    "the training pairs are few or duplicated",
)


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
    for measure, words in (("accuracy", _accuracies), ("margin", _margins)):
        for model in ("preference", "rm"):
            training = patient.find(f"{model}/{measure}")
            held_out = patient.find(f"eval/{model}/{measure}")
            if training is None or held_out is None:
                continue
            if len(training) < MIN_POINTS or len(held_out) < MIN_EVALUATIONS:
                continue
            message = words(training.values[len(training) // 2 :], held_out)
            if message is not None:
                return stretch(held_out, len(held_out) // 2).hit(
                    message,
                    advice="print three pairs of each set with their labels: one of the sets looks "
                    "swapped",
                    causes=CAUSES,
                    also=(training.name,),
                )
    return None


def _accuracies(trained: FloatArray, held_out: Series) -> str | None:
    right, there = float(trained.mean()), float(held_out.values[len(held_out) // 2 :].mean())
    below = 1.0 - chance_limit(held_out.values)
    if right < MIN_TRAINED or not gap(trained - 0.5).sure or there >= below:
        return None
    return (
        f"{there:.0%} of held-out pairs are ranked correctly, which is below chance, "
        f"and {right:.0%} of training pairs"
    )


def _margins(trained: FloatArray, held_out: Series) -> str | None:
    late = held_out.values[len(held_out) // 2 :]
    here, there = float(trained.mean()), float(late.mean())
    sure = gap(trained).sure and (gap(-late).sure if len(late) > 2 else bool(late.max() < 0))
    if not sure or there > -MIN_MARGIN * here:
        return None
    return f"the margin is {number(here, 3)} in training but {number(there, 3)} on held-out pairs"
