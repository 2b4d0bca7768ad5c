from runvitals.rules.kit import Hit, Patient, rule
from runvitals.rules.outcome.health import statement


@rule("REW011", severity="critical", needs=["outcome"], families=["rl"])
def getting_worse_from_start(patient: Patient) -> Hit | None:
    """The outcome gets worse during training, as if the policy were trained to fail.

    ## What it looks for
    One of these:

    - The outcome likely ends below its start, by at least twice what matters.
    - For a few well-known tasks, the return begins at what an untrained policy gets, with the
      opposite sign.

    ## Why it matters
    A policy that gets steadily worse is being optimised, only for the opposite of what you want.

    ## Usual causes
    1. A wrong sign: of the advantage, the reward or the loss.
    2. A discount of 0, or another change that makes only the short term count.
    3. A learning rate that is far too high.
    4. A KL or length penalty that outweighs the task.

    ## What to try
    Make one update on two actions, one better than the other, and check that the better one becomes
    more likely.

    ## When to ignore it
    A curriculum that makes the task harder over time; a warm start that dips before it learns.

    ## Sources
    Faults injected in our own lab; RL metrics table (reward should rise); RLMutation (sign
    mutants).
    """
    return statement(
        patient,
        "REW011",
        advice="check the sign of advantage and reward, then lower the learning rate",
        causes=(
            "a wrong sign: of the advantage, the reward or the loss",
            "learning rate far too high",
            "a penalty that outweighs the task",
        ),
    )
