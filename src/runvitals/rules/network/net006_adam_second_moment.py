from collections.abc import Iterator

import numpy as np

from runvitals.rules.kit import Hit, Limit, Patient, rule, stretch
from runvitals.rules.watched import parts, whole
from runvitals.signals.late import THIRD, late, late_median

RMS, EPS = "net/adam_rms", "net/adam_below_eps"
MIN_ABOVE = 3  # of the last third: one spike is an event, not a disease (judgement)


@rule("NET006", excused_by_outcome=True, min_points=6, needs=[f"{RMS}|{EPS}"])
def adam_second_moment(
    patient: Patient, *, limit: float | None = None, eps_share: float = 0.5
) -> Iterator[Hit | None]:
    """Adam's second moment does not fit the gradients: it is out of date, or smaller than eps.

    ## What it looks for
    Either of these:

    - `net/adam_rms`, the root of the mean of g^2 / v, is above 2.3 (`limit`) in at least half of
      the blocks, in at least three measurements of the last third.
    - `net/adam_below_eps` is above 0.5 (`eps_share`): for most weights, eps is larger than the root
      of v.

    A warning if the outcome is not doing well, otherwise a notice.

    ## Why it matters
    If gradients grow faster than Adam's memory, updates become several times too large and the loss
    spikes. Below eps, the step shrinks with the gradient, so the learning rate no longer sets its
    size.

    ## Usual causes
    1. A beta2 of 0.999 where gradients change quickly: large batches, new data, reinforcement
       learning.
    2. An eps too large for the scale of the gradients, for example because the loss is divided by a
       large number.

    ## What to try
    Set beta2 to between 0.95 and 0.98, clip updates (StableAdamW), or use a smaller eps.

    ## When to ignore it
    Embeddings, if only a few rows occur in each batch.

    ## Sources
    Wortsman et al., "Stable and low-precision training for large-scale vision-language models"
    (2023): RMS spikes above 2.3 come before loss spikes. The share is a judgement.
    """
    yield _out_of_date(patient, patient.band(RMS, option=limit))
    below = patient.find(EPS)
    if below is not None:
        share = min(1.0, late_median(below.values, THIRD))
        if share > eps_share:
            yield stretch(below, len(below) - len(late(below.values, THIRD))).hit(
                f"Adam's eps sets the step size of {share:.0%} of the weights",
                advice="use a smaller eps, or scale the loss up",
                causes=("eps too large for the gradients",),
                limit=Limit(eps_share, "half of the weights"),
            )


def _out_of_date(patient: Patient, bound: Limit | None) -> Hit | None:
    """Gradients that are several times as large as the second moment expects."""
    blocks, total = list(parts(patient, RMS, "block").values()), whole(patient, RMS)
    blocks = blocks or ([] if total is None else [total])
    if not blocks or bound is None:
        return None
    shortest = min(map(len, blocks))
    tails = np.stack([late(one.values[-shortest:], THIRD) for one in blocks])
    typical = np.median(tails, axis=0)
    if int(np.count_nonzero(typical > bound.value)) < MIN_ABOVE:
        return None
    shown = total if total is not None else blocks[0]
    return stretch(shown, len(shown) - tails.shape[1]).hit(
        f"gradients are up to {min(float(typical.max()), 1e100):.3g} times what Adam's "
        "second moment expects",
        advice="lower beta2 to 0.95, or clip updates",
        causes=("beta2 too large for gradients that change quickly",),
        limit=bound,
    )
