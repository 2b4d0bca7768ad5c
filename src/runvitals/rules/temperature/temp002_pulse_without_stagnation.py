"""TEMP002."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Severity, Span
from runvitals.rules.outcome import course
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.temperature._controller import ACTIVE
from runvitals.signals.late import points_in

MIN_POINTS = 30  # judgement
MIN_PULSES = 3  # judgement: one may be chance
MOST_OF_THEM = 0.5  # of the pulses (judgement)
MAX_PULSES = 40  # looked at; more do not change the answer
BEFORE, MIN_BEFORE = 0.1, 10  # of the run, and points, in which the reward should stand still
AT_PACE = 0.5  # of the run's own pace: less is near enough to a standstill (judgement)


@rule(
    "TEMP002",
    "pulse-without-stagnation",
    severity="warning",
    needs=["control/pulse_active"],
)
def pulse_without_stagnation(patient: Patient, *, share: float = 0.6) -> Iterator[Hit]:
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
    if len(pulse) < MIN_POINTS:
        return
    on = pulse.values > ACTIVE
    if float(on.mean()) > share:
        severity: Severity | None = None
        if patient.health.good or patient.health.silent:
            severity = "notice"
        where = np.flatnonzero(on)
        yield Hit(
            series=pulse.name,
            span=pulse.span(int(where[0]), int(where[-1])),
            message=f"a pulse is active for {on.mean():.0%} of the run",
            advice="end pulses after a few updates, and wait longer before the next",
            severity=severity,
            causes=("a pulse that never ends", "too little patience"),
        )
        return
    yield from _needless(patient, pulse, on)


def _needless(patient: Patient, pulse: Series, on: np.ndarray) -> Iterator[Hit]:
    reward = patient.find("reward/mean", "outcome/return_mean", "reward/score_mean")
    starts = np.flatnonzero(on[1:] & ~on[:-1]) + 1
    if reward is None or len(starts) < MIN_PULSES or len(reward) < MIN_POINTS:
        return
    way = course(reward.values)
    if not way.good or not way.clearly_gained:
        return
    before = points_in(len(reward), BEFORE, MIN_BEFORE)
    pace = way.change / len(reward)
    judged = rising = 0
    for start in starts[:: max(1, len(starts) // MAX_PULSES)].tolist():
        at = int(np.searchsorted(reward.steps, pulse.steps[start]))
        if at >= 2 * before:
            judged += 1
            gained = np.mean(reward.values[at - before : at])
            gained -= np.mean(reward.values[at - 2 * before : at - before])
            rising += bool(gained >= AT_PACE * pace * before)
    if judged >= MIN_PULSES and rising > MOST_OF_THEM * judged:
        yield Hit(
            series=pulse.name,
            span=Span(int(pulse.steps[starts[0]]), int(pulse.steps[starts[-1]]), len(starts)),
            message=f"{rising} of {judged} pulses begin while {reward.name} still rises",
            advice="wait longer before a pulse, until the reward stands still",
            severity="notice",
            causes=("the test for stagnation is too sensitive",),
            also=(reward.name,),
        )
