"""DATA008."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Severity, Span
from runvitals.rules.patient import Patient
from runvitals.rules.performance._speed import factor_at, speeds, stages
from runvitals.rules.registry import rule

MIN_POINTS = 10  # of a series that is logged all along
SHARE_OF_STEP = 0.15  # that logging takes (judgement)
OUTSIDE = 0.25  # of the time, between one timed step and the next (judgement)
SLOWER = 1.25  # times (judgement)
MIN_SIDE = 5  # points before and after
LOG_STAGES = ("log", "logging", "report", "metrics", "write")


@rule("DATA008", "logging-too-heavy", severity="notice")
def logging_too_heavy(patient: Patient, *, scalars: int = 2_000) -> Iterator[Hit]:
    """Thousands of numbers are logged at every step.

    ## What it looks for
    More than 2,000 series with ten points or more. It is a notice, or a warning if logging costs
    time:

    - it takes 15% of the timed step;
    - a quarter of the time passes between timed steps;
    - or the run became 1.25 times slower when these series began.

    ## Why it matters
    Every number has to be converted, written, read and drawn. Per-layer numbers are rarely looked
    at, and a dashboard of thousands of curves never is.

    ## Usual causes
    1. A debugging switch was left on.
    2. Statistics are logged for every layer or every environment at every step.

    ## What to try
    Log a histogram or a few quantiles instead of single numbers, or log only every hundredth step.

    ## When to ignore it
    The run is short and meant for debugging.

    ## Sources
    Training Metrics and Telemetry (logging as a cause of slow steps).
    """
    run = patient.run
    names = run.names()
    if len(names) <= scalars:
        return
    heavy = [name for name in names if len(run.points.column(name)[0]) >= MIN_POINTS]
    if len(heavy) <= scalars:
        return
    firsts = np.array([int(run.points.column(name)[0][0]) for name in heavy])
    begin = int(np.median(firsts))
    shown = heavy[int(np.argmin(np.abs(firsts - begin)))]
    steps = run.points.column(shown)[0]
    cost = _cost(patient, begin)
    severity: Severity = "warning" if cost else "notice"
    yield Hit(
        series=shown,
        span=Span(begin, int(steps[-1]), len(steps)),
        message=f"{len(heavy):,} numbers are logged per step{cost}",
        advice="log quantiles or histograms instead of single numbers, or log less often",
        severity=severity,
        causes=("a debugging switch was left on", "statistics for every layer"),
    )


def _cost(patient: Patient, begin: int) -> str:
    """What it costs, in words; empty if nothing shows that it costs anything."""
    parts = list(stages(patient))
    total = sum(float(np.median(s.values[s.steps >= begin])) for s in parts if s.steps[-1] >= begin)
    for series in parts:
        late = series.values[series.steps >= begin]
        if series.labels.get("stage", "").lower() in LOG_STAGES and len(late) and total > 0:
            share = float(np.median(late)) / total
            if share > SHARE_OF_STEP:
                return f", and logging takes {share:.0%} of the step"
    for series in filter(None, [patient.find("time/step_s")]):
        if factor_at(series, begin) > SLOWER:
            return f", and steps take {factor_at(series, begin):.1f} times as long"
        outside = _outside(series)
        if outside > OUTSIDE:
            return f", and {outside:.0%} of the time passes outside the timed step"
    for speed in speeds(patient):
        at = int(np.searchsorted(speed.steps, begin))
        before, after = speed.rates[:at], speed.rates[at:]
        if min(len(before), len(after)) >= MIN_SIDE:
            times = float(np.median(before) / np.median(after))
            if times > SLOWER:
                return f", and the run is {times:.1f} times slower"
    return ""


def _outside(step: Series) -> float:
    """The share of the time that is not inside of timed steps, if there is a row for each of them."""
    waits = np.diff(step.times)
    if len(step) < MIN_POINTS or not np.isfinite(waits).all() or (np.diff(step.steps) != 1).any():
        return 0.0
    usual = float(np.median(waits))
    return 1.0 - float(np.median(step.values)) / usual if usual > 0 else 0.0
