from runvitals.rules.kit import Hit, Patient, Series, jumped, rose, rule, stretch
from runvitals.rules.performance._speed import stages
from runvitals.signals.late import QUARTER, early_median, late_median

GREW = 3.0  # times its own time (judgement)
AS_BEFORE = 1.5  # times: what all other parts may have grown (judgement)
MOST = 0.5  # of the step: no model works for most of the time
OVERHEAD = ("time/reward_s", "time/advantage_s", "time/weight_sync_s", "time/data_s")
TRAINS = ("time/policy_update_s", "time/training_s", "time/value_update_s")
LOGGING = ("log", "logging", "write", "report", "metrics")
NESTED = frozenset({"time/forward_s", "time/backward_s", "time/optimizer_s", "time/tool_calls_s"})


@rule("PERF003", excused_by_outcome=True)
def step_time_component(
    patient: Patient, *, growth: float = 0.25, share: float = 0.3
) -> Hit | None:
    """One part of the step takes a share that it should not take, or did not take before.

    ## What it looks for
    The timed parts of a step (`time/*_s`). Generation, environment and training may take their time.

    A warning if:

    - rewards, advantages, weight sync, data or logging grew by 25 points of the total and to three
      times their own time, while the others stayed as they were
    - rewards or logging take more than half of the step throughout the run, and training is timed
      too

    A notice if one of these parts, or calls of tools, takes more than 30% of the step.

    Tool calls are part of generation. If, at the end of the run, they take three times as long as
    at first and a second more, it is a warning if the outcome is not doing well or they take more
    than half of the step, and a notice otherwise.

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
    return _overhead(patient, growth) or _slow_tools(patient) or _heavy(patient, share)


def _overhead(patient: Patient, growth: float) -> Hit | None:
    """What is done beside generating and training, and grew or takes most of the step."""
    parts = _parts(patient)
    early = {s.name: early_median(s.values[len(s) // 20 :], QUARTER) for s in parts}
    late = {s.name: late_median(s.values, QUARTER) for s in parts}
    before, after = sum(early.values()), sum(late.values())
    if len(parts) < 2 or before <= 0 or after <= 0:
        return None
    for series in filter(_is_overhead, parts):
        name = series.name
        old, new = early[name] / before, late[name] / after
        others = (after - late[name]) / max(before - early[name], 1e-12)
        if new - old > growth and late[name] > GREW * early[name] and others < AS_BEFORE:
            return stretch(series).hit(
                f"{name} went from {old:.0%} to {new:.0%} of the step, "
                f"{late[name]:.3g} s at the end",
                advice="log less, or run this part in parallel",
                severity="warning",
                causes=("too much is logged", "a slow verifier, judge or tool"),
            )
        of_all = min(old, late[name] / max(after, _whole_step(patient)))
        aside = series.metric == "time/reward_s" or _is_logging(series)
        if aside and of_all > MOST and any(s.metric in TRAINS for s in parts):
            return stretch(series).hit(
                f"{name} takes {of_all:.0%} of the step, more than everything else together",
                advice="run this part in parallel, less often, or while the devices work",
                severity="warning",
                causes=("a slow verifier, judge or tool", "too much is logged"),
            )
    return None


def _slow_tools(patient: Patient) -> Hit | None:
    """Calls of tools that have become slow; the slowest of a batch counts as much as the mean."""
    tools = [s for s in patient.all("time/tool_calls_s") if s.labels.get("stat") != "min"]
    grown = [jumped(s, GREW) or rose(s, GREW) for s in tools if len(s) >= 20]
    slower = [found for found in grown if found is not None and found.level > found.before + 1.0]
    worst = max(slower, key=lambda found: found.times, default=None)
    return worst and worst.hit(
        f"{worst.series.name} went from {worst.before:.3g} s to {worst.level:.3g} s, "
        f"{worst.times:.1f} times as long",
        advice="look for a tool that fails and is called again; give tools a time limit",
        causes=("a slow or failing tool", "repeated calls after errors", "too few workers"),
        beyond_excuse=worst.level > MOST * _whole_step(patient) > 0,
    )


def _heavy(patient: Patient, most: float) -> Hit | None:
    """The part beside generating and training that takes most, if that is much."""
    parts, tools = _parts(patient), patient.find("time/tool_calls_s")
    whole = max(sum(late_median(s.values, QUARTER) for s in parts), _whole_step(patient))
    asked = [s for s in parts if _is_overhead(s)] if len(parts) > 1 else []
    asked += [tools] if tools is not None and len(tools) >= 20 else []
    if not asked or whole <= 0:
        return None
    heaviest = max(asked, key=lambda s: late_median(s.values, QUARTER))
    share = late_median(heaviest.values, QUARTER) / whole
    if not most < share <= 1.0:
        return None
    return stretch(heaviest).hit(
        f"{heaviest.name} takes {share:.0%} of the step",
        advice="run this part in parallel, or while the devices work",
        severity="notice",
    )


def _parts(patient: Patient) -> list[Series]:
    """What is timed in (nearly) every step."""
    found = [s for s in stages(patient) if s.metric not in NESTED]
    longest = max(map(len, found), default=0)
    return [s for s in found if len(s) >= max(30, 0.9 * longest)]


def _whole_step(patient: Patient) -> float:
    """The time of a step near the end, as it was logged; 0 if it was not."""
    step = patient.find("time/step_s")
    return 0.0 if step is None else late_median(step.values, QUARTER)


def _is_overhead(series: Series) -> bool:
    return series.metric in OVERHEAD or _is_logging(series)


def _is_logging(series: Series) -> bool:
    return series.metric == "time/stage_s" and series.labels.get("stage", "").lower() in LOGGING
