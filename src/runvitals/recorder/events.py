"""Histograms, texts, samples and media on their way to the flusher."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from runvitals.model import STORE, Event, Histogram, Losses, Media, Sample, Text
from runvitals.model.secrets import redacted
from runvitals.recorder.buffer import TOO_FAST, Complain
from runvitals.recorder.config import encodable, json_safe
from runvitals.recorder.media import LazyMedia, byte_count
from runvitals.recorder.values import is_jax


@dataclass(frozen=True, slots=True)
class LazyHistogram:
    """An array that becomes a histogram in the background."""

    kind: ClassVar[str] = "histogram"
    name: str
    step: int
    time: float
    values: Any
    bins: int

    @classmethod
    def snapshot(cls, name: str, step: int, time: float, values: Any, bins: int) -> LazyHistogram:
        """Copy the array where it lies, so that later changes do not show."""
        if hasattr(values, "detach"):
            values = values.detach().clone()
        elif not is_jax(values):
            values = np.array(values, dtype=np.float64)
        return cls(encodable(str(name)), step, time, values, max(1, min(int(bins), 4096)))

    def make(self) -> Histogram | None:
        """Count; NaN and infinities are left out. None when nothing is left."""
        values = self.values
        if hasattr(values, "detach"):
            values = values.float().cpu().numpy()
        flat = np.asarray(values, dtype=np.float64).ravel()
        flat = flat[np.isfinite(flat)]
        if not flat.size:
            return None
        counts, edges = np.histogram(flat, bins=self.bins)
        total, squares = float(flat.sum()), float(np.square(flat).sum())
        return Histogram(
            self.name, self.step, self.time, edges, counts.astype(np.float64), total, squares
        )


def action_histograms(
    name: str, counts: Any, step: int, time: float
) -> tuple[dict[str, float], list[Histogram]]:
    """Share of each action, and for each the distribution of chosen (1) and not chosen (0).

    >>> shares, histograms = action_histograms("replica", [30, 10], 0, 0.0)
    >>> shares
    {'action_replica_0': 0.75, 'action_replica_1': 0.25}
    >>> histograms[1].name, histograms[1].counts.tolist()
    ('Actions/replica_1', [30.0, 10.0])
    """
    if hasattr(counts, "detach"):
        counts = counts.detach().cpu().numpy()
    chosen = np.asarray(counts, dtype=np.float64).ravel()
    total = float(chosen.sum())
    if not np.isfinite(total) or total <= 0 or (chosen < 0).any():
        raise ValueError(f"action counts must be non-negative and not all zero, got {counts!r}")
    shares = {f"action_{name}_{i}": float(c) / total for i, c in enumerate(chosen)}
    edges = np.array([-0.5, 0.5, 1.5])
    histograms = [
        Histogram(
            encodable(f"Actions/{name}_{i}"), step, time, edges, np.array([total - c, c]), c, c
        )
        for i, c in enumerate(chosen.tolist())
    ]
    return shares, histograms


MAX_EVENTS = 100_000
BUDGET_BYTES = 256 * 2**20
MAX_TEXT = 1_000_000
MAX_PARTS = 100_000
Lazy = LazyHistogram | LazyMedia
_Kind = TypeVar("_Kind", Event, Lazy)


class EventBuffer:
    """Events that wait for the next flush, bounded in number and in bytes."""

    def __init__(self, complain: Complain) -> None:
        self.losses = Losses(STORE)
        self._waiting: deque[tuple[Event, int]] = deque()
        self._later: deque[tuple[Lazy, int]] = deque()
        self._bytes = 0
        self._complain = complain

    def add(self, event: Event | Lazy) -> bool:
        """Take one in; the oldest go when too much waits. True when it is time to flush."""
        size = _size(event)
        if isinstance(event, Lazy):
            self._later.append((event, size))
        else:
            self._waiting.append((event, size))
        self._bytes += size
        while self._count() > MAX_EVENTS or self._bytes > BUDGET_BYTES:
            if self._count() < 2:
                break  # a single one that is larger than the budget is kept all the same
            gone = self._take(self._waiting) or self._take(self._later)
            if gone is None:
                break
            self.losses.add_events(TOO_FAST, [gone.step])
            self._complain(
                "events", "histograms, samples or media come too fast; the oldest were dropped"
            )
        return self._bytes > BUDGET_BYTES // 4

    def _count(self) -> int:
        return len(self._waiting) + len(self._later)

    def _take(self, queue: deque[tuple[_Kind, int]]) -> _Kind | None:
        try:
            event, size = queue.popleft()
        except IndexError:
            return None
        self._bytes -= size
        return event

    @property
    def has_later(self) -> bool:
        """Whether arrays wait to become histograms, images or sounds."""
        return bool(self._later)

    def resolve_later(self) -> None:
        """Make histograms and media of the arrays that wait; a device may take its time."""
        ready = 0
        for _ in range(len(self._later)):
            if ready > BUDGET_BYTES // 2:
                return  # files that were given as paths: the rest after the next flush
            raw = self._later[0][0]
            made = self._made(raw)
            if self._take(self._later) is None:
                return  # given up in the meantime
            if made is not None:
                size = _size(made)
                self._waiting.append((made, size))
                self._bytes += size
                ready += size

    def give_up_later(self, why: str) -> None:
        """Give up on events that still wait for a device."""
        while self._later:
            gone = self._take(self._later)
            if gone is not None:
                self.losses.add_events(why, [gone.step])

    def drain(self) -> list[Event]:
        """Take out everything that is ready, without secrets."""
        events: list[Event] = []
        for _ in range(len(self._waiting)):
            event = self._take(self._waiting)
            if event is not None:
                events.append(_without_secrets(event))
        if not self._count():
            self._bytes = 0  # threads that add at once may have miscounted
        return events

    def _made(self, lazy: Lazy) -> Event | None:
        try:
            return lazy.make()
        except Exception as error:  # noqa: BLE001 - a device may fail in any way
            what = f"{lazy.kind} {lazy.name!r}"
            self._complain(what, f"{what} was not logged: {error}")
            return None


def _without_secrets(event: Event) -> Event:
    """Here, and not in the thread that logs: a long text takes a moment.

    What a model was given and what it wrote is data: in samples, only fields that are called like
    secrets are hidden.
    """
    if isinstance(event, Text):
        return replace(event, text=redacted(event.text))
    if isinstance(event, Sample):
        return replace(event, fields=redacted(event.fields, texts=False))
    if isinstance(event, Media):
        return replace(event, caption=redacted(event.caption))
    return event


def samples_of(samples: Any, step: int, now: float) -> list[Sample]:
    """One mapping, several mappings, or a mapping of equally long columns, as samples."""
    rows: Iterable[Mapping[str, Any]] = samples
    if isinstance(samples, Mapping):
        columns = {k: _column(v) for k, v in samples.items() if _is_column(v)}
        is_table = len(columns) == len(samples) and len({len(v) for v in columns.values()}) == 1
        rows = [samples]
        if is_table:
            rows = [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ]
    return [
        Sample(step, now, json_safe(row, longest_text=MAX_TEXT, most_parts=MAX_PARTS))
        for row in map(dict, rows)
    ]


def _is_column(value: Any) -> bool:
    return isinstance(value, list | tuple) or (
        len(getattr(value, "shape", ())) == 1 and hasattr(value, "tolist")
    )


def _column(value: Any) -> Sequence[Any]:
    """A list as it is; an array or tensor of one dimension as a list."""
    return value if isinstance(value, list | tuple) else value.tolist()


def table_of(
    name: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    step: int,
    now: float,
    complain: Complain,
) -> Text:
    """A table as Markdown, without the rows that make it too long."""
    lines: list[str] = []
    room = MAX_TEXT
    for line in itertools.chain([columns, ["---"] * len(columns)], rows):
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |")
        room -= len(lines[-1])
        if room < 0:
            complain(f"table {name}", f"table {name!r} was cut after {len(lines) - 2:,} rows")
            break
    return replace(text_of(name, "\n".join(lines), step, now), is_table=True)


def text_of(name: str, text: Any, step: int, now: float) -> Text:
    """A text that can be written."""
    return Text(encodable(str(name)), step, now, encodable(str(text)))


def _size(event: Event | Lazy) -> int:
    """About how many bytes it keeps."""
    if isinstance(event, LazyMedia):
        return 1000 + byte_count(event.values)
    if isinstance(event, Media):
        return 1000 + byte_count(event.source)
    if isinstance(event, LazyHistogram):
        return int(getattr(event.values, "nbytes", 1000))
    if isinstance(event, Text):
        return len(event.text)
    if isinstance(event, Sample):
        return sum(len(v) if isinstance(v, str) else 100 for v in event.fields.values())
    return int(event.counts.nbytes + event.edges.nbytes)
