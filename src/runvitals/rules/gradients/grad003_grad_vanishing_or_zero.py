import numpy as np

from runvitals.rules.gradients import NORMS
from runvitals.rules.kit import Hit, Patient, fell, rule, stretch

# of the norms are 0: the run is lost; no outcome excuses it (judgement)
MOST, NEARLY_ALL = 0.7, 0.95
FADED = 0.05  # of the level at the start (judgement)


@rule(
    "GRAD003",
    verdict="not learning",
    needs=[NORMS],
    excused_by_outcome=True,
    min_points=20,
    waits=True,
)
def grad_vanishing_or_zero(patient: Patient, *, zeros: float = 0.4) -> Hit | None:
    """The gradient is zero in many steps, or has faded to almost nothing.

    ## What it looks for
    Norms of exactly zero in more than 40% (`zeros`) of the points, and so of the later half: a
    warning, or critical above 70%. While the outcome is doing well, or unknown, it is a notice,
    unless nearly all norms are zero.

    Otherwise, a norm that has surely faded to below 5% of its level at the start, while the outcome
    is not doing well.

    ## Why it matters
    A step with a zero gradient costs as much as any other and changes nothing.

    ## Usual causes
    1. All groups are tied (REW009), or all labels are masked.
    2. The policy is saturated: it is certain of every action.
    3. The loss is multiplied by zero, or detached.

    ## What to try
    If groups with equal rewards explain it, fix the rewards, not the optimiser.

    ## When to ignore it
    The task is solved, or the log rounds small norms to zero.

    ## Sources
    TRL and verl (share of groups with no spread); SageMaker Debugger (vanishing gradient).
    """
    norm = patient[NORMS]
    zero = norm.values == 0.0
    share = float(zero.mean())
    if min(share, float(zero[len(zero) // 2 :].mean())) > zeros:
        sure = share > NEARLY_ALL or (share > MOST and patient.health.struggles)
        return stretch(norm, int(np.argmax(zero))).hit(
            f"gradient norm is exactly 0 in {share:.0%} of {len(norm):,} logged steps",
            advice="look for groups or batches with equal rewards, and for masked labels",
            severity="critical" if sure else None,
            causes=("all groups tied", "all labels masked", "loss detached or multiplied by zero"),
        )
    found = fell(norm, FADED) if patient.health.struggles else None
    return found and found.hit(
        f"gradient norm has faded to {found.times:.1%} of its early level",
        advice="check the entropy: a policy that is certain of every action has no gradient",
        causes=("saturated policy", "all groups tied"),
    )
