"""DATA003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, IntArray, Span
from runvitals.rules.counting import counted, how_often
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

MAX_CHECKED_SERIES = 6  # series, those with the most points
MIN_POINTS = 20  # judgement
MANY = 0.1  # of the points go back: there are two writers (judgement)
MIN_LAP = 5  # points
MIN_SHARE = 0.5  # of the series looked at go back: it is the counter, and no series of its own
ONE_TIME_EACH = 0.5  # of the points at least: else times are too coarse to tell an order
FAR_BACK = 5.0  # intervals: workers log a little out of order (judgement)
FAR_BACK_SHARE = 0.02  # of all steps (judgement)
MIN_TWICE = 5  # points in the range logged twice
HOLE, HOLE_SHARE = 10, 0.1  # usual intervals, and of the run, without a row (judgement)
HALF_DONE = 0.5  # of the plan
NEAR_START = 2.0  # intervals after the first row: a life that begins there begins at the start
CLOCK_SETS = (
    3  # times that a clock is set back in one run; a second writer makes times fall all along
)
COUNTERS = (
    "progress/epoch",
    "progress/optimizer_steps",
    "progress/env_steps",
    "progress/samples",
    "progress/tokens",
    "progress/episodes",
    "time/elapsed_s",
)


@rule("DATA003", "broken-time-axis", severity="warning")
def broken_time_axis(patient: Patient) -> Iterator[Hit]:
    """Steps go backwards although the run was not resumed, or have gaps.

    ## What it looks for
    The longest series, in the order in which they were logged.

    - Steps that fall back by more than a few intervals and then cover the same range again, within
      one process. This is a warning.
    - A resume that starts again from the first step while epochs, samples or the clock continue.
      This is a warning too. In any other resume the later points replace the earlier ones, which is
      fine.
    - Several starts from the first step with nothing else known, a gap of a tenth of the run, or
      fewer than 20 points after half of the plan. These are notices.

    ## Why it matters
    Two stretches of training are drawn on top of each other. Every curve is wrong, and so is every
    rule that reads it.

    ## Usual causes
    1. A step counter that restarts at 0, each epoch or after an error.
    2. Two processes that log to the same run.
    3. A logging interval that is too long.

    ## What to try
    Log from one process. Use a counter that only grows and is saved in the checkpoint.

    ## When to ignore it
    The log was put together from several runs on purpose.

    ## Sources
    Our own experience; veRL (gradient steps and rollout steps in one plot).
    """
    run = patient.run
    if patient.until is not None:
        return
    counts = {name: len(run.points.column(name)[0]) for name in run.names()}
    longest = sorted(counts, key=lambda name: -counts[name])[:MAX_CHECKED_SERIES]
    found = []
    for name in longest:
        steps, times, _ = run.points.column(name)
        back = _goes_back(steps, times)
        if back is not None:
            found.append((name, *back))
    if found and len(found) >= MIN_SHARE * min(
        MAX_CHECKED_SERIES, sum(c >= MIN_POINTS for c in counts.values())
    ):
        name, falls, first, last, count = found[0]
        share = falls / max(count, 1)
        how = "two writers?" if share > MANY else "the counter restarts"
        yield Hit(
            series=name,
            span=Span(first, last, count),
            message=f"steps fall back {how_often(falls)} without a resume, over steps {first:,} "
            f"to {last:,} ({how})",
            advice="log from one process, with a counter that only grows",
            causes=("the counter restarts", "two processes log to the same run"),
            also=tuple(other[0] for other in found[1:]),
        )
    elif longest and (begun_again := _begins_again(patient, longest[0])) is not None:
        yield begun_again
    elif longest:
        yield from _holes(patient, longest[0])


def _goes_back(steps: IntArray, times: FloatArray) -> tuple[int, int, int, int] | None:
    """How often steps fall back in order of time, and the range that is logged twice."""
    known = np.isfinite(times)
    steps, times = steps[known], times[known]
    if len(steps) < MIN_POINTS or bool((np.diff(times) >= 0).all()):
        return None
    if len(np.unique(steps)) == len(steps) and int((np.diff(times) < 0).sum()) <= CLOCK_SETS:
        return None  # each step is there once: it was the clock that went back
    order = np.argsort(times, kind="stable")
    logged = steps[order]
    moves = np.diff(logged)
    gaps = np.diff(np.unique(steps))
    if not len(gaps) or len(np.unique(times)) < ONE_TIME_EACH * len(times):
        return None
    far = -max(FAR_BACK * float(np.median(gaps)), FAR_BACK_SHARE * float(np.ptp(steps)))
    falls = np.flatnonzero(moves < far)
    if not len(falls):
        return None
    best = np.maximum.accumulate(logged)
    below = logged < best
    if int(below.sum()) < MIN_TWICE:
        return None
    again = logged[below]
    return len(falls), int(again.min()), int(again.max()), int(below.sum())


def _begins_again(patient: Patient, name: str) -> Hit | None:
    """Lives of the process that all begin at the start of the run, as readers tell them apart."""
    points = patient.run.points
    lives = [life for life in points.lives(name) if life[2] >= MIN_LAP]
    if len(lives) < 2:
        return None
    first, last, count = lives[0]
    near = first + NEAR_START * (last - first) / (count - 1)
    laps = sum(life[0] <= near for life in lives[1:])
    ahead = [other for metric in COUNTERS for other in _that_ran_on(patient, metric)]
    if laps < len(lives) - 1 or (laps < 2 and not ahead):
        return None
    lost = len(points.abandoned(name)[0])
    why = f"while {ahead[0]} continues" if ahead else "each time from the start"
    return Hit(
        series=name,
        span=Span(first, max(life[1] for life in lives), sum(life[2] for life in lives)),
        message=f"steps restart {how_often(laps)}, {why}: {counted(lost, 'point')} overwritten",
        advice="use a step counter that only grows, and save it in the checkpoint",
        severity=None if ahead else "notice",
        causes=("the counter restarts each epoch", "several runs share one log"),
        also=tuple(ahead[:1]),
    )


def _that_ran_on(patient: Patient, metric: str) -> Iterator[str]:
    """Names of a counter that went on where the steps began again."""
    points = patient.run.points
    for name in patient.run.metrics().get(metric, ()):
        kept, lost = points.column(name)[2], points.abandoned(name)[2]
        kept, lost = kept[np.isfinite(kept)], lost[np.isfinite(lost)]
        if len(kept) and len(lost) and kept.min() >= lost.max() > lost.min():
            yield name


def _holes(patient: Patient, name: str) -> Iterator[Hit]:
    steps, _, _ = patient.run.points.column(name)
    gaps = np.diff(steps)
    gaps_ahead = gaps[gaps > 0]
    progress = patient.progress
    if len(gaps_ahead) >= MIN_POINTS:
        at = int(np.argmax(gaps))
        span = int(steps[-1] - steps[0])
        if gaps[at] > max(HOLE * float(np.median(gaps_ahead)), HOLE_SHARE * span):
            yield Hit(
                series=name,
                span=Span(int(steps[at]), int(steps[at + 1]), 2),
                message=f"nothing was logged from step {int(steps[at]):,} to "
                f"{int(steps[at + 1]):,}",
                advice="check whether the logger failed there",
                severity="notice",
                causes=("the logger failed", "rows were lost"),
            )
    elif progress is not None and progress >= HALF_DONE and 1 < len(steps) < MIN_POINTS:
        yield Hit(
            series=name,
            span=Span(int(steps[0]), int(steps[-1]), len(steps)),
            message=f"only {len(steps)} points after {progress:.0%} of the plan: "
            "too few for most rules",
            advice="log more often",
            severity="notice",
            causes=("the logging interval is too long",),
        )
