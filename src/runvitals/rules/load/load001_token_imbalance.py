from runvitals.rules.kit import Hit, Patient, Series, above, rule
from runvitals.signals.pairs import aligned, ratio


@rule(
    "LOAD001",
    severity="notice",
    needs=["balance/seqlen_mean|balance/seqlen_max", "balance/seqlen_max|balance/seqlen_diff"],
    min_points=12,
)
def token_imbalance(
    patient: Patient, *, limit: float = 0.2, balanced_limit: float = 0.5
) -> Hit | None:
    """Some ranks have far more tokens to process than others.

    ## What it looks for
    The heaviest rank minus the lightest, relative to the mean, for a fifth of the run.

    - Notice: above 20%.
    - Warning: above 50% after balancing, which means that balancing does not work. If only the
      load before balancing was logged, that counts.

    ## Why it matters
    In every step, all ranks wait for the heaviest one.

    ## Usual causes
    1. Batch balancing is off.
    2. A few very long sequences.
    3. Too few sequences per rank.

    ## What to try
    Switch on sequence balancing and dynamic batch sizes. Cap the longest sequences.

    ## When to ignore it
    There are only a few sequences per rank, so nothing can be balanced.

    ## Sources
    Training Metrics Glossary (difference between ranks); SageMaker Debugger (LoadBalancing, 0.5).
    """
    size = patient["balance/seqlen_mean|balance/seqlen_max"]
    balanced = _apart(patient, "balance/seqlen_balanced_max", "balance/seqlen_balanced_min")
    apart = balanced or patient.find("balance/seqlen_diff")
    apart = apart or _apart(patient, "balance/seqlen_max", "balance/seqlen_min")
    if apart is None:
        return None
    shares = ratio(apart, size)
    large = above(shares, balanced_limit)
    found = large or above(shares, limit)
    return found and found.hit(
        f"token load differs between ranks by {found.level:.0%} of the mean"
        + (" after balancing" if balanced is not None else ""),
        advice="switch on sequence balancing and dynamic batch sizes",
        severity="warning" if large else "notice",
        causes=("balancing is off", "a few very long sequences", "too few sequences per rank"),
    )


def _apart(patient: Patient, most: str, least: str) -> Series | None:
    """The heaviest rank minus the lightest."""
    high, low = patient.find(most), patient.find(least)
    if high is None or low is None:
        return None
    _, top, bottom = aligned(high, low)
    if len(top) != len(high):
        return None
    return Series(high.name, high.steps, top - bottom, high.times, most)
