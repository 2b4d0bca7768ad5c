from runvitals.rules.kit import Hit, Limit, Patient, above, number, rose, rule, spiked
from runvitals.rules.uneven import HELD, long_tails, lopsided


@rule(
    "ADV002",
    needs=["advantage/std|advantage/abs_mean|histogram:advantage"],
    excused_by_outcome=True,
    min_points=30,
    waits=True,
)
def advantage_extreme(patient: Patient, *, most: float = 100.0) -> Hit | None:
    """A few advantages are so large that they dominate the update.

    ## What it looks for
    Over at least 30 points, the first of these that holds:

    - A standard deviation above `most` (100) in half of the run: the advantages are not normalised.
    - A standard deviation that has grown to five times its early level, or jumped to five times its
      usual size in three single updates.
    - Logged histograms of advantages with long tails (the farthest 5% account for 30% of all
      deviation) or a skew beyond 1, in most of the last fifth of the run.

    It is a warning if the outcome is not doing well, otherwise a notice.

    ## Why it matters
    The gradient is a sum weighted by advantages. A sample with a hundred times the usual weight
    decides it alone.

    ## Usual causes
    1. Advantages are not normalised, and rewards are large.
    2. Some rewards are outliers (REW007).
    3. Advantages are divided by a tiny standard deviation within a group.
    4. The critic fails.

    ## What to try
    Normalise advantages per batch and clip rewards. In groups, raise the epsilon added to the
    standard deviation, or do not divide by it.

    ## When to ignore it
    Rewards are sparse, and the few successes should carry a lot of weight.

    ## Sources
    RL metrics table (balanced distribution); Training Metrics Glossary (an extreme spread means
    instability); the Dr. GRPO paper on dividing by the standard deviation.
    """
    return _wide(patient, most) or _uneven(patient)


def _wide(patient: Patient, most: float) -> Hit | None:
    """A spread that is large for long, grows, or jumps again and again."""
    series = patient.find("advantage/std", "advantage/abs_mean")
    if series is None:
        return None
    limit = Limit(most, "normalised advantages have a standard deviation of 1")
    if (found := above(series, limit, for_share=0.5)) is not None:
        return found.hit(
            f"advantages are not normalised: standard deviation {number(found.level, 3)}",
            advice="normalise advantages per batch, or scale rewards down",
            causes=("advantages not normalised", "rewards too large"),
        )
    if (found := rose(series, 5.0)) is not None:
        message = (
            f"standard deviation of advantages grew to {number(found.times, 3)} times its start"
        )
    elif (found := spiked(series, 5.0)) is not None and found.count >= 3:
        message = f"standard deviation of advantages spiked at {found.count} points"
    else:
        return None
    return found.hit(
        message,
        advice="clip rewards or advantages; look for groups with nearly equal rewards",
        causes=(
            "outliers among the rewards",
            "division by a tiny standard deviation",
            "the critic fails",
        ),
    )


def _uneven(patient: Patient) -> Hit | None:
    """What logged histograms show."""
    found = long_tails(patient, "advantage") or lopsided(patient, "advantage")
    return found and Hit(
        series=found.name,
        span=found.span,
        message=f"advantages have {found.words}",
        advice="clip rewards or advantages; look at the samples with the most weight",
        causes=("outliers among the rewards", "a reward that is rarely given"),
        limit=Limit(HELD, "RL metrics table: balanced, not skewed"),
    )
