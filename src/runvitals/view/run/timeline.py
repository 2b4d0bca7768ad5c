"""What happened in a run, in the order of time: its starts and end, findings, texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from runvitals.diagnosis.live.journal import read_changes
from runvitals.model.run import with_code
from runvitals.view.json_safe import number, readable
from runvitals.view.run.lives import lives_of
from runvitals.view.run.open_run import OpenRun
from runvitals.view.schemas import RunEvent, RunEvents

MAX_TEXTS = 1_000
MAX_LENGTH = 20_000  # characters


def events_of(opened: OpenRun) -> RunEvents:
    """All of it."""
    events = [*_findings(opened), *_ends(opened), *_texts(opened)]
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


def _ends(opened: OpenRun) -> Iterator[RunEvent]:
    run = opened.run
    if run.started is not None:
        yield _plain("start", number(run.started), None, "the run began")
    for life in lives_of(run)[1:]:
        text = f"resumed at step {life.first_step:,} (start number {life.number})"
        yield _plain("restart", life.began, life.first_step, text)
    if run.ended is not None:
        yield _plain(
            "end",
            number(run.ended),
            run.last_step,
            f"the run ended: {with_code(run.status, run.exit_code)}",
        )


def _plain(
    kind: Literal["start", "restart", "end"], time: float | None, step: int | None, text: str
) -> RunEvent:
    return RunEvent(kind=kind, step=step, time=time, name=kind, text=text)


def _texts(opened: OpenRun) -> Iterator[RunEvent]:
    for text in opened.events.texts(MAX_TEXTS):
        yield RunEvent(
            kind="text",
            step=text.step,
            time=number(text.time),
            name=text.name,
            text=readable(text.text, MAX_LENGTH),
        )
