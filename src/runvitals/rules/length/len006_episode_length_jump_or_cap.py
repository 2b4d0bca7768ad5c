"""LEN006."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Limit, Series
from runvitals.model.formatting import number
from runvitals.rules.outcome.tasks import titles_of
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import so_far, suffers
from runvitals.signals.change import Shift, level_shift
from runvitals.signals.crossing import Stretch, frozen, lasting
from runvitals.signals.late import early_median, late

# steps after which well-known tasks end an episode by themselves
TIME_LIMITS = {
    "cartpole-v0": 200,
    "cartpole-v1": 500,
    "cartpole": 500,
    "acrobot": 500,
    "lunarlander": 1000,
    "bipedalwalker-v3": 1600,
    "bipedalwalkerhardcore": 2000,
    "hopper": 1000,
    "walker2d": 1000,
    "ant": 1000,
    "humanoid": 1000,
}

MIN_POINTS = 12  # judgement
MIN_LATE = 5  # points that tell where it ended
MIN_FACTS = 3  # points, for what is not a matter of chance
ONE_STEP = 1.5  # steps on average: most episodes end with their first action
FROZEN = 20  # points of exactly one length (judgement)
LAST = 3  # points: a partial batch at the end may differ
FAR_BELOW = 0.5  # of the task's own limit (judgement)
LONG_ONCE, ENDS_AT_ONCE = 10, 3  # steps of an episode (judgement)
JUMP = 0.3  # of the length before (judgement)
FAR = 1.7  # times: nearly doubled, or nearly halved (judgement)
HALF = 0.5  # of the length before (judgement)
AT_ONCE, MOSTLY = (
    0.8,
    0.5,
)  # of the jump, within a few points, if all is well and if not (judgement)
A_FEW = 0.025  # of the points: those next to the jump (judgement)
TOGETHER = 0.05  # of the run: the outcome jumps at the same time (judgement)
DOUBLED = 1.0  # of the outcome at the start, by which it rose (judgement)
BANDITS = ("bandit", "contextual", "one-step", "onestep", "single-step")


@rule(
    "LEN006",
    "episode-length-jump-or-cap",
    severity="notice",
    needs=["outcome/episode_length_mean"],
    families=["control"],
)
def episode_length_jump_or_cap(patient: Patient, *, cap: float | None = None) -> Iterator[Hit]:
    """Episodes hit a time limit that is too short, end at once, or abruptly change length.

    ## What it looks for
    The mean episode length. Any of these:

    - It is exactly the same for 20 points and less than half of the task's known limit. This is a
      warning.
    - It falls from ten steps or more to below three while the outcome is not improving. This is a
      warning.
    - Episodes last one step (1.5 on average at most) at all points, with at least three, or in at
      least the later half of the run. This is a warning, or a notice if the outcome is doing well
      or the name of the task or of the run says it is a bandit. If every episode lasts exactly one
      step throughout, it is a notice only with such a name, or if the outcome is solved or has at
      least doubled: in a task that was meant to be longer, a first action decides little.
    - Its level shifts by 30% and five times the noise. This is a notice. It is a warning if the
      outcome falls, or if the outcome is clearly bad and the length changed by a factor of 1.7.

    A length that changes gradually is what learning looks like. So at least half of a shift must
    lie between the few points before it and the few after it. While the outcome is doing well, a
    shift counts only if the length changes by half, four fifths of that at once, and the outcome
    does not change with it.

    ## Why it matters
    The agent cannot learn what happens after the limit, and treating truncation as termination
    teaches the critic a wrong value. A jump means that behaviour or environment changed.

    ## Usual causes
    1. Time limit too short, or truncation treated as termination.
    2. Behaviour changed, for better or worse.
    3. The reset is broken.
    4. The agent stalls, or ends episodes to avoid a penalty.

    ## What to try
    Check the environment's time limit. Watch an episode from each side of a jump. Bootstrap the
    value of truncated episodes.

    ## When to ignore it
    Episodes have a fixed length, or the jump comes with a better return.

    ## Sources
    Training Metrics and Telemetry (sudden jumps); SB3's tips on time limits; RLExplorer.
    """
    length = patient["outcome/episode_length_mean"]
    hit = _single_steps(patient, length)
    if hit is None and len(length) >= MIN_POINTS:
        hit = _at_cap(patient, length, cap) or _ends_at_once(patient, length)
        hit = hit or _jump(patient, length)
    if hit is not None:
        yield hit


def _single_steps(patient: Patient, length: Series) -> Hit | None:
    """Episodes that end with their first action, all along or for the later half of the run."""
    short = length.values <= ONE_STEP
    longer = np.flatnonzero(~short)
    first = int(longer[-1]) + 1 if len(longer) else 0
    count = len(length) - first
    if count < max(MIN_FACTS, len(length) / 2) or float(length.values[first:].min()) < 0:
        return None
    if first == 0 and float(length.values.max()) == 0:
        return None  # never anything but 0: no length was measured
    always = first == 0 and float(np.abs(length.values - 1).max()) == 0
    well = patient.health.good and (not always or _is_worth_a_task(patient))
    meant = well or _is_bandit(patient)
    since = "throughout" if first == 0 else f"from step {int(length.steps[first]):,} on"
    return Hit(
        series=length.name,
        span=Stretch(first, len(length) - 1, 0).span(length),
        message=f"episodes end after {_steps(float(length.values[first:].mean()))} {since}",
        advice="check the reset and the end condition of the environment",
        severity="notice" if meant else "warning",
        causes=("the environment ends at once", "broken reset", "a done flag that is always set"),
    )


def _is_worth_a_task(patient: Patient) -> bool:
    """Whether so much is learned that one step seems to be all there is to it."""
    outcome = patient.outcome
    if patient.health.solved or outcome is None:
        return patient.health.solved
    return outcome.course.change >= DOUBLED * abs(outcome.course.start)


def _is_bandit(patient: Patient) -> bool:
    """Whether the task, the run or its folder is called a task of one step."""
    called = (str(patient.setting("env_id") or ""), *titles_of(patient.run))
    return any(word in name.lower() for name in called for word in BANDITS)


def _steps(mean: float) -> str:
    shown = number(mean, 2)
    return f"{shown} step" if shown == "1" else f"{shown} steps"


def _at_cap(patient: Patient, length: Series, cap: float | None) -> Hit | None:
    at = lasting(frozen(length.values, least=FROZEN), len(length), least=LAST)
    if at is None:
        return None
    value = float(length.values[-1])
    limit = _limit(patient, cap)
    if limit is None or value <= 1 or value >= FAR_BELOW * limit.value:
        return None
    return Hit(
        series=length.name,
        span=at.span(length),
        message=f"every episode ends after exactly {value:g} steps; the task allows {limit.value:g}",
        advice="raise the time limit of the environment, and bootstrap at truncation",
        severity="warning",
        causes=("time limit too short", "truncation treated as termination"),
        limit=limit,
    )


def _limit(patient: Patient, cap: float | None) -> Limit | None:
    if cap is not None:
        return Limit(cap, "your option", from_run=True)
    task = patient.setting("env_id")
    if not isinstance(task, str):
        return None
    name = task.rpartition("/")[2].lower()
    plain = name.partition("-v")[0]
    usual = TIME_LIMITS.get(name) or TIME_LIMITS.get(plain)
    return None if usual is None else Limit(float(usual), f"the time limit of {task}")


def _ends_at_once(patient: Patient, length: Series) -> Hit | None:
    early, tail = early_median(length.values), late(length.values, least=MIN_LATE)
    if early < LONG_ONCE or float(np.max(tail)) >= ENDS_AT_ONCE or patient.health.good:
        return None
    short = np.flatnonzero(length.values < ENDS_AT_ONCE)
    return Hit(
        series=length.name,
        span=Stretch(int(short[0]), len(length) - 1, 0).span(length),
        message=f"episodes end after {_steps(float(np.median(tail)))}, down from {number(early, 3)}",
        advice="check the reset and the end condition of the environment",
        severity="warning",
        causes=("broken reset", "agent ends episodes to avoid a penalty"),
    )


def _jump(patient: Patient, length: Series) -> Hit | None:
    shift = level_shift(length.values)
    if shift is None or abs(shift.after - shift.before) < JUMP * abs(shift.before):
        return None
    health = patient.health
    if _at_once(length.values, shift) < (AT_ONCE if health.good else MOSTLY):
        return None  # it went over by and by, as it does where something is learned
    if health.good and not _is_odd(patient, length, shift):
        return None
    low, high = sorted((abs(shift.before), abs(shift.after)))
    harm = health.falls or (suffers(patient) and high >= FAR * low)
    return Hit(
        series=length.name,
        span=length.span(shift.at),
        message=f"episode length jumped from {number(shift.before, 3)} to "
        f"{number(shift.after, 3)} steps at step {int(length.steps[shift.at]):,}"
        + ("" if harm else so_far(patient)),
        advice="watch an episode from each side of the jump",
        severity="warning" if harm else "notice",
        causes=("behaviour changed", "environment changed"),
    )


def _is_odd(patient: Patient, length: Series, shift: Shift) -> bool:
    """Whether a jump in a run that does well is not just what its success looks like."""
    if abs(shift.after - shift.before) < HALF * abs(shift.before):
        return False
    outcome = patient.outcome
    if outcome is None:
        return True
    found = level_shift(outcome.series.values)
    if found is None:
        return True
    apart = abs(int(outcome.series.steps[found.at]) - int(length.steps[shift.at]))
    return apart > TOGETHER * max(patient.last_step, 1)


def _at_once(values: FloatArray, shift: Shift) -> float:
    """The share of a shift that lies between the few points before it and the few after it."""
    near = max(MIN_FACTS, int(A_FEW * len(values)))
    before = values[max(0, shift.at - near) : shift.at]
    after = values[shift.at : shift.at + near]
    return abs(float(np.median(after) - np.median(before)) / (shift.after - shift.before))
