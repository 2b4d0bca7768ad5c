"""LOAD001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import sustained_above
from runvitals.signals.pairs import aligned

MIN_POINTS = 12  # judgement
MIN_SHARE = 0.5  # of the run (judgement): a few odd batches are not an imbalance


@rule(
    "LOAD001",
    "token-imbalance",
    severity="notice",
    needs=["balance/seqlen_mean|balance/seqlen_max", "balance/seqlen_max|balance/seqlen_diff"],
)
def token_imbalance(
    patient: Patient, *, limit: float = 0.2, balanced_limit: float = 0.5
) -> Iterator[Hit]:
    """Some ranks have far more tokens to process than others.

    ## What it looks for
    The heaviest rank minus the lightest, relative to the mean, in 8 of 10 steps and half of the
    run.

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
    after = _imbalance(patient, "balance/seqlen_balanced_max", "balance/seqlen_balanced_min")
    if after is not None:
        what = " after balancing"
        hit = _hit(after, balanced_limit, "warning", what) or _hit(after, limit, "notice", what)
        if hit is not None:
            yield hit
        return
    before = _difference(patient) or _imbalance(patient, "balance/seqlen_max", "balance/seqlen_min")
    if before is not None:
        hit = _hit(before, balanced_limit, "warning", "") or _hit(before, limit, "notice", "")
        if hit is not None:
            yield hit


def _difference(patient: Patient) -> Series | None:
    """The difference as it was logged, over the mean, or over the heaviest rank without one."""
    apart = patient.find("balance/seqlen_diff")
    size = patient.find("balance/seqlen_mean", "balance/seqlen_max")
    if apart is None or size is None:
        return None
    steps, apart_by, usual = aligned(apart, size)
    if len(steps) != len(apart):
        return None
    shares = np.divide(apart_by, usual, out=np.zeros_like(apart_by), where=usual > 0)
    return Series(apart.name, apart.steps, shares, apart.times, apart.metric)


def _imbalance(patient: Patient, most: str, least: str) -> Series | None:
    high, low = patient.find(most), patient.find(least)
    mean = patient.find("balance/seqlen_mean")
    if high is None or low is None:
        return None
    _, top, bottom = aligned(high, low)
    if len(top) != len(high):
        return None
    middle = (top + bottom) / 2
    if mean is not None and len(mean) == len(high):
        middle = mean.values
    shares = np.divide(top - bottom, middle, out=np.zeros_like(top), where=middle > 0)
    return Series(high.name, high.steps, shares, high.times, most)


def _hit(shares: Series, limit: float, severity: Severity, when: str) -> Hit | None:
    if len(shares) < MIN_POINTS:
        return None
    long = [
        one
        for one in sustained_above(shares.values, limit)
        if one.beyond >= MIN_SHARE * len(shares)
    ]
    if not long:
        return None
    stretch = max(long, key=lambda one: one.beyond)
    middle = float(np.median(shares.values[stretch.first : stretch.last + 1]))
    return Hit(
        series=shares.name,
        span=stretch.span(shares),
        message=f"token load differs between ranks by {middle:.0%} of the mean{when}",
        advice="switch on sequence balancing and dynamic batch sizes",
        severity=severity,
        causes=("balancing is off", "a few very long sequences", "too few sequences per rank"),
    )
