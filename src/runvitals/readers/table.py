"""Rows and columns to blocks: which column is the step, where a run was restarted, what is absent.

Every row-like format (CSV, JSON lines, console output, trainer states, ...) goes through here, so that
steps, restarts, duplicates and gaps are treated alike.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.model import FloatArray, IntArray, RowBlock
from runvitals.readers.log import Blocks
from runvitals.readers.numbers import ABSENT, as_number, parse_duration, parse_time

BoolArray = NDArray[np.bool_]
MOST_COLUMNS = 20_000
MOST_NUMBERS = 100_000_000  # in one table; more is not read into memory at once
MOST_DEPTH = 12
LARGEST_STEP = 2.0**53
_LONGEST_NAME = 1000
_LONGEST_TEXT = 1000

# Names of the step column, most telling first. Letters and digits alone are compared, in lower case,
# for the whole name and for its last path segment: `time/total timesteps` is `totaltimesteps`.
STEP_NAMES = (
    "global_step", "_step", "step", "current_steps", "total_timesteps", "timesteps_total",
    "num_env_steps_sampled_lifetime", "total_env_interacts", "total_env_steps", "timesteps_so_far",
    "num_timesteps", "env_steps", "env_step", "environment_steps", "agent_steps", "timesteps",
    "timestep", "time_steps", "time_step", "total_steps", "total_steps_done", "steps", "nb_steps",
    "num_steps", "total_frames", "collected_frames", "num_frames", "frames", "frame",
    "training_steps", "training_step", "train_steps", "train_step", "learner_steps", "actor_steps",
    "nupdates", "n_updates", "num_updates", "updates", "update", "update_step", "iteration",
    "iterations", "training_iteration", "iter", "itr", "num_episodes", "episodes", "episode",
    "episodes_total", "epoch", "epochs", "batch", "batch_idx", "round",
)  # fmt: skip
TIME_NAMES = (
    "_timestamp", "timestamp", "wall_time", "walltime", "unix_time", "time", "ts", "date",
    "datetime", "date_time", "created_at", "logged_at",
)  # fmt: skip
ELAPSED_NAMES = (
    "elapsed_time", "time_elapsed", "elapsed", "remaining_time", "total_time", "time_total_s",
    "_runtime", "runtime", "time_since_restore", "time_total",
)  # fmt: skip
_PURE_STEPS = frozenset({"step", "steps", "_step", "global_step", "Step", "Steps"})  # say no more
_EARLIEST, _LATEST = 946_684_800.0, 7_258_118_400.0  # Unix seconds of the years 2000 and 2200
_LETTERS = re.compile(r"[^a-z0-9]+")


@lru_cache(maxsize=65_536)
def plain(name: str) -> str:
    """A name reduced to what is compared.

    >>> plain("Total Timesteps")
    'totaltimesteps'
    """
    return _LETTERS.sub("", name.lower())


_TIMES = frozenset(plain(name) for name in TIME_NAMES)
_ELAPSED = frozenset(plain(name) for name in ELAPSED_NAMES)
_STEPS = frozenset(plain(name) for name in STEP_NAMES)


def is_step_name(name: str) -> bool:
    """Whether a column of this name may be the step."""
    return plain(name) in _STEPS or plain(name.rpartition("/")[2]) in _STEPS


def is_time_name(name: str) -> bool:
    """Whether a column of this name may hold wall-clock times."""
    return plain(name.rpartition("/")[2]) in _TIMES


def is_elapsed_name(name: str) -> bool:
    """Whether a column of this name may hold durations since the start."""
    return plain(name.rpartition("/")[2]) in _ELAPSED


@dataclass(frozen=True, slots=True)
class Column:
    """The numbers of one name, and the rows they stand in (rising, each row once)."""

    values: FloatArray
    places: IntArray


@dataclass
class Table:
    """Columns over the same rows; a column need not have a number in every row."""

    rows: int
    columns: dict[str, Column] = field(default_factory=dict)

    def without_first(self, count: int) -> Table:
        """The same table from row `count` on."""
        table = Table(max(0, self.rows - count))
        shared: dict[int, IntArray] = {}
        for name, column in self.columns.items():
            cut = int(np.searchsorted(column.places, count))
            if cut < len(column.places):
                places = shared.setdefault(id(column.places), column.places[cut:] - count)
                table.columns[name] = Column(column.values[cut:], places)
        return table


@dataclass
class Part:
    """One run found in a table: its blocks, and what was odd about them."""

    blocks: Blocks = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    step_name: str | None = None
    disordered: bool = False


class RowCollector:
    """Gathers rows that come one by one or in bulk; numbers only, nested mappings as `outer/inner`.

    >>> rows = RowCollector()
    >>> rows.add({"step": 1, "loss": {"policy": 0.5}, "note": "text"})
    >>> rows.add({"step": 2, "kl": None})
    >>> sorted(rows.table().columns)
    ['loss/policy', 'step']
    """

    def __init__(self, separator: str = "/", left_out: Callable[[str], bool] | None = None) -> None:
        self.rows = 0
        self.numbers = 0
        self.texts: dict[str, str] = {}  # the last text met under each name
        self.varying: set[str] = set()  # names whose text changed
        self.too_many = 0  # columns beyond the limit
        self._separator = separator
        self._left_out = left_out  # mappings of such a key are no metrics
        self._chunks: dict[str, list[tuple[FloatArray, IntArray | None, int]]] = {}
        self._values: dict[str, array[float]] = {}
        self._places: dict[str, array[int]] = {}
        self._unknown: set[int] = set()

    def fresh(self) -> RowCollector:
        """An empty one of the same kind."""
        return RowCollector(self._separator, self._left_out)

    @property
    def full(self) -> bool:
        """Whether the table holds as much as one table may."""
        return self.numbers >= MOST_NUMBERS

    def constants(self) -> dict[str, str]:
        """Texts that never changed, under names that have no number."""
        return {
            k: v for k, v in self.texts.items() if k not in self.varying and k not in self._chunks
        }

    def add(self, row: Mapping[str, Any]) -> None:
        """Take a row in; what is no number is passed over."""
        if not self.full:
            self._walk(row, "", 0)
            self.rows += 1

    def add_all(self, rows: Sequence[dict[str, Any]]) -> None:
        """Take many rows in: much faster than one by one when they have the same keys."""
        if not self.full:
            self._walk_all(rows, None, "", 0)
            self.rows += len(rows)

    def add_columns(
        self, count: int, columns: Mapping[str, tuple[FloatArray, IntArray | None]]
    ) -> None:
        """Take `count` rows in, as columns: numbers, and their rows from 0 (None: all of them)."""
        if self.full:
            return
        for name, (values, places) in columns.items():
            if len(values) and self._known(name):
                self._flush(name)
                self._chunks[name].append((values, places, self.rows))
                self.numbers += len(values)
        self.rows += count

    def _known(self, name: str) -> bool:
        """Whether there is room for this name; makes it if it is new."""
        if name in self._chunks:
            return True
        if len(self._chunks) >= MOST_COLUMNS or len(name) > _LONGEST_NAME:
            if len(self._unknown) < MOST_COLUMNS:
                self._unknown.add(hash(name))
                self.too_many = len(self._unknown)
            return False
        self._chunks[name] = []
        self._values[name] = array("d")
        self._places[name] = array("q")
        return True

    def _walk(self, row: Mapping[str, Any], prefix: str, depth: int) -> None:
        for key, value in row.items():
            name = f"{prefix}{key}"
            if isinstance(value, Mapping):
                if depth < MOST_DEPTH and not (self._left_out and self._left_out(str(key))):
                    self._walk(value, f"{name}{self._separator}", depth + 1)
                continue
            number = self._number(name, value)
            if number is not None and self._known(name):
                self._values[name].append(number)
                self._places[name].append(self.rows)
                self.numbers += 1

    def _number(self, name: str, value: Any) -> float | None:
        number = as_number(value)
        if number is None and type(value) is str and value.strip().lower() not in ABSENT:
            if is_time_name(name):
                number = parse_time(value)
            if number is None:
                number = parse_duration(value)
            if number is None:
                self.note(name, value)
        return number

    def note(self, name: str, text: str) -> None:
        """Remember a text; those that never change are the run's settings."""
        text = text[:_LONGEST_TEXT]
        known = self.texts.get(name)
        if known is None:
            if len(self.texts) >= MOST_COLUMNS or len(name) > _LONGEST_NAME:
                return
        elif known != text:
            self.varying.add(name)
        self.texts[name] = text

    def _walk_all(
        self, rows: Sequence[dict[str, Any]], places: IntArray | None, prefix: str, depth: int
    ) -> None:
        """Rows of equal keys go column by column; `places` are their rows in the batch."""
        groups: dict[tuple[Any, ...], list[int]] = {}
        for index, keys in enumerate(map(tuple, rows)):
            group = groups.get(keys)
            if group is None:
                groups[keys] = [index]
            else:
                group.append(index)
        if len(groups) > 64 and len(groups) > len(rows) // 4:  # no two rows alike
            start = self.rows
            for index, row in enumerate(rows):
                self.rows = start + (index if places is None else int(places[index]))
                self._walk(row, prefix, depth)
            self.rows = start
            return
        for keys, members in groups.items():
            if len(members) == len(rows):
                chosen, where = rows, places
            else:
                chosen = [rows[index] for index in members]
                where = np.array(members, np.int64) if places is None else places[members]
            for key, column in zip(keys, zip(*map(dict.values, chosen), strict=True), strict=True):
                self._take(f"{prefix}{key}", key, column, where, depth)

    def _take(
        self, name: str, key: str, column: Sequence[Any], where: IntArray | None, depth: int
    ) -> None:
        kinds = set(map(type, column))
        if kinds <= {float, int, bool}:
            try:
                self._append(name, np.array(column, np.float64), where)
                return
            except OverflowError:
                pass  # an integer beyond all floats
        elif kinds <= {list, type(None)}:
            return
        if str in kinds and len(texts := {v for v in column if type(v) is str}) <= 16:
            found = [self._number(name, text) for text in texts]
            if not any(number is not None for number in found):
                kinds.discard(str)
                if not kinds & {float, int, bool, dict}:
                    return
        if dict in kinds:
            if depth < MOST_DEPTH and not (self._left_out and self._left_out(key)):
                inner = [i for i, value in enumerate(column) if type(value) is dict]
                self._walk_all(
                    [column[i] for i in inner],
                    np.array(inner, np.int64) if where is None else where[inner],
                    f"{name}{self._separator}",
                    depth + 1,
                )
            if kinds == {dict}:
                return
        numbers: list[float] = []
        kept: list[int] = []
        texts_too = str in kinds
        for index, value in enumerate(column):
            if type(value) is float:
                number: float | None = value
            elif value is None or (type(value) is str and not texts_too):
                continue
            else:
                number = self._number(name, value)
            if number is not None:
                numbers.append(number)
                kept.append(index)
        if numbers:
            if len(kept) < len(column):
                where = np.array(kept, np.int64) if where is None else where[kept]
            self._append(name, np.array(numbers, np.float64), where)

    def _append(self, name: str, values: FloatArray, where: IntArray | None) -> None:
        if self._known(name):
            self._flush(name)
            self._chunks[name].append((values, where, self.rows))
            self.numbers += len(values)

    def _flush(self, name: str) -> None:
        """What was added row by row goes into a chunk."""
        if len(self._values[name]):
            self._chunks[name].append(
                (
                    np.frombuffer(self._values[name], np.float64),
                    np.frombuffer(self._places[name], np.int64),
                    0,
                )
            )
            self._values[name] = array("d")
            self._places[name] = array("q")

    def table(self) -> Table:
        """All rows so far."""
        table = Table(self.rows)
        everywhere = np.arange(self.rows)
        shared: dict[bytes, IntArray] = {}
        for name in self._chunks:
            self._flush(name)
            chunks = self._chunks[name]
            if not chunks:
                continue
            values = chunks[0][0] if len(chunks) == 1 else np.concatenate([c[0] for c in chunks])
            if len(values) == self.rows and all(places is None for _, places, _ in chunks):
                table.columns[name] = Column(values, everywhere)
                continue
            pieces = [
                np.arange(start, start + len(numbers)) if places is None else places + start
                for numbers, places, start in chunks
            ]
            places = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
            if len(places) > 1 and bool((places[1:] <= places[:-1]).any()):
                # one name at two depths of one row, or of two groups: by row, the last one counts
                order = np.argsort(places, kind="stable")
                places, values = places[order], values[order]
                last = np.append(places[1:] != places[:-1], True)
                places, values = places[last], values[last]
            if len(places) == self.rows:
                places = everywhere
            else:
                places = shared.setdefault(_digest(places), places)
            table.columns[name] = Column(values, places)
        return table


def choose_step(table: Table, names: Sequence[str] = STEP_NAMES) -> str | None:
    """The column that counts: known by name, there in nearly every row, and rising.

    Restarts and a few rows out of order are forgiven. When the rows are in no order at all, a column
    of a telling name with a number of its own in nearly every row will do.
    """
    known = _candidates(table, names)
    rising = [name for name in known if _rises(table.columns[name].values)]
    if rising:
        best = rising[0]
        if _repeats(table.columns[best]) >= 2:  # many rows to a step: is there a finer counter?
            for other in rising[1:]:
                if _repeats(table.columns[other]) * 2 <= _repeats(table.columns[best]):
                    return other
        return best
    for name in known:
        column = table.columns[name]
        if table.rows == 1 or (_repeats(column) < 1.1 and _whole(column.values)):
            return name
    for name in known:
        if table.rows <= 3 and _whole(table.columns[name].values):
            return name
    return None


def _candidates(table: Table, names: Sequence[str]) -> list[str]:
    by_name: dict[str, list[str]] = {}
    for name in table.columns:
        for key in {plain(name), plain(name.rpartition("/")[2])}:
            by_name.setdefault(key, []).append(name)
    found: dict[str, None] = {}
    for wanted in names:
        for name in sorted(by_name.get(plain(wanted), ()), key=lambda n: (n.count("/"), n)):
            column = table.columns[name]
            missing = table.rows - len(column.values)
            if (
                missing <= max(0.1 * table.rows, min(2, table.rows // 3))
                and len(column.values)
                and _bounded(column.values)
            ):
                found[name] = None
    return list(found)


def _bounded(values: FloatArray) -> bool:
    with np.errstate(invalid="ignore"):
        good = np.isfinite(values) & (np.abs(values) <= LARGEST_STEP)
    return bool(good.mean() >= 0.9)


def _whole(values: FloatArray) -> bool:
    return bool((values == np.floor(values)).all())


def _rises(values: FloatArray) -> bool:
    """Whether a counter would look so: it goes up far more often than down, or in a line with the
    rows but for small steps back (two writers at nearly the same place)."""
    moves = np.diff(values)
    up, down = int((moves > 0).sum()), int((moves < 0).sum())
    if up >= 3 * down:
        return up > 0
    if len(values) < 8:
        return False
    finite = np.isfinite(values)
    line = np.corrcoef(values[finite], np.flatnonzero(finite))[0, 1]
    return bool(line > 0.95)


def _repeats(column: Column) -> float:
    return len(column.values) / max(1, len(np.unique(column.values)))


def choose_time(table: Table) -> str | None:
    """The column of wall-clock times in Unix seconds (or milli-, micro-, nanoseconds), if any."""
    best: tuple[int, str] | None = None
    for name, column in table.columns.items():
        if is_time_name(name):
            values = column.values
            with np.errstate(invalid="ignore"):
                good = (values > _EARLIEST) & (values < _LATEST * 1e9)
            if bool(good.all()) and (best is None or len(values) > best[0]):
                best = len(values), name
    return best[1] if best else None


def runs_in(
    table: Table,
    *,
    step: str | None = None,
    time: str | None = None,
    rank: int = 0,
    split: bool = True,
) -> list[Part]:
    """The runs in a table, in order: mostly one.

    A step that falls back to where the table began starts another run (`split`); one that falls back
    less is a resume, and starts a segment, and so does what follows a start that was soon given up.
    A row that repeats its neighbour is dropped. With steps in no order at all (two writers, sorted
    otherwise) rows are ordered by step. The column of the steps is no series of its own when its name
    says nothing more, nor is that of the wall-clock times.
    """
    if not table.rows or not table.columns:
        return []
    if step is None or step not in table.columns:
        step = choose_step(table)
    if time is None or time not in table.columns:
        time = choose_time(table)
    keep, repeats = _without_repeats(table, step, time)
    steps, scaled = _steps(table, step)
    times = _times(table, time)
    if keep is not None:
        steps, times = steps[keep], times[keep]
    warnings = []
    if repeats:
        warnings.append(f"{repeats} rows repeat the row before them and were dropped")
    if step is None:
        warnings.append("no step column was found; rows are counted from 0")
    elif scaled:
        warnings.append(f"`{step}` is fractional; steps are its thousandths")
    starts, segments, disordered, aborted = _lives(steps, split)
    if disordered:
        warnings.append("steps are in no order (several writers?); rows were sorted by step")
    hidden = {name for name in (time, step if step in _PURE_STEPS else None) if name}
    parts = []
    for begin, end in zip(starts, [*starts[1:], len(steps)], strict=True):
        part = Part(warnings=list(warnings), step_name=step, disordered=disordered)
        numbers = segments[begin:end] - segments[begin] + 1
        edges = [begin, *(begin + 1 + np.flatnonzero(np.diff(numbers))).tolist(), end]
        for first, last in pairwise(edges):
            rows = None
            if keep is not None:
                rows = keep[first:last]
            elif last - first < table.rows:
                rows = np.arange(first, last)
            part.blocks.extend(
                (int(numbers[first - begin]), block)
                for block in _blocks(
                    table, rows, steps[first:last], times[first:last], rank, hidden
                )
            )
        if len(edges) > 2:
            part.warnings.append(
                f"the run was resumed {len(edges) - 2} times"
                if begin not in aborted
                else f"{aborted[begin]} rows of given-up starts lie before the run"
            )
        parts.append(part)
    if len(parts) > 1:
        for number, part in enumerate(parts, 1):
            part.warnings.append(f"run {number} of {len(parts)} in this file: the steps start over")
    return parts


def _steps(table: Table, step: str | None) -> tuple[IntArray, bool]:
    if step is None:
        return np.arange(table.rows), False
    column = table.columns[step]
    values, places = column.values, column.places
    good = np.isfinite(values)
    if not good.all():
        values, places = values[good], places[good]
    if not len(values):
        return np.arange(table.rows), False
    if len(values) < table.rows:  # rows without a step belong to the one before
        before = np.searchsorted(places, np.arange(table.rows), side="right") - 1
        values = values[np.maximum(before, 0)]
    scaled = not _whole(values)
    if scaled:  # fractional epochs: the order counts, not the fraction
        scaled = bool(np.abs(values).max() < 1e9)
        values = np.round(values * 1000.0 if scaled else values)
    if len(values) and np.abs(values).max() > LARGEST_STEP:
        values = np.clip(values, -LARGEST_STEP, LARGEST_STEP)
    return values.astype(np.int64), scaled


def _times(table: Table, time: str | None) -> FloatArray:
    if time is None:
        return np.full(table.rows, np.nan)
    column = table.columns[time]
    values = column.values.copy()
    for _ in range(3):
        with np.errstate(invalid="ignore"):
            finer = values > _LATEST
        if not finer.any():
            break
        values[finer] /= 1e3
    if len(values) == table.rows:
        return values
    times = np.full(table.rows, np.nan)
    times[column.places] = values
    return times


def _without_repeats(
    table: Table, step: str | None, time: str | None
) -> tuple[IntArray | None, int]:
    """Rows to keep (None: all): those that say something their predecessor did not."""
    if step is None or table.rows < 2:
        return None, 0
    same = np.ones(table.rows - 1, np.bool_)
    others = [n for n in table.columns if n != step and n != time and not is_elapsed_name(n)]
    if not others:
        return None, 0
    for name in [step, *others]:
        column = table.columns[name]
        values, places = column.values, column.places
        with np.errstate(invalid="ignore"):
            equal = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
        if len(places) == table.rows:
            same &= equal
        else:  # a number that comes, goes or changes from one row to the next
            beside = places[1:] == places[:-1] + 1
            same[places[1:][~(beside & equal)] - 1] = False
            if places[0] > 0:
                same[places[0] - 1] = False
            gone = places[:-1][~beside]
            same[gone] = False
            if places[-1] < table.rows - 1:
                same[places[-1]] = False
        if not same.any():
            return None, 0
    keep = np.flatnonzero(np.concatenate([[True], ~same]))
    return keep, table.rows - len(keep)


def _lives(steps: IntArray, split: bool) -> tuple[list[int], IntArray, bool, dict[int, int]]:
    """Where runs begin, the segment of each row, whether the steps are in no order, and how many
    rows of given-up starts each run begins with."""
    one = np.ones(len(steps), np.int64)
    back = (np.flatnonzero(np.diff(steps) < 0) + 1).tolist()
    if not back:
        return [0], one, False, {}
    first = int(steps[0])
    stride = int(np.median(np.abs(np.diff(steps))))
    to_start = [p for p in back if int(steps[p]) <= first + stride]
    if len(back) > 0.25 * len(steps) or len(back) - len(to_start) > max(3, 0.05 * len(steps)):
        return [0], one, True, {}
    fresh = split and abs(first) <= 2 * stride  # else the file itself begins with a resumed run
    begins = [0, *(p for p in to_start if fresh)]
    marks = sorted(set(begins) | {p for p in back if not _stray(steps, p, back)})
    segments = one
    for place in marks[1:] if marks and marks[0] == 0 else marks:
        segments[place:] += 1
    lengths = np.diff([*begins, len(steps)])
    starts: list[int] = []
    aborted: dict[int, int] = {}
    waiting: int | None = None
    for index, begin in enumerate(begins):
        anchor = begin if waiting is None else waiting
        later = int(lengths[index + 1 :].max()) if index + 1 < len(lengths) else 0
        if lengths[index] < 20 and lengths[index] * 5 < later:
            waiting = anchor
            continue
        starts.append(anchor)
        if waiting is not None:
            aborted[anchor] = begin - anchor
        waiting = None
    return starts, segments, False, aborted


def _stray(steps: IntArray, place: int, back: list[int]) -> bool:
    """Whether the rows from `place` are a few that came late, and no resumed run."""
    end = next((p for p in back if p > place), len(steps))
    ahead = steps[place:end]
    below = int((ahead <= steps[place - 1]).sum())  # rows before it is where it was
    repeated = int((steps[:place] >= steps[place]).sum())
    return below <= 2 and repeated >= 5 * below


def _digest(places: IntArray) -> bytes:
    return hashlib.blake2b(places.tobytes(), digest_size=16).digest()


def _blocks(
    table: Table,
    rows: IntArray | None,
    steps: IntArray,
    times: FloatArray,
    rank: int,
    hidden: set[str],
) -> Iterable[RowBlock]:
    """One block per set of names that stand in the same rows."""
    groups: dict[bytes, list[str]] = {}
    chosen: dict[bytes, tuple[IntArray | None, IntArray | None]] = {}
    seen: dict[int, bytes] = {}  # the same array of places is looked at once
    for name, column in table.columns.items():
        if name in hidden:
            continue
        key = seen.get(id(column.places))
        if key is None:
            inside = _inside(column.places, rows, table.rows)
            key = (
                b""
                if inside[0] is None and inside[1] is None
                else _digest(np.append(*_both(inside)))
            )
            seen[id(column.places)] = key
            chosen[key] = inside
        groups.setdefault(key, []).append(name)
    for key, names in groups.items():
        taken, at = chosen[key]
        if at is not None and not len(at):
            continue
        where = steps if at is None else steps[at]
        values = np.empty((len(names), len(where)))
        for index, name in enumerate(names):
            numbers = table.columns[name].values
            values[index] = numbers if taken is None else numbers[taken]
        yield RowBlock(tuple(names), where, times if at is None else times[at], values.T, rank)


def _inside(
    places: IntArray, rows: IntArray | None, total: int
) -> tuple[IntArray | None, IntArray | None]:
    """Which numbers of a column lie in these rows, and at which of the rows; None for all."""
    everywhere = len(places) == total
    if rows is None:
        return (None, None) if everywhere else (np.arange(len(places)), places)
    if everywhere:
        return rows, None
    at = np.searchsorted(places, rows)
    found = np.flatnonzero(places[np.minimum(at, len(places) - 1)] == rows)
    return at[found], found


def _both(inside: tuple[IntArray | None, IntArray | None]) -> tuple[IntArray, IntArray]:
    empty = np.empty(0, np.int64)
    taken, at = inside
    return (empty if taken is None else taken), (empty if at is None else at)
