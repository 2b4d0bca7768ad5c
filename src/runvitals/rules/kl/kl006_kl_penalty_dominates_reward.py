"""KL006."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.model.formatting import number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.signals.late import early_median, late_median
from runvitals.signals.pairs import aligned
from runvitals.signals.robust import wander

MIN_POINTS = 20  # judged, the last ones (judgement)
WANDERS_OVER = 10 * MIN_POINTS  # points in which the score shows how it varies (judgement)
FIRST = 5  # points that are the start (judgement)
STILL = 0.02  # a KL below shows that the policy is held (judgement)
FIRMLY = 5.0  # a coefficient at which slow progress excuses nothing (judgement)
MIN_TERM = 0.1  # of a loss: a smaller term owns no update (judgement)
STRANGLING = 1.0  # a coefficient at which next to nothing is allowed; usual are 0.001 to 0.2


@rule(
    "KL006",
    "kl-penalty-dominates-reward",
    severity="warning",
    needs=[
        "reward/kl_penalty_mean|policy/kl_loss|policy/kl_ref_sequence|policy/kl_ref|policy/approx_kl",
    ],
    families=["policy-gradient"],
)
def kl_penalty_dominates_reward(patient: Patient, *, share: float = 0.5) -> Iterator[Hit]:
    """The penalty for leaving the reference outweighs the possible gain.

    ## What it looks for
    Any of these:

    - `reward/kl_penalty_mean` (or the KL coefficient times the KL per response) is above half of
      the score's spread and of its change since the start, over the last 20 updates.
    - A KL term in the loss (`policy/kl_loss`) is above 0.1 and larger than the policy's own loss.
    - A fixed KL coefficient is 1 or more, the KL is below 0.02, and the outcome ends no better than
      it began.

    It is a warning if the outcome is not doing well. Otherwise, or if none was logged, it is a
    notice, and the penalty must also be above half of the score itself.

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
    if patient.health.early:
        return
    hit = _of_reward(patient, share) or _of_loss(patient) or _strangled(patient)
    if hit is not None:
        yield hit


def _of_reward(patient: Patient, share: float) -> Hit | None:
    """A penalty that is charged to the reward, against the score."""
    score, penalty = patient.find("reward/score_mean", "reward/mean"), _penalty(patient)
    if score is None or penalty is None or min(len(penalty), len(score)) < MIN_POINTS:
        return None
    late = float(np.median(np.abs(penalty.values[-MIN_POINTS:])))
    spread = patient.find("reward/score_std", "reward/std")
    scale = max(
        wander(score.values[-WANDERS_OVER:]),
        abs(float(np.median(score.values[-MIN_POINTS:]) - np.median(score.values[:FIRST]))),
        0.0 if spread is None else float(np.median(spread.values[-MIN_POINTS:])),
    )
    if not patient.health.struggles:
        scale = max(scale, abs(late_median(score.values)))
    if late <= share * scale or late <= 1e-6:
        return None
    still = ", and the outcome is flat" if patient.health.gets_nowhere else so_far(patient)
    return Hit(
        series=penalty.name,
        span=penalty.span(),
        message=f"KL penalty of {number(late, 3)} against a score that varies by "
        f"{number(scale, 3)}{still}",
        advice="lower the KL coefficient, or first scale the score to unit variance",
        severity=by_outcome(patient),
        causes=("KL coefficient too large", "score too small", "KL already large"),
        also=(score.name,),
    )


def _of_loss(patient: Patient) -> Hit | None:
    """A penalty that is a term of the loss, against the policy's own loss."""
    term, loss = patient.find("policy/kl_loss"), patient.find("policy/loss", "policy/loss_total")
    if term is None or loss is None or min(len(term), len(loss)) < MIN_POINTS:
        return None
    early, late = early_median(np.abs(term.values), 0, FIRST), late_median(np.abs(term.values))
    rest = loss.values
    if loss.metric == "policy/loss_total":  # the policy's own part is what the penalty leaves
        _, whole, charged = aligned(loss, term)
        rest = whole - charged
    if not len(rest):
        return None
    own = late_median(np.abs(rest))
    if late < max(MIN_TERM, own):
        return None
    return Hit(
        series=term.name,
        span=term.span(),
        message=f"KL penalty in the loss is {number(late, 3)} ({number(early, 2)} at first), "
        f"against {number(own, 3)} for {'the rest of ' * (rest is not loss.values)}{loss.name}"
        f"{so_far(patient)}",
        advice="lower the KL coefficient, or the learning rate if the KL itself runs away",
        severity=by_outcome(patient),
        causes=("KL coefficient too large", "KL already large"),
        also=(loss.name,),
    )


def _strangled(patient: Patient) -> Hit | None:
    """A coefficient so large that the policy stays where it is."""
    coefficient = _fixed_coefficient(patient)
    kl = patient.find("policy/kl_ref", "policy/kl_ref_sequence", "policy/approx_kl")
    if coefficient is None or coefficient < STRANGLING or kl is None or len(kl) < MIN_POINTS:
        return None
    middle = float(np.median(kl.values))
    held = patient.health.gets_nowhere or coefficient >= FIRMLY
    if middle > STILL or not (patient.health.struggles and held):
        return None
    return Hit(
        series=kl.name,
        span=kl.span(),
        message=(
            f"KL coefficient of {coefficient:g} holds the policy at its reference: "
            f"median KL {number(middle, 2)}, and the outcome is not doing well"
        ),
        advice="lower the KL coefficient; 0.001 to 0.2 is usual",
        causes=("KL coefficient too large",),
    )


def _fixed_coefficient(patient: Patient) -> float | None:
    """The coefficient, unless a controller moves it: that may go high to hold back a policy."""
    logged = patient.find("policy/kl_coef")
    if logged is not None and float(np.ptp(logged.values)) > 0:
        return None
    return _coefficient(patient)


def _coefficient(patient: Patient) -> float | None:
    logged = patient.find("policy/kl_coef")
    return patient.number("kl_coef") if logged is None else float(np.median(logged.values))


def _penalty(patient: Patient) -> Series | None:
    logged = patient.find("reward/kl_penalty_mean")
    if logged is not None:
        return logged
    kl, coefficient = patient.find("policy/kl_ref_sequence"), _coefficient(patient)
    if kl is None or coefficient is None:
        return None
    return Series(kl.name, kl.steps, coefficient * kl.values, kl.times, kl.metric, kl.labels)
