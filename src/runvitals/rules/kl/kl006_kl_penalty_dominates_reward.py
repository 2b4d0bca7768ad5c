from dataclasses import replace

import numpy as np

from runvitals.rules.kit import Hit, Limit, Patient, Series, above, below, number, rule, size_of
from runvitals.signals.late import late_median
from runvitals.signals.level import read_level
from runvitals.signals.pairs import aligned

MIN_TERM = 0.1  # of a loss: a smaller term dominates no update (judgement)
HEAVY, HELD = 1.0, 0.02  # a weight (0.001 to 0.2 is usual), and the KL of a policy that it holds


@rule(
    "KL006",
    needs=[
        "reward/kl_penalty_mean|policy/kl_loss|policy/kl_ref_sequence|policy/kl_ref|policy/approx_kl"
    ],
    excused_by_outcome=True,
    min_points=20,
)
def kl_penalty_dominates_reward(patient: Patient, *, share: float = 0.5) -> Hit | None:
    """The penalty for leaving the reference outweighs the possible gain.

    ## What it looks for
    Any of these. The first two for a fifth of the run and at its end:

    - `reward/kl_penalty_mean` (or the KL coefficient times the KL per response) is above half of
      the range in which the score varies, over the run or within a batch.
    - A KL term in the loss (`policy/kl_loss`) is above 0.1 and larger than the policy's own loss.
    - A fixed KL coefficient is 1 or more, the KL is below 0.02, and the outcome is flat.

    It is a warning if the outcome is not doing well, otherwise a notice.

    ## Why it matters
    The learner is paid for standing still, so it stays at the reference whatever the reward says.

    ## Usual causes
    1. KL coefficient too large.
    2. Score too small, or normalised away.
    3. The KL is already large.

    ## What to try
    Scale the score to unit variance, then tune the coefficient. Do not just remove the penalty.

    ## When to ignore it
    You want the policy to stay close to the reference.

    ## Sources
    RL metrics table (the penalty must not dominate); TensorBoard Metrics Reference (Train/KLPenalty).
    """
    return _of_reward(patient, share) or _of_loss(patient) or _held(patient)


def _of_reward(patient: Patient, share: float) -> Hit | None:
    """A penalty that is charged to the reward, against the score."""
    score, penalty = patient.find("reward/score_mean", "reward/mean"), _penalty(patient)
    if score is None or penalty is None:
        return None
    level = read_level(score.values)
    spread = patient.find("reward/score_std", "reward/std")
    scale = max(
        level.noise,
        float(np.ptp(level.curve)),
        0.0 if spread is None else late_median(spread.values),
    )
    limit = Limit(max(share * scale, 1e-6), f"{share:g} of how far the score varies")
    found = above(size_of(penalty), limit, to_end=True)
    return found and found.hit(
        f"KL penalty of {number(found.level, 3)} against a score that varies by {number(scale, 3)}",
        advice="lower the KL coefficient, or first scale the score to unit variance",
        causes=("KL coefficient too large", "score too small", "KL already large"),
        also=(score.name,),
    )


def _of_loss(patient: Patient) -> Hit | None:
    """A penalty that is a term of the loss, against the policy's own loss."""
    term, loss = patient.find("policy/kl_loss"), patient.find("policy/loss", "policy/loss_total")
    if term is None or loss is None:
        return None
    rest = loss.values
    if loss.metric == "policy/loss_total":  # the policy's own part is what the penalty leaves
        _, whole, charged = aligned(loss, term)
        rest = whole - charged
    if not len(rest):
        return None
    own = late_median(np.abs(rest))
    found = above(size_of(term), Limit(max(MIN_TERM, own), "the policy's own loss"), to_end=True)
    return found and found.hit(
        f"KL penalty in the loss is {number(found.level, 3)}, against {number(own, 3)} for the rest "
        f"of {loss.name}",
        advice="lower the KL coefficient, or the learning rate if the KL itself runs away",
        causes=("KL coefficient too large", "KL already large"),
        also=(loss.name,),
    )


def _held(patient: Patient) -> Hit | None:
    """A fixed weight so large that the policy stays where it is, and learns nothing."""
    kl = patient.find("policy/kl_ref", "policy/kl_ref_sequence", "policy/approx_kl")
    weight, weights = _weight(patient), patient.find("policy/kl_coef")
    fixed = weights is None or float(np.ptp(weights.values)) == 0  # a controller may go high
    if kl is None or weight is None or weight < HEAVY or not fixed:
        return None
    found = below(kl, HELD, for_share=0.8)
    if found is None or not patient.health.gets_nowhere:
        return None
    return found.hit(
        f"KL coefficient of {weight:g} holds the policy in place: median KL "
        f"{number(found.level, 2)}, and the outcome is flat",
        advice="lower the KL coefficient; 0.001 to 0.2 is usual",
        causes=("KL coefficient too large",),
    )


def _weight(patient: Patient) -> float | None:
    logged = patient.find("policy/kl_coef")
    return patient.number("kl_coef") if logged is None else float(np.median(logged.values))


def _penalty(patient: Patient) -> Series | None:
    logged = patient.find("reward/kl_penalty_mean")
    if logged is not None:
        return logged
    kl, weight = patient.find("policy/kl_ref_sequence"), _weight(patient)
    if kl is None or weight is None:
        return None
    return replace(kl, values=weight * kl.values)
