"""KL005."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.model.formatting import number
from runvitals.rules.kl._limits import reference_kl
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import sustained_below

PER_TOKEN, PER_SEQUENCE = (
    -0.01,
    -1.0,
)  # nats; noise of an estimator is closer to 0 (judgement)
GROSS = 10.0  # times that (judgement)
MIN_SHARE = 0.2  # of the run (judgement)
MIN_POINTS = 12  # judgement


@rule(
    "KL005",
    "ref-kl-negative",
    severity="warning",
    needs=["policy/kl_ref|policy/kl_ref_sequence"],
    families=["policy-gradient"],
)
def ref_kl_negative(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """The KL to the reference is negative, and stays negative.

    ## What it looks for
    The KL to the reference is below -0.01 per token, or -1 per response, in 8 of 10 updates and for
    at least a fifth of the run. It is critical below ten times that, and a notice while the outcome
    is doing well.

    ## Why it matters
    A true KL is never negative. The estimate is the mean log-ratio over the samples. It stays
    negative only if the samples do not come from the policy whose log-probabilities are used. The
    penalty then rewards the policy for making its own words unlikely.

    ## Usual causes
    1. Generation differs from scoring: top-k, top-p, a minimum length, a forbidden end token,
       padding.
    2. The sampling temperature is not applied to the log-probabilities.
    3. Dropout is active in one of the two models.

    ## What to try
    Sample at temperature 1 without top-k and top-p, and switch dropout off. Compare the
    log-probabilities of one fixed batch under both models.

    ## When to ignore it
    Small, short dips below zero are estimation noise, especially at the start, when both models are
    the same.

    ## Sources
    RL metrics table (small and positive); TRL's maintainers on negative KL.
    """
    found = reference_kl(patient)
    if found is None or len(found[0]) < MIN_POINTS:
        return
    kl, summed = found
    bound = patient.limit(
        limit,
        otherwise=PER_SEQUENCE if summed else PER_TOKEN,
        why="beyond the noise of the estimate",
    )
    stretches = sustained_below(kl.values, bound.value)
    stretch = max(stretches, key=lambda one: one.beyond) if stretches else None
    if stretch is None or stretch.beyond < MIN_SHARE * len(kl):
        return
    middle = float(np.median(kl.values[stretch.first : stretch.last + 1]))
    severity: Severity = "critical" if middle < GROSS * bound.value else "warning"
    if patient.health.good:
        severity = "notice"
    yield Hit(
        series=kl.name,
        span=stretch.span(kl),
        message=(
            f"KL to the reference negative in {stretch.beyond:,} updates "
            f"since step {int(kl.steps[stretch.first]):,}, median {number(middle, 3)}"
        ),
        advice=(
            "sample without top-k, top-p or forced lengths, and apply the sampling temperature to "
            "the log-probabilities too"
        ),
        severity=severity,
        causes=(
            "generation and scoring use different settings",
            "temperature not applied to log-probabilities",
            "dropout is active in one of the models",
        ),
        limit=bound,
    )
