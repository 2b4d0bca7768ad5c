from dataclasses import replace

import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, above, constant, fell, jumped, number, rule
from runvitals.signals.pairs import aligned


@rule("ADV001", needs=["advantage/std|advantage/mean"], excused_by_outcome=True, min_points=20)
def advantage_off_centre_or_collapsed(
    patient: Patient, *, mean_limit: float | None = None
) -> Hit | None:
    """Advantages are not centred around zero, or have collapsed to it.

    ## What it looks for
    Over at least 20 points, the first of these that holds:

    - **Collapsed**, unless the task is solved: their standard deviation has fallen to a tenth of its
      early level, or is exactly 0 in the last 10 updates.
    - **Off centre**: in a fifth of the run their mean is farther from zero than the healthy range
      (0.1 standard deviations), or than `mean_limit`.
    - **Sign flips**: the mean is twice as far on one side of zero for at least 10 updates, and then
      on the other.

    If no standard deviation of the advantages was logged, that of the returns is used. If that is
    missing too, 1 is used, as for normalised advantages.

    It is a warning if the outcome is not doing well, otherwise a notice, because tools log this
    number before or after normalising, per token or per sample.

    ## Why it matters
    An offset pushes up or down the probability of every action taken, good or bad. A collapse
    leaves nothing to learn from.

    ## Usual causes
    1. All rewards are equal (REW004, REW009).
    2. Normalisation is missing, or uses the wrong axis or mask.
    3. The critic is off by a constant.
    4. There is one sample per group, so the advantage is the raw reward.

    ## What to try
    Print the rewards of one group. Check the axis and the mask of the advantage normalisation.

    ## When to ignore it
    The task is solved and every advantage is zero.

    ## Sources
    RL metrics table (advantages centred at 0); Training Metrics Glossary (sign flips, collapse);
    Training Metrics and Telemetry.
    """
    return _collapsed(patient) or _off_centre(patient, mean_limit)


def _collapsed(patient: Patient) -> Hit | None:
    std = patient.find("advantage/std")
    if std is None or patient.health.solved or patient.health.early:
        return None
    found = constant(std, 10, value=0.0) or fell(std, 0.1) or jumped(std, 0.1)
    return found and found.hit(
        f"advantages have collapsed: standard deviation {number(std.last, 2)} since step "
        f"{found.step:,}",
        advice="print the rewards of one batch; if they are all equal, fix the reward",
        causes=("all rewards are equal", "the critic sees the return (a leak)"),
    )


def _off_centre(patient: Patient, mean_limit: float | None) -> Hit | None:
    mean, limit = _in_spreads(patient), patient.band("advantage/mean", option=mean_limit)
    if mean is None or limit is None:
        return None
    sides = mean, replace(mean, values=-mean.values)
    # far on one side of zero for ten updates or nearly, and then on the other
    flips = [above(side, 2 * limit.value, for_share=8 / len(mean)) for side in sides]
    found, message = flips[0] and flips[1], "mean advantage changes sign for long"
    if found is None and (found := above(sides[0], limit) or above(sides[1], limit)) is not None:
        message = (
            f"mean advantage is {number(found.level, 2)} standard deviations from zero "
            f"in {found.count:,} updates"
        )
    return found and found.hit(
        message,
        advice="check the axis and the mask of the advantage normalisation",
        causes=("normalisation missing or over the wrong axis", "critic off by a constant"),
    )


def _in_spreads(patient: Patient) -> Series | None:
    """The mean advantage, in standard deviations of the advantages."""
    mean, std = patient.find("advantage/mean"), patient.find("advantage/std", "returns/std")
    if mean is None or std is None:
        return mean
    steps, means, widths = aligned(mean, std)
    at = np.isin(mean.steps, steps)
    if not len(steps) or int(at.sum()) != len(steps) or float(np.median(widths)) <= 1e-9:
        return mean
    return replace(mean.where(at), values=means / np.maximum(widths, 1e-9))
