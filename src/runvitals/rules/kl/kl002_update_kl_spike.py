import numpy as np

from runvitals.rules.checks import rate_at
from runvitals.rules.kit import Hit, Patient, how_often, number, rule, spiked
from runvitals.rules.kl import ANY_KL, FAR_BEYOND, all_kls
from runvitals.rules.learning_rate.used import rate_hint

MANY = 3  # spikes: KL has heavy tails, so that fewer may be chance


@rule("KL002", needs=[ANY_KL], excused_by_outcome=True, min_points=12)
def update_kl_spike(
    patient: Patient, *, limit: float | None = None, times: float = 5.0
) -> Hit | None:
    """Single updates move the policy much too far, repeatedly or right before the outcome falls.

    ## What it looks for
    Three points of the update KL, or of the KL to the reference, that are five times the recent
    median, eight robust deviations above it, and above twice the limit of KL001 or KL004. A single
    one is enough at ten times that limit. It is a warning if the outcome is not doing well,
    otherwise a notice.

    The message says what the learning rate did at the highest of them.

    ## Why it matters
    One such update can undo thousands of good ones. The policy lands where its data say nothing,
    and what it collects there teaches it the wrong thing.

    ## Usual causes
    1. A jump in the learning rate, or a mistake in its schedule.
    2. Too many epochs per batch.
    3. One odd batch, or an extreme advantage.
    4. A resume with a fresh optimiser.

    ## What to try
    Check the learning rate at that step first. Stop an update when the KL passes its target. Keep
    the checkpoint from before the spike.

    ## When to ignore it
    KL has heavy tails: a single spike that does not hurt the outcome is nothing to worry about.

    ## Sources
    Training Metrics and Telemetry; Training Metrics Glossary (KL spikes come before reward collapses).
    """
    for kl, bound in all_kls(patient, limit):
        found = spiked(kl, times, least=2 * bound.value)
        if found is None:
            continue
        if found.count < MANY and found.level < FAR_BEYOND * bound.value:
            continue
        peak = int(kl.steps[int(np.argmax(kl.values == found.level))])
        rate = rate_at(patient, peak, peak)
        others = ("too many epochs per batch", "an extreme advantage or an odd batch")
        if rate is None:
            where = f"check the learning rate and the batch at that step{rate_hint(patient)}"
        elif rate.suspect:
            where = "check the learning rate schedule at that step"
        else:
            where = "the schedule is not to blame: check that batch and the number of epochs"
        return found.hit(
            f"KL jumps {how_often(found.count)} to at least {times:g} times its level, up to "
            f"{number(found.level, 3)} at step {peak:,}{'' if rate is None else f'; {rate.words}'}",
            advice=f"{where}; stop updates early with a target KL",
            causes=("a jump in the learning rate", *others)
            if rate is None or rate.suspect
            else (*others, "learning rate too high"),
            also=(rate.series,) if rate is not None and rate.suspect else (),
        )
    return None
