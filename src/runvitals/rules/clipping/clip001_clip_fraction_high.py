import math

import numpy as np

from runvitals.rules.kit import Detection, Hit, Patient, above, is_above, number, rule
from runvitals.rules.kl import is_above_its_limit, update_kl
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.policy import log_is_rounded

MOST = 0.6  # of the samples: three times the RL metrics table's, so that few of them teach anything
TIGHT = 0.02  # a clip range below is itself what is wrong (0.1 to 0.3 is usual)

CONTRADICTION = (
    "clip fraction of {} contradicts the KL: updates that small keep ratios within {} of 1, so the "
    "clip range is about 0, or samples are counted as clipped that are not"
)


@rule("CLIP001", when=is_above("policy/clip_fraction"), excused_by_outcome=True, min_points=20)
def clip_fraction_high(found: Detection, patient: Patient) -> Hit:
    """A large part of each batch is clipped away, update after update.

    ## What it looks for
    `policy/clip_fraction` above the limit for a fifth of the run. The limit is 0.3, or 0.2 for
    language models. It is a warning if the outcome is not doing well (critical above 0.6), and a
    notice if it is or if none was logged. Three cases are warnings even if the outcome is good:

    - The clip fraction is above 0.6 at the end of the run, and the update KL, if logged, is above
      its limit too.
    - The clip range is below 0.02 in a control task.
    - The KL is so small that ratios cannot have left any usual clip range (below 0.02): then the
      clip range is about 0, or samples are counted as clipped that are not.

    ## Why it matters
    A clipped sample teaches nothing. When most samples are clipped, a few decide the update, and
    the policy has already moved further than it should.

    ## Usual causes
    1. Learning rate too high.
    2. Too many epochs per batch.
    3. Clip range too small.
    4. Small, noisy batches.
    5. Stale rollouts.

    ## What to try
    Lower the learning rate or the number of epochs first. Then adjust the clip range. Lower it if
    the KL is high too: the updates are too large. Widen it if the KL is small.

    ## When to ignore it
    Many tuned runs with continuous actions learn well at 0.2 to 0.35.

    ## Sources
    Training Monitoring Guide (0.1 to 0.3); RL metrics table (below 0.2); Training Metrics
    and Telemetry; Training Metrics Glossary.
    """
    width, widest = patient.number("clip_range"), _widest_range(patient, found.level)
    tight = width is not None and width < TIGHT
    misfit = patient.kind == "on-policy" and widest < TIGHT and not tight
    message = (
        f"clip fraction above {number(found.bound, 2)} in {found.count:,} updates since step "
        f"{found.step:,}, median {number(found.level, 2)}"
    )
    if misfit:
        message = CONTRADICTION.format(number(found.level, 2), number(widest, 2))
    advice, causes = _remedy(patient, tight=tight, misfit=misfit)
    gross = above(found.series, max(MOST, found.bound), to_end=True) is not None
    too_far = gross and is_above_its_limit(patient) is not False
    return found.hit(
        message,
        advice=advice,
        causes=causes,
        grave=gross,
        beyond_excuse=too_far or misfit or (tight and patient.kind == "on-policy"),
    )


def _remedy(patient: Patient, *, tight: bool, misfit: bool) -> tuple[str, tuple[str, ...]]:
    """Advice and causes."""
    width = patient.number("clip_range")
    known = "" if width is None else f" (this run: {width:g})"
    if tight:
        return f"widen the clip range{known}; 0.1 to 0.3 is usual", ("clip range too small",)
    if misfit:
        advice = f"log the clip range that is used{known} and the ratios of one batch"
        return advice, ("clip range of almost 0", "clipping counted wrongly")
    way = "widen" if is_above_its_limit(patient) is False else "lower"
    advice = (
        f"lower the learning rate{rate_hint(patient)} or use fewer epochs per batch; then {way} "
        f"the clip range{known}{', since the KL is within its limit' * (way == 'widen')}"
    )
    return advice, ("learning rate too high", "too many epochs per batch", "small, noisy batches")


def _widest_range(patient: Patient, share: float) -> float:
    """The widest clip range that fits the KL, if this share of the ratios is beyond it.

    A ratio beyond the clip costs a KL of half the square of the clip, at least.
    """
    kl = update_kl(patient)
    if kl is None or log_is_rounded(patient):
        return math.inf
    return math.sqrt(2 * float(np.median(np.abs(kl.values))) / share)
