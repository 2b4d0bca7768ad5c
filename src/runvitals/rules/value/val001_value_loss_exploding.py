import numpy as np

from runvitals.rules.kit import (
    Hit,
    Limit,
    Patient,
    Series,
    above,
    jumped,
    rule,
    short_number,
    spiked,
)
from runvitals.rules.value import largest_return, per_lowest, per_return

RISES = 2.0  # times its lowest, while the outcome suffers (judgement)
HUGE = 4.0  # times the square of the largest return; healthy critics of known runs stay below 0.1
SPIKE = 30.0  # times the points before (judgement)
CAUSES = ("scale of the returns", "critic's learning rate too high", "a bug in the returns")


@rule(
    "VAL001",
    needs=["value/loss|value/error"],
    families=["rl"],
    excused_by_outcome=True,
    min_points=20,
)
def value_loss_exploding(patient: Patient, *, factor: float = 3.0) -> Hit | None:
    """The critic's loss explodes, keeps rising, spikes, or is huge.

    ## What it looks for
    The value loss or value error, measured by the returns: per variance of the returns, or per
    square of the largest return so far if the variance was not logged.

    - **Is huge**: above 4 times the square of the largest return for a fifth of the run. That of an
      off-policy critic is a warning whatever the outcome: its targets have diverged with its values.
    - **Rises**: for a fifth of the run it is above twice its lowest level so far, while the
      outcome falls or gets nowhere.
    - **Jumps**: the loss as logged changed its level at once by `factor` (3), while the outcome is
      doing well.
    - **Spikes**: several single updates at 30 times the updates before, and 30 times what is usual.

    Losses of off-policy critics rise with their values, so the last three count only while the
    outcome falls. A notice while the outcome is doing well, otherwise a warning.

    ## Why it matters
    The critic's errors become the policy's advantages.

    ## Usual causes
    1. The scale of rewards or returns.
    2. The critic's learning rate.
    3. A bug in the returns, or in bootstrapping at the end of episodes.
    4. Observations that are not normalised.
    5. A target network that is never updated, or at every step.

    ## What to try
    Print returns next to predictions for one episode. Normalise returns, lower the critic's
    learning rate, and check the mask at the end of episodes.

    ## When to ignore it
    Off-policy critics while values are still being learned: their loss may grow on the way up.

    ## Sources
    Training Metrics and Telemetry (value loss huge or rising); RL metrics table (error falls
    smoothly, no big spikes of the loss); RLExplorer's loss check.
    """
    for metric, what in (("value/loss", "value loss"), ("value/error", "value error")):
        loss = patient.find(metric)
        if loss is not None and (hit := _hit(patient, loss, what, factor)) is not None:
            return hit
    return None


def _hit(patient: Patient, loss: Series, what: str, factor: float) -> Hit | None:
    size = largest_return(patient) or 0.0
    huge = Limit(HUGE * max(size, 1.0) ** 2, f"{HUGE:g} times the square of the largest return")
    if size and (found := above(loss, huge)):
        return found.hit(
            f"{what} is huge: {short_number(found.level)}, although the largest return was only "
            f"{short_number(size)}",
            advice="scale rewards or normalise returns, then check how returns are computed",
            causes=CAUSES,
            beyond_excuse=patient.kind == "off-policy",  # targets made of its own values diverge
        )
    if patient.kind == "off-policy" and not patient.health.falls:
        return None  # its targets move with its values, and take the loss with them
    measured = per_return(patient, loss)
    harm = patient.health.struggles
    if found := above(per_lowest(measured), RISES) if harm else jumped(loss, factor):
        times, than = (found.level, "its lowest") if harm else (found.times, "what it was")
        return found.hit(
            f"{what}{', measured by the returns,' * harm} is {short_number(times)} times {than}",
            advice="print returns next to predictions for one episode, normalise returns, and lower "
            "the critic's learning rate",
            causes=CAUSES,
        )
    usual = float(np.median(measured.values)) if len(measured) else 0.0
    found = spiked(measured, SPIKE, least=SPIKE * usual)
    if found is not None and found.count > 1:
        return found.hit(
            f"{what} spikes in {found.count:,} updates, up to {short_number(found.times)} times its "
            "usual level",
            advice="look at the returns of these updates; clip rewards or the critic's gradient",
            causes=("outliers among the returns", *CAUSES),
        )
    return None
