from collections.abc import Iterator

import numpy as np

from runvitals.rules.kit import Hit, Patient, fell, rule, stretch
from runvitals.signals.pairs import aligned


@rule(
    "CLIP003",
    needs=["policy/clip_fraction_low", "policy/clip_fraction_high"],
    excused_by_outcome=True,
    min_points=20,
)
def asymmetric_clipping(
    patient: Patient, *, times: float = 3.0, limit: float = 0.02
) -> Iterator[Hit]:
    """One bound of the clip range catches far more samples than the other.

    ## What it looks for
    The share of samples clipped at one bound is at least three times that at the other and above
    0.02, in 70% of at least 20 updates. It is a warning if the outcome is not doing well and
    entropy falls, otherwise a notice.

    ## Why it matters
    The upper bound keeps unlikely actions unlikely: a token at 1% can grow to 1.2% at most. When
    only that side clips, the policy narrows and exploration dies.

    ## Usual causes
    1. The same clip range is used for both sides, which starves unlikely tokens.
    2. There are far more positive than negative advantages, or the reverse.

    ## What to try
    Use two bounds, such as 0.2 below and 0.28 above. Then watch the entropy in case it starts to
    rise.

    ## When to ignore it
    Entropy holds and the outcome improves.

    ## Sources
    DAPO (clip-higher); TRL logs both sides separately; Training Metrics Glossary on clip fractions.
    """
    lower, upper = patient["policy/clip_fraction_low"], patient["policy/clip_fraction_high"]
    _, low, high = aligned(lower, upper)
    entropy = patient.find("policy/entropy")
    narrows = entropy is not None and fell(entropy, 0.8) is not None
    for side, one, more, other, less in (
        ("upper", upper, high, lower, low),
        ("lower", lower, low, upper, high),
    ):
        if not len(more) or float(((more > times * less) & (more > limit)).mean()) < 0.7:
            continue
        yield stretch(one).hit(
            f"{float(np.median(more)):.1%} of samples are clipped at the {side} bound, over "
            f"{times:g} times as many as at the other{', and entropy falls' * narrows}",
            advice="set the two bounds separately, such as 0.2 below and 0.28 above",
            severity=None if narrows else "notice",
            causes=("one clip range for both sides", "advantages mostly of one sign"),
            also=(other.name,),
        )
