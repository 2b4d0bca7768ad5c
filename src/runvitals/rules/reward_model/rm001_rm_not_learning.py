from runvitals.rules.held_out import left_behind
from runvitals.rules.kit import Hit, Patient, rule
from runvitals.rules.outcome.health import statement

EASIER = 0.1  # of the pairs, by which held-out ones are ranked better (judgement)


@rule("RM001", needs=["outcome"])
def rm_not_learning(patient: Patient) -> Hit | None:
    """The reward model ranks pairs no better than chance.

    ## What it looks for
    Either of these:

    - An accuracy, margin or loss that, allowing for noise, stayed where it began or got worse.
    - Held-out pairs are surely ranked better than the training pairs, by 10 points, which suggests
      wrong labels in the training data.

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
    hit = statement(
        patient,
        "RM001",
        advice="check which token is scored and that the score head is trained",
        causes=("score head not trained", "score read from padding", "labels random"),
    )
    accuracy, held_out = patient.find("rm/accuracy"), patient.find("eval/rm/accuracy")
    easier = None if hit is not None else left_behind(held_out, accuracy, EASIER)
    if easier is not None and held_out is not None:
        hit = easier.hit(
            f"{easier.level:.0%} of the training pairs but {easier.before:.0%} of the held-out pairs "
            "are ranked correctly: the training labels look wrong",
            advice="read twenty training pairs that the model ranks against their label",
            causes=("training labels wrong", "held-out pairs are easier"),
            also=(held_out.name,),
        )
    return hit
