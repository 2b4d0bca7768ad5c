from collections.abc import Iterator

from runvitals.model import SEVERITIES
from runvitals.rules.data import any_series
from runvitals.rules.data._contradictions import contradictions
from runvitals.rules.kit import Hit, Patient, Span, rule


@rule("DATA007")
def config_contradiction(patient: Patient) -> Iterator[Hit]:
    """Settings contradict each other, or cannot be intended.

    ## What it looks for
    Only the config:

    - a discount outside 0 to 1, or of 0;
    - a learning rate below 0 (LR002 covers the other cases);
    - a clip range of 0;
    - a negative entropy bonus, or a target entropy above 0 for continuous actions;
    - a target KL that stops every update;
    - a KL penalty weight of 1 or more for a language model;
    - groups of one response, or sampling at temperature 0;
    - a target network that never moves, or moves every step;
    - updates that start after half of the run;
    - a warm-up longer than the run;
    - a replay buffer that holds only a few batches;
    - rubric weights that do not add up to one.

    Most of the list is a notice while the outcome improves or holds, because then it was probably
    intended: some trainers use groups of one for a plain policy gradient, which can learn.

    ## Why it matters
    Each of these decides the run before its first step.

    ## Usual causes
    1. A config copied from another task.
    2. A wrong unit: steps instead of updates, percentages instead of fractions.
    3. A wrong sign.

    ## What to try
    Do what the advice says; it includes the usual value.

    ## When to ignore it
    The task is a bandit, where a discount of 0 is right, or you are testing such values on purpose.

    ## Sources
    DRLinter and muPRL (faulty settings of deep RL); the config checks of SB3 and TRL.
    """
    name = any_series(patient)
    steps = patient.run.points.column(name)[0]
    if not len(steps):
        return
    for wrong in sorted(contradictions(patient), key=lambda one: SEVERITIES.index(one.severity)):
        yield Hit(
            series=name,
            span=Span(int(steps[0]), int(steps[-1]), len(steps)),
            message=wrong.message,
            advice=wrong.advice,
            severity="notice" if patient.health.good and not wrong.fatal else wrong.severity,
            causes=("a config copied from another task", "a wrong unit or sign"),
        )
