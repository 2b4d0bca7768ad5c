import math

from runvitals.rules.entropy import start_of
from runvitals.rules.kit import Hit, Limit, Patient, below, number, rule
from runvitals.rules.policy import action_counts

OF_UNIFORM = 0.3  # RLExplorer: a start below is not exploration
FEW_CHOICES = 0.1  # nats, where the number of actions is unknown (judgement)
ALWAYS = 0.9  # of the run: it was so from the start (judgement)


@rule("ENT002", needs=["policy/entropy"], families=["policy-gradient"], min_points=12)
def entropy_below_floor(patient: Patient, *, floor: float | None = None) -> Hit | None:
    """The policy is less random than its floor allows, or was so from the start.

    ## What it looks for
    `policy/entropy` below the run's `entropy_min` (or your `floor`) for a fifth of the run.

    Without a floor, a policy with discrete actions that meets both of these:

    - It is below 0.3 times the entropy of choosing at random from the start to the end. If the
      number of actions is unknown, the limit is 0.1 nats.
    - Its outcome ends no better than it began.

    ## Why it matters
    The floor was set because the task needs exploration. A policy that is certain from the first
    update has nothing to compare and learns from noise.

    ## Usual causes
    1. KL strength or temperature holds the policy too tightly.
    2. A warm start, or a fine-tuned model that is already deterministic.
    3. A last layer with initial weights that are too large.
    4. A mask that leaves only one action.

    ## What to try
    Check temperature and KL strength. Initialise the last layer with small weights. Widen the
    action mask.

    ## When to ignore it
    The policy is meant to be nearly deterministic. Continuous actions have no natural floor at 0,
    so they are judged only if the config sets one.

    ## Sources
    Training Monitoring Guide (floor of 0.5); RLExplorer (a start below 0.3).
    """
    entropy, bound = patient["policy/entropy"], patient.band("policy/entropy", "low", option=floor)
    if bound is not None and bound.from_run:
        found = below(entropy, bound)
    elif patient.kind == "llm-rl" or patient.continuous or not patient.health.gets_nowhere:
        return None
    else:
        bound = _few_choices(patient)
        found = below(entropy, bound, for_share=ALWAYS) if start_of(entropy) < bound.value else None
    return found and found.hit(
        f"entropy below {number(bound.value, 3)} in {found.count:,} updates since step "
        f"{found.step:,}, median {number(found.level, 2)}",
        advice="raise the entropy bonus or the temperature, and check that masks leave a choice",
        causes=(
            "KL strength or temperature too tight",
            "the policy was deterministic from the start",
            "a mask that leaves only one action",
        ),
    )


def _few_choices(patient: Patient) -> Limit:
    """A share of the entropy of a random choice where the number of actions is known."""
    counts = action_counts(patient)
    if counts is None:
        return Limit(FEW_CHOICES, "almost no choice")
    uniform = math.log(len(counts[0]))
    return Limit(OF_UNIFORM * uniform, f"{OF_UNIFORM:g} times that of a random choice")
