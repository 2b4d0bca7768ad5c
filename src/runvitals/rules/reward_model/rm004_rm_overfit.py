from runvitals.rules.held_out import MIN_GAP, left_behind
from runvitals.rules.kit import Hit, Patient, rule
from runvitals.rules.outcome.health import statement

ADVICE = "train for one epoch, or stop where the held-out loss is lowest"
CAUSES = ("more than one epoch", "too few pairs", "shortcut such as length")


@rule("RM004", verdict="overfitting", needs=["outcome"])
def rm_overfit(patient: Patient, *, gap_max: float = MIN_GAP) -> Hit | None:
    """The reward model has memorised its training pairs, and does no better on others.

    ## What it looks for
    Either of these:

    - Training gets better, while the held-out outcome is clearly worse than its best or never got
      better.
    - A training accuracy surely at least 0.12 (`gap_max`) above a held-out accuracy that has stopped
      rising.

    ## Why it matters
    The policy will be trained far from these pairs, where memory does not help.

    ## Usual causes
    1. More than one epoch.
    2. Too few pairs, or prompts that are shared only within the training pairs.
    3. A shortcut such as length.
    4. Noisy labels.

    ## What to try
    Train for one epoch. Stop at the best held-out loss. Add pairs. Split by prompt.

    ## When to ignore it
    A held-out set that is deliberately harder.

    ## Sources
    Training Metrics Glossary (validation should track training).
    """
    hit = statement(patient, "RM004", advice=ADVICE, causes=CAUSES)
    mine = patient.find("rm/accuracy")
    behind = left_behind(mine, patient.find("eval/rm/accuracy"), gap_max)
    if hit is None and behind is not None and mine is not None:
        hit = behind.hit(
            f"{behind.before:.0%} of the training pairs but only {behind.level:.0%} of the held-out "
            "pairs are ranked correctly",
            advice=ADVICE,
            causes=CAUSES,
            also=(mine.name,),
        )
    return hit
