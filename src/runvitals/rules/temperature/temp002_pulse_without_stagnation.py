import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, Span, rule, stretch
from runvitals.rules.outcome.course import course
from runvitals.rules.temperature import ACTIVE

MIN_PULSES = 3  # judgement: one may be chance
AT_PACE = 0.5  # of the run's own pace: less is near enough to a standstill (judgement)
TENTH = 10  # of the run, before a pulse, in which the reward should stand still


@rule("TEMP002", needs=["control/pulse_active"], excused_by_outcome=True, min_points=30)
def pulse_without_stagnation(patient: Patient, *, share: float = 0.6) -> Hit | None:
    """Exploration pulses come when they are not needed, or never end.

    ## What it looks for
    `control/pulse_active`:

    - It is on for more than 60% of the run (`share`): a warning.
    - Most pulses begin while the reward rises: a notice. The reward has to rise clearly over the
      run and, in the tenth of the run before the pulse, at no less than half of that pace.

    ## Why it matters
    A pulse is a medicine against stagnation. Given all the time, it keeps the policy from settling.

    ## Usual causes
    1. The test for stagnation is too sensitive.
    2. A pulse is never ended.
    3. Patience is only a single update.

    ## What to try
    Wait longer before a pulse, and end it after a few updates.

    ## When to ignore it
    Schedules that deliberately heat the policy for long.

    ## Sources
    Training Monitoring Guide (pulses should coincide with stagnation).
    """
    pulse = patient["control/pulse_active"]
    on = pulse.values > ACTIVE
    if float(on.mean()) <= share:
        return _needless(patient, pulse, np.flatnonzero(on[1:] & ~on[:-1]) + 1)
    where = np.flatnonzero(on)
    return stretch(pulse, int(where[0]), int(where[-1])).hit(
        f"a pulse is active for {on.mean():.0%} of the run",
        advice="end pulses after a few updates, and wait longer before the next",
        causes=("a pulse that never ends", "too little patience"),
    )


def _needless(patient: Patient, pulse: Series, starts: np.ndarray) -> Hit | None:
    reward = patient.find("reward/mean", "outcome/return_mean", "reward/score_mean")
    if reward is None or len(reward) < TENTH:
        return None
    way, before = course(reward.values), len(reward) // TENTH
    at = np.searchsorted(reward.steps, pulse.steps[starts]).clip(0, len(reward) - 1)
    at = at[at >= before]
    if len(at) < MIN_PULSES or not way.good:
        return None
    curve = way.level.curve
    rising = curve[at] - curve[at - before] > AT_PACE * way.change / TENTH
    if 2 * rising.sum() > len(at):
        return Hit(
            series=pulse.name,
            span=Span(int(pulse.steps[starts[0]]), int(pulse.steps[starts[-1]]), len(starts)),
            message=f"{rising.sum()} of {len(at)} pulses begin while {reward.name} still rises",
            advice="wait longer before a pulse, until the reward stands still",
            severity="notice",
            causes=("the test for stagnation is too sensitive",),
            also=(reward.name,),
        )
    return None
