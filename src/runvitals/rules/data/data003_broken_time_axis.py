from collections.abc import Iterator

import numpy as np

from runvitals.rules.kit import FloatArray, Hit, IntArray, Patient, Span, counted, how_often, rule

MAX_CHECKED_SERIES = 6  # those with the most points
MIN_POINTS = 20  # of a series (judgement)
MIN_LAP = 5  # points that are logged a second time (judgement)
FAR_BACK = 5.0  # intervals: workers log a little out of order (judgement)
COUNTERS = (
    "progress/epoch", "progress/optimizer_steps", "progress/env_steps", "progress/samples",
    "progress/tokens", "progress/episodes", "time/elapsed_s",
)  # fmt: skip


@rule("DATA003")
def broken_time_axis(patient: Patient) -> Hit | None:
    """Steps go backwards although the run was not resumed.

    ## What it looks for
    The longest series, in the order in which they were logged.

    - Steps that fall back by more than a few intervals and then cover the same range again, within
      one process. This is a warning.
    - A resume that starts again from the first step while epochs, samples or the clock continue.
      This is a warning too. In any other resume the later points replace the earlier ones, which is
      fine.
    - Several starts from the first step with nothing else known. This is a notice.

    ## Why it matters
    Two stretches of training are drawn on top of each other. Every curve is wrong, and so is every
    rule that reads it.

    ## Usual causes
    1. A step counter that restarts at 0, each epoch or after an error.
    2. Two processes that log to the same run.

    ## What to try
    Log from one process. Use a counter that only grows and is saved in the checkpoint.

    ## When to ignore it
    The log was put together from several runs on purpose.

    ## Sources
    Our own experience; veRL (gradient steps and rollout steps in one plot).
    """
    run = patient.run
    if patient.until is not None:
        return None
    columns = {name: run.points.column(name) for name in run.names()}
    longest = sorted(columns, key=lambda name: -len(columns[name][0]))[:MAX_CHECKED_SERIES]
    checked = [name for name in longest if len(columns[name][0]) >= MIN_POINTS]
    found = [(name, back) for name in checked if (back := _goes_back(*columns[name][:2]))]
    if found and 2 * len(found) >= len(checked):  # the counter, and no series of its own
        name, (falls, span) = found[0]
        return Hit(
            series=name,
            span=span,
            message=f"steps fall back {how_often(falls)} without a resume, over steps "
            f"{span.first:,} to {span.last:,}",
            advice="log from one process, with a counter that only grows",
            causes=("the counter restarts", "two processes log to the same run"),
            also=tuple(other for other, _ in found[1:]),
        )
    elif longest and (begun_again := _begins_again(patient, longest[0])) is not None:
        return begun_again
    return None


def _goes_back(steps: IntArray, times: FloatArray) -> tuple[int, Span] | None:
    """How often steps fall back in order of time, and the range that is logged twice."""
    known = np.isfinite(times)
    steps, times = steps[known], times[known]
    different = np.unique(steps)
    if len(different) < 2 or len(different) == len(steps):
        return None  # each step is there once: if times fall, the clock was set
    if 2 * len(np.unique(times)) < len(times):
        return None  # too coarse to tell an order
    logged = steps[np.argsort(times, kind="stable")]
    falls = int((np.diff(logged) < -FAR_BACK * float(np.median(np.diff(different)))).sum())
    again = logged[logged < np.maximum.accumulate(logged)]
    if not falls or len(again) < MIN_LAP:
        return None
    return falls, Span(int(again.min()), int(again.max()), len(again))


def _begins_again(patient: Patient, name: str) -> Hit | None:
    """Lives of the process that all begin at the start of the run, as readers tell them apart."""
    points = patient.run.points
    lives = [life for life in points.lives(name) if life[2] >= MIN_LAP]
    if len(lives) < 2:
        return None
    first, last, count = lives[0]
    near = first + 2 * (last - first) / (count - 1)
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
