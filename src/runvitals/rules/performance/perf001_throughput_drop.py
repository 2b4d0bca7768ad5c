"""PERF001."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from runvitals.model import Hit, Series, Severity, Span
from runvitals.model.formatting import number
from runvitals.rules.patient import Patient
from runvitals.rules.performance._machine import busy_machine
from runvitals.rules.performance._speed import RATES, Speed, factor_at, per_token, speeds, stages
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far, suffers
from runvitals.signals.change import level_shift
from runvitals.signals.late import QUARTER, TENTH, early_median, late, late_median

MIN_SIDE = 12  # points before and after (judgement)
MIN_SHARE = 0.15  # of the run that has to be slow, its end included (judgement)
ALONE = 2.5  # times slower without a timed part that tells why (judgement)
SHARED = 1.4  # other parts of the step are so much slower too: the machine is (judgement)
LONG = 120.0  # seconds of slowness before a busy machine is ruled out (judgement)
MORE_WORK = 1.3  # times as many updates in a step (judgement)
TIMES_NOISE = 3.0  # that the step down has to be
SLOW_AFTER = 0.85  # of the points are below half way, at least (judgement)
SLOW_BEFORE = 0.1  # of them at most (judgement)
MIN_LAST = 5  # points, and a tenth of them, are its end
MIN_EVALUATIONS = 10  # to time them
GREW = 2.0  # times as long: a part worth naming
NEARLY_ALL = 0.95  # of the last quarter below the first
HELD_UP = 1.1  # times slower: a counter that fell by less did not fall (judgement)
MILD = 1.5  # times slower: worth knowing where speed itself was logged (judgement)
MAX_NAMED = 3  # parts of the step
UNEVEN = 1.5  # times the early difference between devices


class Drop(NamedTuple):
    """Where speed fell, and by how much."""

    speed: Speed
    at: int
    before: float  # work per second
    after: float
    factor: float  # times slower, for the same number of tokens if lengths are known

    @property
    def step(self) -> int:
        """The first slow step."""
        return int(self.speed.steps[self.at])

    @property
    def said(self) -> str:
        """Which counter fell, from where to where."""
        what, before, after = self.speed.title, self.before, self.after
        if self.speed.is_time:
            return f"{what} rose from {number(1 / before)} s to {number(1 / after)} s"
        return f"{what} fell from {number(before)} to {number(after)}"


@rule("PERF001", "throughput-drop", severity="warning")
def throughput_drop(patient: Patient, *, factor: float = 2.0) -> Iterator[Hit]:
    """From some step on, the run is much slower for the same work.

    ## What it looks for
    One lasting drop in speed:

    - tokens, samples, environment steps or updates per second, or the step time, to two thirds of
      the earlier speed or less
    - speed by the timestamps of the rows to less than half

    It has to hold for 15% of the run and to its end. If the length of the responses is known, speed
    is counted per token. More updates in a step count as more work, not as slowness.

    All counters of the whole loop (tokens, samples, environment steps, updates, steps) are compared.
    If one of them keeps its speed, a step holds other work than before, and the run is not slower:
    updates per second fall when updates stop early, while environment steps per second rise. That is
    a notice which names both. If all of them fell, the one that fell least says by how much.

    | what else is known | severity |
    |---|---|
    | other processes use half of the CPU, or other virtual machines 10% of it | notice |
    | one timed part of the step grew and the others did not | warning at half the speed or less |
    | the other timed parts grew too: the machine is busy | notice |
    | nothing is timed: down to 40%, for two minutes, in a live run or one not doing well | warning |
    | the outcome is not doing well | warning |
    | otherwise, or if the log does not tell how long it lasted | notice |

    A slow decline of all counters to two thirds is a notice, or a warning while the outcome is not
    doing well. By the timestamps of the rows alone, a slow decline is always a notice.

    ## Why it matters
    A run that takes three times as long costs three times as much. The reason (a leak, swapping, a
    logger, a dying disk) often ends it later.

    ## Usual causes
    1. Logging or checkpoints that got heavier.
    2. Another process on the same machine.
    3. Memory pressure, swapping.
    4. A slower environment, tool or judge.
    5. Communication; thermal throttling.

    ## What to try
    See which part of the step grew (PERF003), log less often, and look at the memory curves
    (SYS003).

    ## When to ignore it
    A deliberate change: longer contexts, a harder environment, a larger model in the loop. The
    start of a run, the start of updates in off-policy training, and pauses for evaluation are not
    counted.

    ## Sources
    Training Metrics and Telemetry (falling steps per second); Training Metrics Glossary (slow runs);
    TensorBoard Metrics Reference (tokens per second).
    """
    measured = list(speeds(patient))
    drops = [drop for speed in measured if (drop := _drop(patient, speed, _least(speed, factor)))]
    if not drops:
        yield from _decline(patient, measured, factor)
        return
    # of counters of the whole loop the one that slowed least: more than that is other work per step
    whole = [drop for drop in drops if not drop.speed.part]
    found = min(whole, key=_factor) if whole else max(drops, key=_factor)
    if (kept_up := _kept_up(measured, found)) is not None:
        yield _other_work(found, *kept_up)
        return
    if _more_updates(patient, found.step):
        return
    severity, why = _judge(patient, found, found.step, factor)
    uneven, beside = _beside(patient, found.speed, found.step)
    yield Hit(
        series=found.speed.name,
        span=_span(found.speed, found.at),
        message=f"{found.said} at step {found.step:,}: {found.speed.part or 'training'} is "
        f"{found.factor:.1f} times slower{why}{uneven}"
        + (so_far(patient) if severity == "notice" else ""),
        advice="see which part of the step grew; log and save less often, and look at memory",
        severity=severity,
        causes=(
            "logging or checkpoints",
            "another process on the machine",
            "memory pressure",
            "a slower environment, tool or judge",
        ),
        also=beside,
    )


def _factor(drop: Drop) -> float:
    return drop.factor


def _kept_up(measured: list[Speed], drop: Drop) -> tuple[Speed, float] | None:
    """A counter of the whole loop that did not slow down, and its factor; if possible a logged one."""
    others = [
        (speed, times)
        for speed in measured
        if not speed.part
        and speed.name != drop.speed.name
        and (times := speed.factor_at(drop.step)) < MILD
    ]
    return min(others, key=lambda one: (not one[0].metric, one[1]), default=None)


def _other_work(drop: Drop, other: Speed, times: float) -> Hit:
    """One counter fell and another did not: a step holds other work, and the run is not slower."""
    less = "did not fall" if times < HELD_UP else f"fell only {times:.1f} times"
    return Hit(
        series=drop.speed.name,
        span=_span(drop.speed, drop.at),
        message=f"{drop.said} at step {drop.step:,}, but {other.title} {less}: "
        "a step holds other work than before, and the run as a whole is not slower",
        advice="see why: updates that stop early, longer samples, or more updates per sample",
        severity="notice",
        causes=("updates that stop early", "other lengths", "a change of settings"),
        also=(other.name,),
    )


def _least(speed: Speed, factor: float) -> float:
    """How many times slower is worth a word: less where speed was logged as such."""
    return min(MILD, factor) if speed.metric else factor


def _drop(patient: Patient, speed: Speed, factor: float) -> Drop | None:
    found = _shift(speed, factor)
    if found is None:
        return None
    same_work = per_token(patient, speed)
    if same_work is None:
        return found
    again = _shift(same_work, factor)
    return None if again is None else found._replace(factor=min(found.factor, again.factor))


def _shift(speed: Speed, factor: float) -> Drop | None:
    logs = np.log(speed.rates)
    n = len(logs)
    shift = level_shift(logs, size=TIMES_NOISE)
    if shift is None or shift.before - shift.after < math.log(factor):
        return None
    if shift.at < MIN_SIDE or n - shift.at < max(MIN_SIDE, MIN_SHARE * n):
        return None
    half_way = (shift.before + shift.after) / 2
    slow_after = float((logs[shift.at :] < half_way).mean())
    slow_before = float((logs[: shift.at] < half_way).mean())
    last = late_median(logs, TENTH, MIN_LAST)
    if slow_after < SLOW_AFTER or slow_before > SLOW_BEFORE or last > half_way:
        return None
    before, after = math.exp(shift.before), math.exp(shift.after)
    return Drop(speed, shift.at, before, after, before / after)


def _judge(patient: Patient, drop: Drop, step: int, factor: float) -> tuple[Severity | None, str]:
    """Whose fault it is: that of a part, of the machine, or unknown."""
    if busy := busy_machine(patient, step):
        return "notice", f"{busy}, so the machine is busy"
    timed = [
        *stages(patient),
        *(s for s in patient.all("time/eval_s") if len(s) >= MIN_EVALUATIONS),
    ]
    parts = [(series, factor_at(series, step)) for series in timed]
    parts = [(series, times) for series, times in parts if math.isfinite(times)]
    if len(parts) < 2:
        return _unexplained(patient, drop, step), ""
    parts.sort(key=lambda part: -part[1])
    # what is over in no time is seldom interrupted: parts count by how long they take
    weights = np.array([float(np.median(s.values[s.steps < step])) for s, _ in parts[1:]])
    others = float(weights @ [times for _, times in parts[1:]]) / max(float(weights.sum()), 1e-12)
    if others > SHARED:
        return (
            "notice",
            "; other parts of the step slowed down too, so the machine seems to be busy",
        )
    grown, times = parts[0]
    why = f", {grown.name} most of all" if times > min(GREW, drop.factor) else ""
    return (None if drop.factor >= factor else by_outcome(patient)), why


def _unexplained(patient: Patient, drop: Drop, step: int) -> Severity:
    """Nothing tells why it is slow: it may be over soon, and then it does not matter."""
    seconds = _seconds(patient, step)
    if seconds is not None and seconds < LONG:
        return "notice"
    if suffers(patient):
        return "warning"
    # of a run that is over and did well, nobody can say any more what slowed it down
    over = patient.health.good and patient.run.status != "running"
    return "warning" if drop.factor >= ALONE and seconds is not None and not over else "notice"


def _beside(patient: Patient, speed: Speed, step: int) -> tuple[str, tuple[str, ...]]:
    """What else to look at when training is slow: its parts, its rate, and how even the load is."""
    uneven = patient.find("balance/seqlen_diff")
    times = math.nan if uneven is None else factor_at(uneven, step)
    told = ""
    if uneven is not None and times > UNEVEN:
        told = (
            f"; {uneven.name} grew {times:.1f} times: devices wait for the one with the most work"
        )
    longest = sorted(stages(patient), key=lambda s: -float(np.median(s.values)))[:MAX_NAMED]
    found = [*longest, patient.find(*RATES), patient.find("time/step_s"), uneven]
    names = dict.fromkeys(s.name for s in found if s is not None and s.name != speed.name)
    return told, tuple(names)


def _seconds(patient: Patient, step: int) -> float | None:
    """How long the run was slow, by its clock or by its own measure of time; None if nothing tells."""
    found = filter(None, map(patient.find, ("optim/loss", "policy/loss", *RATES)))
    clocks = [one.times[(one.steps >= step) & np.isfinite(one.times)] for one in found]
    known = [float(np.ptp(times)) for times in clocks if len(times) > 1]
    elapsed = patient.find("time/elapsed_s")
    if elapsed is not None and bool((elapsed.steps >= step).any()):
        known.append(float(np.ptp(elapsed.values[elapsed.steps >= step])))
    took = patient.find("time/step_s")
    if not known and took is not None:
        known.append(float(took.values[took.steps >= step].sum()))
    return max(known, default=None)


def _more_updates(patient: Patient, step: int) -> bool:
    """Whether a step holds more updates than before: then it is more work, and not slower."""
    each = patient.find("optim/updates_per_iteration")
    if each is None:
        total = patient.find("progress/optimizer_steps")
        if total is None or len(total) < 2 * MIN_SIDE:
            return False
        ahead = np.diff(total.steps)
        rate = np.diff(total.values) / np.maximum(ahead, 1)
        each = Series(total.name, total.steps[1:], rate, total.times[1:])
    return factor_at(each, step) > MORE_WORK


def _decline(patient: Patient, measured: list[Speed], factor: float) -> Iterator[Hit]:
    if any(not one.part and _late_factor(one) < MILD for one in measured):
        return  # a step holds other work: some counter of the whole loop keeps its speed
    for speed in measured:
        fair = per_token(patient, speed) or speed
        before, after = early_median(fair.rates, QUARTER), late_median(fair.rates, QUARTER)
        slower = float((late(fair.rates, QUARTER) < before).mean())
        if after * _least(speed, factor) < before and slower > NEARLY_ALL:
            busy = busy_machine(patient, int(speed.steps[-len(late(speed.rates, QUARTER))]))
            yield Hit(
                series=speed.name,
                span=_span(speed, 0),
                message=f"{speed.title} shows that {speed.part or 'training'} slowed down gradually, "
                f"to {after / before:.0%} of its early speed{busy}" + so_far(patient),
                advice="see which part of the step grows",
                severity="warning" if speed.metric and suffers(patient) and not busy else "notice",
                causes=("more work in a step", "a leak", "a slower environment"),
            )
            return


def _late_factor(speed: Speed) -> float:
    return early_median(speed.rates, QUARTER) / late_median(speed.rates, QUARTER)


def _span(speed: Speed, first: int) -> Span:
    return Span(int(speed.steps[first]), int(speed.steps[-1]), len(speed.steps) - first)
