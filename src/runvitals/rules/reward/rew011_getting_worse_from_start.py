from runvitals.rules.kit import Hit, Patient, rule, short_number, stretch
from runvitals.rules.known_tasks import task_of
from runvitals.rules.outcome.health import statement
from runvitals.rules.outcome.reading import PAID

ADVICE = "check the sign of advantage and reward, then lower the learning rate"
CAUSES = (
    "a wrong sign: of the advantage, the reward or the loss",
    "learning rate far too high",
    "a penalty that outweighs the task",
)


@rule("REW011", severity="critical", verdict="not learning", needs=["outcome"])
def getting_worse_from_start(patient: Patient) -> Hit | None:
    """The outcome gets worse during training, as if the policy were trained to fail.

    ## What it looks for
    One of these:

    - The outcome likely ends below its start, by at least twice what matters.
    - For a few well-known tasks, the return begins at what an untrained policy gets, with the
      opposite sign. The task is recognised by the settings, or by the name of the run or its folder.

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
    return statement(patient, "REW011", advice=ADVICE, causes=CAUSES) or _turned(patient)


def _turned(patient: Patient) -> Hit | None:
    """A known task whose return begins where an untrained policy does, with the sign turned."""
    returns, task, held_out = (
        patient.find("outcome/return_mean"),
        task_of(patient),
        patient.held_out,
    )
    if returns is None or task is None or not task.is_turned(returns.values):
        return None
    if held_out is not None and held_out.course.good and held_out.role.kind not in PAID:
        return None
    return stretch(returns).hit(
        f"the return begins at {short_number(returns.values[0])}, which is what an untrained policy "
        f"gets in {task.title} with the sign turned",
        advice=ADVICE,
        causes=CAUSES[:1],
    )
