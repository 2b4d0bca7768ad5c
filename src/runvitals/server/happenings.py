"""What happened in a run, in the order of time: findings, restarts, texts."""

from __future__ import annotations

from collections.abc import Iterator

from runvitals.diagnosis.live.journal import read_changes
from runvitals.server.dashboard import OpenRun
from runvitals.server.plain import number, readable
from runvitals.server.schemas import RunEvent, RunEvents

MOST_TEXTS = 1_000
LONGEST = 20_000  # characters


def events_of(opened: OpenRun) -> RunEvents:
    """All of it."""
    events = [*_findings(opened), *_restarts(opened), *_texts(opened)]
    return RunEvents(events=sorted(events, key=lambda event: (event.time or 0.0, event.step or 0)))


def _findings(opened: OpenRun) -> Iterator[RunEvent]:
    if not opened.place.is_ours:
        return
    for change in read_changes(opened.place.path):
        yield RunEvent(
            kind="finding",
            step=change.step,
            time=number(change.time),
            name=change.finding.code,
            text=change.finding.message,
            severity=change.finding.severity,
            change=change.event,
        )


def _restarts(opened: OpenRun) -> Iterator[RunEvent]:
    points = opened.run.points
    longest = max(points.names(), key=lambda name: len(points.column(name)[0]), default=None)
    if longest is None:
        return
    rank = points.ranks(longest)[0]
    for segment, (steps, times, _) in points.by_life(longest, rank)[1:]:
        yield RunEvent(
            kind="restart",
            step=int(steps[0]),
            time=number(float(times[0])),
            name="restart",
            text=f"process life {segment} begins at step {int(steps[0]):,}",
        )


def _texts(opened: OpenRun) -> Iterator[RunEvent]:
    for text in opened.events.texts()[-MOST_TEXTS:]:
        yield RunEvent(
            kind="text",
            step=text.step,
            time=number(text.time),
            name=text.name,
            text=readable(text.text, LONGEST),
        )
