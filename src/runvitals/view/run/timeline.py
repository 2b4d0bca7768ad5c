"""What happened in a run in the order of time, from its start to its end."""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal

import numpy as np

from runvitals.model import IntArray, Run, Series
from runvitals.model.formatting import number as figure
from runvitals.model.run import with_code
from runvitals.view.json_safe import number, readable
from runvitals.view.run.open_run import OpenRun
from runvitals.view.schemas.judgement import FindingCard
from runvitals.view.schemas.run import ProcessLife, RunEvent, RunEvents, RunRow

MAX_TEXTS = 1_000
MAX_LENGTH = 20_000  # characters
MAX_CHECKPOINTS = 500
MAX_RATE_CHANGES = 50
RATE = "optim/learning_rate"
RATE_JUMP = 1.5  # from one row to the next; schedules move by less
# as Trainer, SB3, veRL and most scripts name them
_CHECKPOINT = re.compile(
    r"(?:checkpoint|ckpt|global_step|epoch|step)[-_=]?(\d{1,12})(?:\.\w+)?|.+_(\d{1,12})_steps(?:\.zip)?"
)


def events_of(opened: OpenRun, findings: Sequence[FindingCard] = ()) -> RunEvents:
    """All of it; `findings` are those of the judgement."""
    live = list(_live_findings(opened))
    told = {event.name for event in live}
    judged = [event for event in _judged_findings(findings) if event.name not in told]
    events = [
        *live,
        *judged,
        *_ends(opened),
        *_rates(opened.run),
        *_checkpoints(opened),
        *_texts(opened),
    ]
    place = _clock(opened.run)
    for event in events:
        if event.time is None and event.step is not None:
            event.time = place(event.step)
    return RunEvents(events=sorted(events, key=lambda event: (event.time or 0.0, event.step or 0)))


class _Clock:
    """When steps were logged, by the series with most points."""

    def __init__(
        self, steps: IntArray, times: np.ndarray[tuple[int], np.dtype[np.float64]]
    ) -> None:
        known = np.isfinite(times)
        order = np.argsort(steps[known], kind="stable")
        self._steps, self._times = steps[known][order], times[known][order]

    def __call__(self, step: int) -> float | None:
        return float(np.interp(step, self._steps, self._times)) if len(self._steps) else None


def _clock(run: Run) -> _Clock:
    points = run.points
    longest = max(points.names(), key=points.size, default=None)
    if longest is None:
        return _Clock(np.empty(0, np.int64), np.empty(0))
    steps, times, _ = points.column(longest, points.ranks(longest)[0])
    return _Clock(steps, times)


def _live_findings(opened: OpenRun) -> Iterator[RunEvent]:
    if not opened.place.is_ours:
        return
    from runvitals.diagnosis.live.journal import read_changes  # slow to import

    for change in read_changes(opened.place.path):
        opens = change.event == "opened"  # told later than it began, or only when the run was over
        text = change.finding.message
        yield RunEvent(
            kind="finding",
            step=change.finding.span.first if opens else change.step,
            time=None if opens else number(change.time),
            name=change.finding.code,
            text=f"{text} (told at step {change.step:,})" if opens else text,
            severity=change.finding.severity,
            change=change.event,
        )


def _judged_findings(findings: Sequence[FindingCard]) -> Iterator[RunEvent]:
    for one in findings:
        yield RunEvent(
            kind="finding",
            step=one.span.first,
            time=None,
            name=one.code,
            text=one.message,
            severity=one.severity,
            last_step=one.span.last,
        )
        yield from _judged_findings(one.follows)


def _ends(opened: OpenRun) -> Iterator[RunEvent]:
    run = opened.run
    lives = lives_of(run)
    if lives or run.started is not None:
        first = lives[0].first_step if lives else None
        yield _plain("start", number(run.started), first, "the run began")
    for life in lives[1:]:
        text = f"resumed at step {life.first_step:,} (start number {life.number})"
        yield _plain("restart", life.began, life.first_step, text)
    if run.ended is not None:
        text = f"the run ended: {with_code(run.status, run.exit_code)}"
        yield _plain("end", number(run.ended), run.last_step, text)
    elif lives and run.status != "running":
        yield _plain("end", None, run.last_step, "the log ends")


def _plain(
    kind: Literal["start", "restart", "end", "rate", "checkpoint"],
    time: float | None,
    step: int | None,
    text: str,
) -> RunEvent:
    return RunEvent(kind=kind, step=step, time=time, name=kind, text=text)


def _rates(run: Run) -> Iterator[RunEvent]:
    """Jumps of the learning rate, its peak after a warm-up, and where it ended."""
    rate = run.get(RATE)
    if rate is None or len(rate) < 2:
        return
    values, steps = rate.values, rate.steps
    with np.errstate(divide="ignore", invalid="ignore"):
        change = np.abs(np.log(values[1:] / values[:-1]))
    jumps = np.flatnonzero(change > np.log(RATE_JUMP)) + 1
    peak = int(np.nanargmax(values)) if np.isfinite(values).any() else 0
    warm_up = values[0] < values[peak] / RATE_JUMP and peak < len(values) // 2
    jumps = jumps[jumps > (peak if warm_up else 0)]
    for i in jumps[:MAX_RATE_CHANGES].tolist():
        yield _rate(rate, i, f"from {figure(values[i - 1])} to {figure(values[i])}")
    if warm_up:
        yield _rate(rate, peak, f"warmed up from {figure(values[0])} to {figure(values[peak])}")
    if values[-1] < values[peak] / RATE_JUMP and not len(jumps):
        text = f"came down from {figure(values[peak])} to {figure(values[-1])}"
        yield _rate(rate, len(steps) - 1, text)


def _rate(rate: Series, row: int, text: str) -> RunEvent:
    return _plain("rate", number(rate.times[row]), int(rate.steps[row]), f"learning rate {text}")


def _checkpoints(opened: OpenRun) -> Iterator[RunEvent]:
    """Files and folders beside the log that are called like checkpoints."""
    path = opened.place.path
    home = path if path.is_dir() else path.parent
    for folder in (home, home / "checkpoints"):
        try:
            with os.scandir(folder) as entries:
                matches = ((_CHECKPOINT.fullmatch(entry.name), entry) for entry in entries)
                found = list(islice(((m, e) for m, e in matches if m), MAX_CHECKPOINTS))
        except OSError:
            continue  # there is none
        for match, entry in found:
            yield _plain("checkpoint", None, int(match[1] or match[2]), f"checkpoint {entry.name}")
    latest = opened.run.progress.get("latest_checkpoint")
    if latest is not None:
        text = f"latest checkpoint {readable(str(latest), 300)}"
        yield _plain("checkpoint", None, opened.run.last_step, text)


def _texts(opened: OpenRun) -> Iterator[RunEvent]:
    for text in opened.events.texts(MAX_TEXTS):
        yield RunEvent(
            kind="text",
            step=text.step,
            time=number(text.time),
            name=text.name,
            text=readable(text.text, MAX_LENGTH),
        )


MAX_LIVES = 200


def lives_of(run: Run) -> list[ProcessLife]:
    """One for each start, by what was logged most; more than one if it was resumed."""
    points = run.points
    longest = max(points.names(), key=lambda name: points.size(name), default=None)
    if longest is None:
        return []
    parts = points.by_life(longest, points.ranks(longest)[0])
    return [
        ProcessLife(
            number=place,
            first_step=int(steps.min()),
            last_step=int(steps.max()),
            began=number(float(times[0])),
            ended=number(float(times[-1])),
        )
        for place, (_, (steps, times, _)) in enumerate(parts, start=1)
    ][-MAX_LIVES:]


def eta_of(row: RunRow) -> float | None:
    """Seconds until the plan is done at the present pace; None if it is over, or has no plan."""
    if row.status != "running" or row.planned_steps is None or not row.steps_per_second:
        return None
    left = row.planned_steps - (row.last_step or 0)
    return left / row.steps_per_second if left >= 0 and row.steps_per_second > 0 else None
