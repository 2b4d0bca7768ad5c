"""Events to columns, a window of records at a time.

Events of one writer mostly differ only in time, step and values. So records of equal length are laid
side by side; the first is parsed and becomes a template: which bits may differ, and where the numbers
lie. All records that agree with it in every other bit are read as columns. Records that agree with
none are parsed one by one.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.model import IntArray, RowBlock
from runvitals.readers.log import Blocks
from runvitals.readers.tfevents._records import RecordWindow
from runvitals.readers.tfevents._template import (
    Columns,
    EventPoints,
    EventTemplate,
    Growing,
    Singles,
    Words,
)
from runvitals.tfevents.decode import CONFIG_TEXTS, Layout, MalformedError, Other, layout, unpack
from runvitals.tfevents.framing import HEAD

MAX_TAGS = 200_000
MAX_TAG_BYTES = 64 * 2**20
MAX_OTHER_BYTES = 32 * 2**20  # of events that tell settings
MAX_CELLS = 2_000_000  # names in all shapes of events together
MAX_SESSIONS = 200  # in one file
FEW = 8  # records of one shape below this are parsed singly
_TRIES = 12  # shapes among records of one length; a file with more of them is not regular
_SAMPLE = 64  # records: if all of their checksums are wrong, their writer computes them wrongly

# Odd, so that multiplying loses no bit. Any will do, but they have to be the same each time.
_WEIGHTS = np.cumprod(np.full(512, 0x9E3779B97F4A7C15, np.uint64))

Key = tuple[tuple[str, ...], bool]


class EventDecoder:
    """Gathers the points of event files, file after file, in numbered segments."""

    def __init__(self, segment: int = 1) -> None:
        self.segment = self._first_segment = segment
        self.purges: dict[int, int] = {}  # by segment, the step from which it starts anew
        self.others: list[tuple[int, bytes, Layout]] = []  # hyperparameters and the like
        self.lazy: list[IntArray] = []  # file offsets of records with histograms or texts
        self.malformed = 0
        self.unsound = 0  # records with a wrong checksum
        self.unchecked = False  # all checksums are wrong: their writer is to blame, not the disk
        self.left_out = 0
        self.first_time = self.last_time = float("nan")
        self._columns: dict[tuple[int, Key], Columns] = {}
        self._tags: dict[bytes, str] = {}
        self._tag_bytes = self._other_bytes = 0
        self._cells = 0
        self._has_points = False
        self._check: bool | None = None
        self._parts: dict[Key, list[EventPoints]] = {}
        self._singles: dict[Key, Singles] = {}
        self._sessions: list[tuple[int, int]] = []
        self._lazy_now: list[NDArray[Any]] = []

    def next_file(self, segment: int, begun: bool) -> None:
        """What follows comes from another file, of which the start may have been read already."""
        self.segment = self._first_segment = segment
        self._has_points = begun
        self.lazy = []
        self._check = None
        self.unchecked = False

    def add(self, window: RecordWindow) -> None:
        """Decode the records of a window."""
        starts, lengths = window.starts, window.lengths
        if self._check is None:
            first = zip(starts[:_SAMPLE].tolist(), lengths[:_SAMPLE].tolist(), strict=True)
            self._check = len(starts) < FEW or any(window.sound(*record) for record in first)
            self.unchecked = not self._check
        # NumPy sorts 16 bits by radix
        longest = int(lengths.max())
        sizes = lengths.astype(np.uint16) if longest < 2**16 else lengths
        order = np.argsort(sizes, kind="stable")
        ordered = lengths[order]
        edges = [0, *(np.flatnonzero(np.diff(ordered)) + 1).tolist(), len(order)]
        for low, high in pairwise(edges):
            if high > low:
                self._equal_lengths(window, starts[order[low:high]], int(ordered[low]))
        self._flush(window)

    def _equal_lengths(self, window: RecordWindow, at: IntArray, length: int) -> None:
        width = max(8, -(-length // 8) * 8)
        rows = np.ndarray(
            (len(window.data) - width + 1,), f"V{width}", buffer=window.data.data, strides=(1,)
        )
        for _ in range(_TRIES):
            if len(at) < FEW:
                break
            template = self._template(window, int(at[0]), length, width)
            if template is None:
                self._single(window, int(at[0]), length)
                at = at[1:]
                continue
            block = rows[at].view("<u8").reshape(len(at), width // 8)
            # the first few tell nearly always that they differ, without a look at all of them
            if not template.differs(block[:64]).any() and not template.differs(block).any():
                self._take(window, template, block, at)
                return
            same = template.same_shape(block)
            others = at[~same]
            if len(others):
                block, at = block[same], at[same]
            wrong = self._by_likeness(window, template, block, at, length, width)
            at = np.sort(np.concatenate([others, wrong])) if len(wrong) else others
        for start in at.tolist():
            self._single(window, start, length)

    def _by_likeness(
        self,
        window: RecordWindow,
        template: EventTemplate,
        block: Words,
        at: IntArray,
        length: int,
        width: int,
    ) -> IntArray:
        """Read records by groups of equal fixed bits; gives those that fell in a wrong group."""
        mixed = np.zeros(len(block), np.uint64)
        for column, mask in enumerate(template.mask.tolist()):
            if mask:
                mixed += (block[:, column] & np.uint64(mask)) * _WEIGHTS[column % len(_WEIGHTS)]
        # The upper bits are the best mixed, and NumPy sorts 16 bits by radix. Records that fall into
        # a wrong group by chance are found below, where every fixed bit is compared.
        keys = (mixed >> np.uint64(48)).astype(np.uint16)
        order = np.argsort(keys, kind="stable")
        keys, at, block = keys[order], at[order], np.take(block, order, axis=0)
        edges = [0, *(np.flatnonzero(np.diff(keys)) + 1).tolist(), len(keys)]
        rest: list[IntArray] = []
        for low, high in pairwise(edges):
            mine, places = block[low:high], at[low:high]
            own = (
                self._template(window, int(places[0]), length, width) if high - low >= FEW else None
            )
            if own is None:
                for start in places[:FEW].tolist():
                    self._single(window, start, length)
                rest.append(places[FEW:])
                continue
            differences = own.differs(mine)
            if differences.any():
                wrong = differences.any(axis=1)
                rest.append(places[wrong])
                mine, places = mine[~wrong], places[~wrong]
            self._take(window, own, mine, places)
        return np.sort(np.concatenate(rest)) if rest else np.empty(0, np.int64)

    def _template(
        self, window: RecordWindow, start: int, length: int, width: int
    ) -> EventTemplate | None:
        data = window.content(start, length)
        try:
            found = layout(data)
        except MalformedError:
            return None
        if not found.regular or any(_matters_now(other) for other in found.others):
            return None
        if self._check and not window.sound(start, length):
            return None
        self._admit(found)
        return EventTemplate(data, found, width)

    def _admit(self, found: Layout) -> None:
        """Leave out tags beyond the bounds of memory."""
        for scalar in found.scalars:
            if scalar.tag not in self._tags:
                if len(self._tags) >= MAX_TAGS or self._tag_bytes > MAX_TAG_BYTES:
                    break
                self._tags[scalar.tag] = scalar.tag.decode("utf-8", "replace")
                self._tag_bytes += len(scalar.tag)
        else:
            return
        kept = [scalar for scalar in found.scalars if scalar.tag in self._tags]
        self.left_out += len(found.scalars) - len(kept)
        found.scalars[:] = kept

    def _keys(self, found: Layout) -> list[tuple[Key, slice]]:
        """Under which shapes to keep the values of an event: mostly just one."""
        tags = tuple([self._tags[scalar.tag] for scalar in found.scalars])
        exact = any(scalar.kind not in ("<f4", "bf16", "<f2") for scalar in found.scalars)
        key = (tags, exact)
        if (self.segment, key) in self._columns or key in self._parts or key in self._singles:
            return [(key, slice(None))]
        if self._cells + len(tags) <= MAX_CELLS:
            self._cells += len(tags)
            return [(key, slice(None))]
        return [(((tag,), exact), slice(i, i + 1)) for i, tag in enumerate(tags)]

    def _take(
        self, window: RecordWindow, template: EventTemplate, block: Words, at: IntArray
    ) -> None:
        if self._check:
            sound = template.checksums(block) == window.checksums(at + template.length)
            if not sound.all():
                self.unsound += len(at) - int(sound.sum())
                block, at = block[sound], at[sound]
        if not len(at):
            return
        if template.lazy:
            self._lazy_now.append(at)
        if not template.layout.scalars:
            return
        part = template.columns(block, at)
        for key, cut in self._keys(template.layout):
            mine = EventPoints(at, part.steps, part.times, part.values[cut])
            self._parts.setdefault(key, []).append(mine)

    def _single(self, window: RecordWindow, start: int, length: int) -> None:
        data = window.content(start, length)
        if self._check and not window.sound(start, length):
            self.unsound += 1
            return
        try:
            found = layout(data)
        except MalformedError:
            self.malformed += 1
            return
        step, time = found.step(data), found.time(data)
        if found.starts_session:
            self._sessions.append((start, step))
        if found.version and not self.first_time <= time:
            self.first_time = time
        if found.others:
            if any(other.kind not in ("skip", "hparams") for other in found.others):
                self._lazy_now.append(np.array([start]))
            if any(_matters_now(other) for other in found.others):
                self._other_bytes += length
                if self._other_bytes < MAX_OTHER_BYTES:
                    self.others.append((window.base + start, data, found))
        self._admit(found)
        if not found.scalars:
            return
        values = [
            unpack(scalar.kind, data, scalar.at) if scalar.kind else scalar.number
            for scalar in found.scalars
        ]
        for key, cut in self._keys(found):
            singles = self._singles.get(key)
            if singles is None:
                singles = self._singles[key] = Singles()
            singles.at.append(start)
            singles.steps.append(step)
            singles.times.append(time)
            singles.values.append(values[cut])

    def _flush(self, window: RecordWindow) -> None:
        """Put the points of a window where they belong, in the order of their records."""
        for key, singles in self._singles.items():
            part = EventPoints(
                np.array(singles.at, np.int64),
                np.array(singles.steps, np.int64),
                np.array(singles.times, np.float64),
                list(np.array(singles.values, np.float64).T),
            )
            self._parts.setdefault(key, []).append(part)
        joined = {key: _joined(parts) for key, parts in self._parts.items()}
        segments, places = self._segments(joined)
        self._parts, self._singles, self._sessions = {}, {}, []
        for key, part in joined.items():
            cuts = [0, *np.searchsorted(part.at, places).tolist(), len(part.at)]
            for segment, low, high in zip(segments, cuts[:-1], cuts[1:], strict=True):
                if high > low:
                    self._store(segment, key, part.cut(low, high), window.base)
        if self._lazy_now:
            self.lazy.append(np.sort(np.concatenate(self._lazy_now)) + (window.base - HEAD))
            self._lazy_now = []

    def _segments(self, joined: dict[Key, EventPoints]) -> tuple[list[int], IntArray]:
        """The segments of a window, and the places where each but the first begins."""
        segments, places = [self.segment], []
        everywhere = (
            np.sort(np.concatenate([part.at for part in joined.values()]))
            if joined and self._sessions
            else np.empty(0, np.int64)
        )
        low = 0
        for place, step in sorted(self._sessions):
            high = int(np.searchsorted(everywhere, place))
            self._has_points = self._has_points or high > low
            low = high
            if self._has_points:
                if self.segment - self._first_segment >= MAX_SESSIONS:
                    break
                self.segment += 1
                self._has_points = False
                segments.append(self.segment)
                places.append(place)
            self.purges[self.segment] = min(step, self.purges.get(self.segment, step))
        self._has_points = self._has_points or low < len(everywhere) or bool(joined and not places)
        return segments, np.array(places, np.int64)

    def _store(self, segment: int, key: Key, part: EventPoints, base: int) -> None:
        columns = self._columns.get((segment, key))
        if columns is None:
            columns = Columns(len(key[0]), key[1], base + int(part.at[0]))
            self._columns[segment, key] = columns
        with np.errstate(over="ignore", invalid="ignore"):
            columns.append(part)
        for time in (float(part.times[0]), float(part.times[-1])):
            if np.isfinite(time):
                self.first_time = time if not self.first_time <= time else self.first_time
                self.last_time = time if not self.last_time >= time else self.last_time

    def first_steps(self) -> dict[str, int]:
        """Of each tag the lowest step since the last call of `blocks`."""
        return {
            tag: min(by_segment.values())
            for tag, by_segment in _first_steps(list(self._columns.items())).items()
        }

    def absorb(self, later: EventDecoder, shift: int) -> None:
        """Take over what was decoded from later files, its segments counted on from `shift`."""
        for (segment, key), columns in later._columns.items():
            self._columns[segment + shift, key] = columns
        for segment, step in later.purges.items():
            self.purges[segment + shift] = step
        for tag, name in later._tags.items():
            if tag not in self._tags:
                self._tags[tag] = name
                self._tag_bytes += len(tag)
        self._cells += later._cells
        self._other_bytes += later._other_bytes
        self.segment = self._first_segment = later.segment + shift
        self._has_points = later._has_points
        self.first_time = _earlier(self.first_time, later.first_time)
        self.last_time = -_earlier(-self.last_time, -later.last_time)

    def blocks(self) -> Blocks:
        """All points since the last call; tags that share their steps or times share the array."""
        gathered = sorted(self._columns.items(), key=lambda item: (item[0][0], item[1].first))
        self._columns, self._cells = {}, 0
        known: dict[tuple[Any, ...], list[NDArray[Any]]] = {}
        first_later = _first_steps(gathered) if self.purges else {}
        blocks: Blocks = []
        for (segment, (tags, _)), columns in gathered:
            steps = _shared(columns.steps, np.int64, known)
            times = _shared(columns.times, np.float64, known)
            for tag, column in zip(tags, columns.values, strict=True):
                values = column.take(np.float64)[:, None]
                block = RowBlock((tag,), steps, times, values)
                if self.purges:
                    block = self._purged(block, segment, first_later.get(tag, {}))
                if len(block):
                    blocks.append((segment, block))
        self.purges = {}
        return blocks

    def _purged(self, block: RowBlock, segment: int, firsts: dict[int, int]) -> RowBlock:
        """Without the points that a later session declared void and that no point replaces."""
        keep = np.ones(len(block), np.bool_)
        for later, step in self.purges.items():
            if later > segment:
                # from `again` on the new points replace the old ones by themselves, as in any resumed
                # run
                again = min((first for s, first in firsts.items() if s >= later), default=None)
                void = block.steps >= step
                if again is not None:
                    void &= block.steps < again
                keep &= ~void
        if keep.all():
            return block
        return RowBlock(block.names, block.steps[keep], block.times[keep], block.values[keep])


def _matters_now(other: Other) -> bool:
    """True if this value says something about the whole run."""
    if other.kind == "hparams":
        return True
    return other.kind == "text" and text_name(other.tag.decode("utf-8", "replace")) in CONFIG_TEXTS


def text_name(tag: str) -> str:
    """The name under which a text was logged; some writers add a suffix.

    >>> text_name("args/text_summary")
    'args'
    """
    return tag.removesuffix("/text_summary").lower()


def _earlier(one: float, other: float) -> float:
    """The lower of two times, of which either may be unknown."""
    return other if math.isnan(one) or other < one else one


def _joined(parts: list[EventPoints]) -> EventPoints:
    if len(parts) == 1:
        return parts[0]
    at = np.concatenate([part.at for part in parts])
    order = np.argsort(at, kind="stable")
    return EventPoints(
        at[order],
        np.concatenate([part.steps for part in parts])[order],
        np.concatenate([part.times for part in parts])[order],
        [
            np.concatenate([np.asarray(column) for column in columns])[order]
            for columns in zip(*(part.values for part in parts), strict=True)
        ],
    )


def _shared(
    column: Growing, kind: Any, known: dict[tuple[Any, ...], list[NDArray[Any]]]
) -> NDArray[Any]:
    """The numbers of a column, in the very array of another tag that has the same if possible."""
    count, raw = column.count, column.array
    alike = known.setdefault((kind, count, raw[0].item(), raw[count - 1].item()), [])
    for other in alike:
        if np.array_equal(other, raw[:count]):
            return other
    own = column.take(kind)
    if len(alike) < 8:
        alike.append(own)
    return own


def _first_steps(gathered: list[tuple[tuple[int, Key], Columns]]) -> dict[str, dict[int, int]]:
    """Of each tag the lowest step in each segment."""
    firsts: dict[str, dict[int, int]] = {}
    for (segment, (tags, _)), columns in gathered:
        lowest = int(columns.steps.array[: columns.steps.count].min())
        for tag in tags:
            mine = firsts.setdefault(tag, {})
            mine[segment] = min(lowest, mine.get(segment, lowest))
    return firsts
