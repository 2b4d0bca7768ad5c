import math
from typing import NamedTuple

import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, Span, fell, jumped, number, rule
from runvitals.rules.performance._speed import RATES, Speed, factor_at, per_token, speeds, stages
from runvitals.signals.late import TENTH, late_median

# Of the run that is slow, up to its end; of the rows there (judgement).
MIN_SHARE, MOST = 0.04, 0.85
MILD = 1.5  # times: smaller changes are not worth mentioning (judgement)
DECLINED = 3.0  # times slower little by little; healthy runs reach 2.7
NO_EXCUSE = 4.0  # times slower: a warning whatever the outcome; only sick runs are
CAUSES = (
    "logging or checkpoints",
    "another process on the machine",
    "memory pressure",
    "a slower environment, tool or judge",
)


class ThroughputDrop(NamedTuple):
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
    def span(self) -> Span:
        """The slow steps."""
        return self.speed.series.span(self.at)

    @property
    def said(self) -> str:
        """Which counter fell, from where to where."""
        what, before, after = self.speed.title, self.before, self.after
        if self.speed.is_time:
            return f"{what} rose from {number(1 / before)} s to {number(1 / after)} s"
        return f"{what} fell from {number(before)} to {number(after)}"


@rule("PERF001", excused_by_outcome=True)
def throughput_drop(patient: Patient, *, factor: float = 2.0) -> Hit | None:
    """From some step on, the run is much slower for the same work.

    ## What it looks for
    One lasting drop in speed:

    - tokens, samples, environment steps or updates per second, or the step time, to two thirds of
      the earlier speed or less
    - speed by the timestamps of the rows to less than half

    It has to last to the end of the run, and for 4% of it (15% by timestamps). If the length of the
    responses is known, speed is counted per token. More updates in a step count as more work.

    All counters of the whole loop (tokens, samples, environment steps, updates, steps) are compared.
    If one of them keeps its speed, a step holds other work than before, and the run is not slower:
    updates per second fall when updates stop early, while environment steps per second rise. That is
    a notice which names both. If all of them fell, the one that fell least says by how much.

    | what else is known | severity |
    |---|---|
    | other processes use half of the CPU, or other virtual machines 10% of it | notice |
    | the timed parts of the step all grew: the machine is busy | notice |
    | four times slower or more | warning |
    | less, and the outcome is not doing well | warning |
    | less, and the outcome does well or is unknown: healthy runs reach 2.7 | notice |

    A slow decline counts from three times slower on, if all counters show it.

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
    drops = drops or _declines(patient, measured)
    return _told(patient, measured, drops) if drops else None


def _told(patient: Patient, measured: list[Speed], drops: list[ThroughputDrop]) -> Hit | None:
    found = _main(drops)
    if (kept_up := _kept_up(measured, found)) is not None:
        return _other_work(found, *kept_up)
    return None if _more_updates(patient, found.step) else _slower(patient, found, drops)


def _main(drops: list[ThroughputDrop]) -> ThroughputDrop:
    """Of counters of the whole loop the one that slowed least: the rest is other work per step."""
    whole = [drop for drop in drops if not drop.speed.part]
    if whole:
        return min(whole, key=lambda drop: drop.factor)
    return max(drops, key=lambda drop: drop.factor)


def _slower(patient: Patient, found: ThroughputDrop, drops: list[ThroughputDrop]) -> Hit:
    parts = [drop for drop in drops if drop.speed.part and drop is not found]
    busy, why = _why(patient, found)
    uneven, beside = _beside(patient, found.speed, found.step)
    if parts and not found.speed.part:
        slowest = max(parts, key=lambda drop: drop.factor)
        uneven, beside = f"; {slowest.said}{uneven}", (slowest.speed.name, *beside)
    return Hit(
        series=found.speed.name,
        span=found.span,
        message=f"{found.said} at step {found.step:,}: {found.speed.part or 'training'} is "
        f"{found.factor:.1f} times slower{why}{uneven}",
        advice="see which part of the step grew; log and save less often, and look at memory"
        + ", batch size and data pipeline" * (found.speed.metric == "throughput/updates_per_s"),
        severity="notice" if busy else None,
        causes=CAUSES,
        also=tuple(dict.fromkeys(beside)),
        beyond_excuse=found.factor >= NO_EXCUSE,
    )


def _kept_up(measured: list[Speed], drop: ThroughputDrop) -> tuple[Speed, float] | None:
    """A counter of the whole loop that did not slow down, and its factor; if possible a logged one."""
    others = [
        (speed, times)
        for speed in measured
        if not speed.part
        and speed.name != drop.speed.name
        and (times := speed.factor_at(drop.step)) < MILD
    ]
    return min(others, key=lambda one: (not one[0].metric, one[1]), default=None)


def _other_work(drop: ThroughputDrop, other: Speed, times: float) -> Hit:
    """One counter fell and another did not: a step holds other work, and the run is not slower."""
    less = "did not fall" if times < 1.1 else f"fell only {times:.1f} times"
    return Hit(
        series=drop.speed.name,
        span=drop.span,
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


def _drop(patient: Patient, speed: Speed, factor: float) -> ThroughputDrop | None:
    found = _shift(speed, factor)
    same_work = per_token(patient, speed)
    if found is None or same_work is None:
        return found
    again = _shift(same_work, factor)
    return None if again is None else found._replace(factor=min(found.factor, again.factor))


def _shift(speed: Speed, factor: float) -> ThroughputDrop | None:
    """One step down that lasts to the end."""
    found = jumped(speed.series, 1 / factor)
    least = MIN_SHARE if speed.metric else 1 - MOST  # the times of rows jump about
    if found is None or not least <= found.share <= 1 - least / 2:
        return None
    half_way = math.sqrt(found.level * found.before)
    slow = speed.rates < half_way
    if late_median(speed.rates, TENTH) > half_way or slow[: found.first].mean() > 1 - MOST:
        return None
    if slow[found.first :].mean() < MOST:
        return None
    return ThroughputDrop(speed, found.first, found.before, found.level, 1 / found.times)


def _declines(patient: Patient, measured: list[Speed]) -> list[ThroughputDrop]:
    """Speeds that fell far little by little, if all counters of the whole loop did."""
    drops = []
    for speed in measured:
        found = fell((per_token(patient, speed) or speed).series, 1 / DECLINED)
        if found is not None:
            drops.append(
                ThroughputDrop(speed, found.first, found.before, found.level, 1 / found.times)
            )
        elif not speed.part:
            return []  # it keeps its speed: a step holds other work
    return drops


def _why(patient: Patient, drop: ThroughputDrop) -> tuple[bool, str]:
    """Whether the machine is busy with other things, and what the log says about the reason."""
    if busy := busy_machine(patient, drop.step):
        return True, f"{busy}, so the machine is busy"
    timed = [*stages(patient), *patient.all("time/eval_s")]
    parts = [(factor_at(series, drop.step), series) for series in timed]
    parts = sorted((part for part in parts if math.isfinite(part[0])), key=lambda part: -part[0])
    if len(parts) < 2:
        return False, ""
    # what is over in no time is seldom interrupted: parts count by how long they take
    weights = np.array([float(np.median(s.values[s.steps < drop.step])) for _, s in parts[1:]])
    others = float(weights @ [times for times, _ in parts[1:]]) / max(float(weights.sum()), 1e-12)
    if others > MILD:
        return True, "; other parts of the step slowed down too, so the machine seems to be busy"
    times, grown = parts[0]
    return False, f", {grown.name} most of all" if times > min(2.0, drop.factor) else ""


def _beside(patient: Patient, speed: Speed, step: int) -> tuple[str, tuple[str, ...]]:
    """What else to look at when training is slow: its parts, its rate, and how even the load is."""
    uneven = patient.find("balance/seqlen_diff")
    times = math.nan if uneven is None else factor_at(uneven, step)
    told = ""
    if uneven is not None and times > MILD:
        told = (
            f"; {uneven.name} grew {times:.1f} times: devices wait for the one with the most work"
        )
    longest = sorted(stages(patient), key=lambda s: -float(np.median(s.values)))[:3]
    found = [*longest, patient.find(*RATES), patient.find("time/step_s"), uneven]
    names = dict.fromkeys(s.name for s in found if s is not None and s.name != speed.name)
    return told, tuple(names)


def _more_updates(patient: Patient, step: int) -> bool:
    """Whether a step holds more updates than before: then it is more work, and not slower."""
    each = patient.find("optim/updates_per_iteration")
    total = patient.find("progress/optimizer_steps")
    if each is None and total is not None:
        rate = np.diff(total.values) / np.maximum(np.diff(total.steps), 1)
        each = Series(total.name, total.steps[1:], rate, total.times[1:])
    return each is not None and factor_at(each, step) > MILD


# Percent of all cores from which on a machine counts as busy, and who is at work (judgement).
BUSY = {
    "system/other_cpu_percent": (50.0, "other processes"),
    "system/cpu_steal_percent": (10.0, "other virtual machines"),
}


def busy_machine(patient: Patient, step: int) -> str:
    """Says who else used the CPU from a step on; empty if nobody did, or the log does not tell.

    It follows a message: "; other processes used 85% of the CPU (12% before)".
    """
    for metric, (limit, who) in BUSY.items():
        series = patient.find(metric)
        if series is None:
            continue
        before, after = series.values[series.steps < step], series.values[series.steps >= step]
        if len(after) and (now := float(np.median(after))) >= limit:
            earlier = f" ({np.median(before):.0f}% before)" if len(before) else ""
            return f"; {who} used {now:.0f}% of the CPU{earlier}"
    return ""
