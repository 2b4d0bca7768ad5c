"""Histograms, texts and samples on their way to the flusher."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from runvitals.model import Event, Sample, Text
from runvitals.recorder.buffer import Complain
from runvitals.recorder.config import json_safe
from runvitals.recorder.distributions import LazyHistogram

MOST_EVENTS = 10_000


class EventBuffer:
    """Events that wait for the next flush, bounded in number."""

    def __init__(self, complain: Complain) -> None:
        self._waiting: list[Event | LazyHistogram] = []
        self._complain = complain

    def add(self, event: Event | LazyHistogram) -> None:
        """Take one in; the oldest goes when too many wait."""
        self._waiting.append(event)
        if len(self._waiting) > MOST_EVENTS:
            del self._waiting[:1]
            self._complain(
                "events", "histograms and samples come too fast; the oldest were dropped"
            )

    def drain(self) -> list[Event]:
        """Take out everything that waits; arrays become histograms here, off the training loop."""
        count = len(self._waiting)
        waiting = self._waiting[:count]
        del self._waiting[:count]
        events: list[Event] = []
        for event in waiting:
            made = self._made(event) if isinstance(event, LazyHistogram) else event
            if made is not None:
                events.append(made)
        return events

    def _made(self, histogram: LazyHistogram) -> Event | None:
        try:
            return histogram.make()
        except Exception as error:  # noqa: BLE001 - a device may fail in any way
            name = histogram.name
            self._complain(f"histogram {name}", f"histogram {name!r} was not logged: {error}")
            return None


def samples_of(samples: Any, step: int, now: float) -> list[Sample]:
    """One mapping, several mappings, or a mapping of equally long columns, as samples."""
    rows: Iterable[Mapping[str, Any]] = samples
    if isinstance(samples, Mapping):
        columns = {k: v for k, v in samples.items() if isinstance(v, list | tuple)}
        is_table = len(columns) == len(samples) and len({len(v) for v in columns.values()}) == 1
        rows = [samples]
        if is_table:
            rows = [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ]
    return [Sample(step, now, {str(k): json_safe(v) for k, v in row.items()}) for row in rows]


def table_of(
    name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], step: int, now: float
) -> Text:
    """A small table as Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    cells = (" | ".join(str(cell).replace("|", "\\|") for cell in line) for line in lines)
    return Text(name, step, now, "\n".join(f"| {line} |" for line in cells))
