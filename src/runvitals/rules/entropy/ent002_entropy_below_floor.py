"""ENT002."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit
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
    `policy/entropy` below the run's `entropy_min` (or your floor) in 8 of 10 updates and a tenth of the
    run. Without a floor: a policy of discrete choices that begins below 0.3 times the entropy of
    choosing at random (0.1 nats where the number of actions is unknown, 0.02 for language models),
    stays there, and whose outcome ends no better than it began.

    ## Why it matters
    The floor was set because exploration is needed. A policy that is certain from the first update
    has nothing to compare, and learns from noise.

    ## Usual causes
    1. KL strength or temperature hold the policy too tightly.
    2. A warm start, or a fine-tuned model that is already deterministic.
    3. A last layer whose initial weights are too large.
    4. A mask that leaves one action.

    ## What to try
    Check temperature and KL strength; make the last layer small at the start; widen the action mask.

    ## When to ignore it
    When the policy is meant to be nearly deterministic. Continuous actions have no floor at 0, so
    without a floor in the config they are not judged.

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
            f"entropy below {bound.value:.3g} in {shown} updates from step {span.first:,} on, "
            f"median {float(np.median(inside)):.2g}"
        ),
        advice="raise the entropy bonus or the temperature, and check that masks leave a choice",
        causes=(
            "KL strength or temperature too tight",
            "a policy that was deterministic from the start",
            "a mask that leaves one action",
        ),
        limit=bound,
    )
