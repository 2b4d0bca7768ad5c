from runvitals.rules.kit import Hit, Patient, below, number, rule
from runvitals.rules.kl import FAR_BEYOND, reference_kls

NOISE = 0.01  # of the KL that is too high: estimates stray closer to 0 than this (judgement)


@rule(
    "KL005", needs=["policy/kl_ref|policy/kl_ref_sequence"], excused_by_outcome=True, min_points=12
)
def ref_kl_negative(patient: Patient, *, limit: float | None = None) -> Hit | None:
    """The KL to the reference is negative, and stays negative.

    ## What it looks for
    The level of the KL to the reference is negative for a fifth of the run, by more than a hundredth
    of what is too high for KL004 (0.01 per token). It is a warning if the outcome is not doing well,
    otherwise a notice; ten times that is critical if the outcome is not doing well.

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
    kl, _, most, _ = next(reference_kls(patient))
    bound = patient.limit(
        limit, otherwise=-NOISE * most.value, why="beyond the noise of the estimate"
    )
    found = below(kl, bound)
    if found is None:
        return None
    gross = found.level < FAR_BEYOND * bound.value
    return found.hit(
        f"KL to the reference negative in {found.count:,} updates since step {found.step:,}, "
        f"median {number(found.level, 3)}",
        advice="sample without top-k, top-p or forced lengths, and apply the sampling temperature to "
        "the log-probabilities too",
        causes=(
            "generation and scoring use different settings",
            "temperature not applied to log-probabilities",
            "dropout is active in one of the models",
        ),
        grave=gross,
    )
