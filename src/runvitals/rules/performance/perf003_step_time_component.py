"""PERF003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Span
from runvitals.rules.patient import Patient
from runvitals.rules.performance._speed import MIN_TIMED, stages
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.signals.baseline import reference
from runvitals.signals.crossing import Stretch, lasting, sustained_above
from runvitals.signals.late import QUARTER, early_median, late_median

MIN_POINTS = 30  # judgement
MIN_QUARTER = 5  # points in a quarter of the run
WARM_UP = 5  # points: the first steps load and compile
GREW = 3.0  # times its own time (judgement)
SECOND = 1.0  # that a call of a tool has to be slower: less is soon made up for (judgement)
TOOLS = 0.3  # of the step: what calls of tools may take (judgement)
AS_BEFORE = 1.5  # times: what all other parts may have grown (judgement)
AS_OFTEN = 0.9  # of the points of the part timed most often; others are not part of every step
MAX_SHARES = {  # the share of a step above which a part is worth a look (judgement)
    "time/advantage_s": 0.1,
    "time/reward_s": 0.3,
    "time/weight_sync_s": 0.2,
    "time/data_s": 0.3,
}
MOST = 0.5  # of the step from start to end: no model works for most of the time (judgement)
AROUND = ("time/reward_s", "time/advantage_s", "time/weight_sync_s")  # what is done between the two
TRAINS = ("time/policy_update_s", "time/training_s", "time/value_update_s")
LOGGING = ("log", "logging", "write", "report", "metrics")
NESTED = frozenset({"time/forward_s", "time/backward_s", "time/optimizer_s", "time/tool_calls_s"})


@rule("PERF003", "step-time-component", severity="warning")
def step_time_component(patient: Patient, *, growth: float = 0.25) -> Iterator[Hit]:
    """One part of the step takes a share that it should not take, or did not take before.

    ## What it looks for
    The timed parts of a step (`time/*_s`).

    A warning if:

    - a part other than generation, environment or training grew by 25 points of the total and to
      three times its own time, while the others stayed as they were
    - rewards, advantages, weight sync or logging take more than half of the step throughout the
      run, and training is timed too

    A notice if rewards or waiting for data take more than 30%, weight sync more than 20%, or
    advantages more than 10%.

    Tool calls are part of generation. It is a notice if, to the end of the run, they take three
    times as long as early on and a second more. It is a warning if the outcome is not doing well,
    or if they take more than half of the step. If they take more than 30% of the step all along, it
    is a notice.

    ## Why it matters
    The slowest part decides how long the run takes. A part that grows usually keeps growing.

    ## Usual causes
    1. A slow verifier, judge or tool.
    2. Too much logging (DATA008).
    3. Offloading and resharding of weights.
    4. Single-threaded work that could run in parallel.

    ## What to try
    Start with the named part: compute rewards in parallel, log fewer scalars, keep weights in
    place.

    ## When to ignore it
    Generation that grows with the length of the responses is not counted here. Nor is a part that
    only looks larger because another one became faster.

    ## Sources
    Training Metrics Glossary (what a step is made of); veRL's performance notes.
    """
    parts = _parts(patient)
    if len(parts) < 2:
        yield from _slow_tools(patient)
        return
    early = {s.name: early_median(s.values[WARM_UP:], QUARTER, MIN_QUARTER) for s in parts}
    late = {s.name: late_median(s.values, QUARTER, MIN_QUARTER) for s in parts}
    before, after = sum(early.values()), sum(late.values())
    if before <= 0 or after <= 0:
        return
    for series in parts:
        name = series.name
        old, new = early[name] / before, late[name] / after
        others = (after - late[name]) / max(before - early[name], 1e-12)
        if (
            _may_not_grow(series)
            and new - old > growth
            and late[name] > GREW * early[name]
            and others < AS_BEFORE
        ):
            yield Hit(
                series=name,
                span=_span(series),
                message=f"{name} went from {old:.0%} to {new:.0%} of the step, "
                f"{late[name]:.3g} s at the end",
                advice="log less, or run this part in parallel",
                causes=("too much is logged", "a slow verifier, judge or tool"),
            )
            return
    most = max(parts, key=lambda s: late[s.name])
    share = min(early[most.name] / before, late[most.name] / max(after, _whole_step(patient)))
    if share > MOST and _is_around(most) and any(s.metric in TRAINS for s in parts):
        yield Hit(
            series=most.name,
            span=_span(most),
            message=f"{most.name} takes {share:.0%} of the step, more than everything else together",
            advice="run this part in parallel, less often, or while the devices work",
            causes=(
                "a slow verifier, judge or tool",
                "too much is logged",
                "single-threaded work",
            ),
        )
        return
    tools = list(_slow_tools(patient))
    if tools:
        yield tools[0]
        return
    heavy = [s for s in parts if late[s.name] / after > MAX_SHARES.get(s.metric or "", 1.0)]
    if heavy:
        most = max(heavy, key=lambda s: late[s.name])
        yield Hit(
            series=most.name,
            span=_span(most),
            message=f"{most.name} takes {late[most.name] / after:.0%} of the timed step",
            advice="run this part in parallel, or on the device",
            severity="notice",
        )


def _slow_tools(patient: Patient) -> Iterator[Hit]:
    """Calls of tools that have become slow; the slowest of a batch counts as much as the mean."""
    worst: tuple[float, Series, float, float, Stretch] | None = None
    for series in patient.all("time/tool_calls_s"):
        if len(series) < MIN_TIMED or series.labels.get("stat") == "min":
            continue
        usual = reference(series.values)
        line = max(GREW * usual, usual + SECOND)
        slow = lasting(sustained_above(series.values, line), len(series))
        if usual <= 0 or slow is None:
            continue
        now = float(np.median(series.values[slow.first : slow.last + 1]))
        if worst is None or now / usual > worst[0]:
            worst = (now / usual, series, usual, now, slow)
    whole = _whole_step(patient)
    if worst is None:
        yield from _heavy_tools(patient, whole)
        return
    times, series, usual, now, slow = worst
    severity = by_outcome(patient, beyond_excuse=whole > 0 and now > MOST * whole)
    yield Hit(
        series=series.name,
        span=slow.span(series),
        message=f"{series.name} went from {usual:.3g} s to {now:.3g} s, {times:.1f} times as long"
        + (so_far(patient) if severity == "notice" else ""),
        advice="look for a tool that fails and is called again; give tools a time limit",
        severity=severity,
        causes=(
            "a slow or failing tool",
            "repeated calls after errors",
            "too few workers for tools",
        ),
    )


def _heavy_tools(patient: Patient, whole: float) -> Iterator[Hit]:
    series = patient.find("time/tool_calls_s")
    if series is None or len(series) < MIN_TIMED or whole <= 0:
        return
    share = late_median(series.values, QUARTER, MIN_QUARTER) / whole
    if TOOLS < share <= 1.0:
        yield Hit(
            series=series.name,
            span=_span(series),
            message=f"{series.name} takes {share:.0%} of the step",
            advice="give tools a time limit, and run them while others generate",
            severity="notice",
            causes=("a slow or failing tool", "too few workers for tools"),
        )


def _parts(patient: Patient) -> list[Series]:
    found = [s for s in stages(patient) if s.metric not in NESTED and len(s) >= MIN_POINTS]
    longest = max((len(series) for series in found), default=0)
    return [series for series in found if len(series) >= AS_OFTEN * longest]


def _whole_step(patient: Patient) -> float:
    """The time of a step near the end, as it was logged; 0 if it was not."""
    step = patient.find("time/step_s")
    return 0.0 if step is None else late_median(step.values, QUARTER, MIN_QUARTER)


def _is_around(series: Series) -> bool:
    return series.metric in AROUND or _is_logging(series)


def _is_logging(series: Series) -> bool:
    stage = series.labels.get("stage", "").lower()
    return series.metric == "time/stage_s" and stage in LOGGING


def _may_not_grow(series: Series) -> bool:
    return series.metric in MAX_SHARES or _is_logging(series)


def _span(series: Series) -> Span:
    return Span(int(series.steps[0]), int(series.steps[-1]), len(series))
