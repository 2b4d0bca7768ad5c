"""CLIP003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.policy._updates import thinned
from runvitals.rules.registry import rule
from runvitals.signals.pairs import aligned
from runvitals.signals.trend import trend

MIN_POINTS = 20  # judgement
MOST_OF_RUN = 0.7  # judgement


@rule(
    "CLIP003",
    "asymmetric-clipping",
    severity="warning",
    needs=["policy/clip_fraction_low", "policy/clip_fraction_high"],
    families=["policy-gradient"],
)
def asymmetric_clipping(
    patient: Patient, *, times: float = 3.0, limit: float = 0.02
) -> Iterator[Hit]:
    """One side of the clip holds far more samples than the other.

    ## What it looks for
    The share clipped at one bound at least three times that at the other, and above 0.02, in 70 % of at
    least 20 updates. A warning when the outcome does not do well and entropy falls; else a notice.

    ## Why it matters
    The upper bound keeps unlikely actions unlikely: a token at one percent can at most grow to 1.2
    percent. When only that side clips, the policy narrows, and exploration dies.

    ## Usual causes
    1. One clip range for both sides, which starves unlikely tokens.
    2. Far more positive than negative advantages, or the reverse.

    ## What to try
    Use two bounds, such as 0.2 below and 0.28 above, and watch the entropy for the opposite afterwards.

    ## When to ignore it
    While entropy holds and the outcome improves.

    ## Sources
    DAPO (clip-higher); TRL logs both sides apart; Training Metrics Glossary on clip fractions.
    """
    lower, upper = patient["policy/clip_fraction_low"], patient["policy/clip_fraction_high"]
    _, low, high = aligned(lower, upper)
    if len(low) < MIN_POINTS:
        return
    above = (high > times * low) & (high > limit)
    below = (low > times * high) & (low > limit)
    more, side, series = (
        (above, "upper", upper) if above.mean() >= below.mean() else (below, "lower", lower)
    )
    if more.mean() < MOST_OF_RUN:
        return
    entropy = patient.find("policy/entropy")
    narrows = entropy is not None and trend(thinned(entropy.values)).down
    severity: Severity = "warning" if patient.health.struggles and narrows else "notice"
    middle = float(np.median(series.values))
    yield Hit(
        series=series.name,
        span=series.span(),
        message=(
            f"{middle:.2g} of the samples clipped at the {side} bound, {times:g} times as many as at "
            f"the other{', and entropy falls' if narrows else ''}"
        ),
        advice="give the two bounds ranges of their own, such as 0.2 below and 0.28 above",
        severity=severity,
        causes=("one clip range for both sides", "advantages mostly of one sign"),
        also=(lower.name if series is upper else upper.name,),
    )
