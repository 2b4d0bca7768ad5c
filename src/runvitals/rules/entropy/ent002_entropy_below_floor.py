"""ENT002."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit
from runvitals.model.formatting import number
from runvitals.rules.entropy._floor import least_at_start
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import sustained_below

MIN_POINTS = 12  # judgement
MIN_SHARE = 0.1  # of the run below a floor that was set (judgement)
ALWAYS = 0.9  # of the run below where no floor was set (judgement)
FIRST = 3  # points of which none may be above (judgement)


@rule(
    "ENT002",
    "entropy-below-floor",
    severity="warning",
    needs=["policy/entropy"],
    families=["policy-gradient"],
)
def entropy_below_floor(patient: Patient, *, floor: float | None = None) -> Iterator[Hit]:
    """The policy is less random than its floor allows, or was so from the start.

    ## What it looks for
    `policy/entropy` below the run's `entropy_min` (or your `floor`) in 8 of 10 updates, for at
    least a tenth of the run.

    Without a floor, a policy with discrete choices that meets all of these:

    - It begins below 0.3 times the entropy of choosing at random. If the number of actions is
      unknown, the limit is 0.1 nats; for language models it is 0.02.
    - It stays there.
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
    entropy = patient["policy/entropy"]
    if len(entropy) < MIN_POINTS:
        return
    configured = patient.number("entropy_min")
    if floor is not None or configured is not None:
        bound = patient.limit(floor, setting="entropy_min", otherwise=0.0, why="")
        later = patient.after_warm_up(entropy)
        found = sustained_below(later.values, bound.value)
        stretch = max(found, key=lambda one: one.beyond) if found else None
        if stretch is None or stretch.beyond < MIN_SHARE * len(later):
            return
        span, shown = stretch.span(later), stretch.beyond
        inside = later.values[stretch.first : stretch.last + 1]
    else:
        if patient.continuous or not patient.health.gets_nowhere:
            return
        bound = least_at_start(patient)
        always = (entropy.values < bound.value).mean() >= ALWAYS
        if not always or float(np.max(entropy.values[:FIRST])) >= bound.value:
            return
        span, shown = entropy.span(), len(entropy)
        inside = entropy.values
    yield Hit(
        series=entropy.name,
        span=span,
        message=(
            f"entropy below {number(bound.value, 3)} in {shown:,} updates since step {span.first:,}, "
            f"median {number(float(np.median(inside)), 2)}"
        ),
        advice="raise the entropy bonus or the temperature, and check that masks leave a choice",
        causes=(
            "KL strength or temperature too tight",
            "the policy was deterministic from the start",
            "a mask that leaves only one action",
        ),
        limit=bound,
    )
