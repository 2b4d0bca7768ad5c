"""Points that were put aside: columns in a file without a name, read again when somebody asks for them.

A run that is watched for days grows by the second; who watches it must not.
"""

from __future__ import annotations

import os
import tempfile
import threading
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from runvitals.model.points.merge import Arrays, Clock
from runvitals.model.row import FloatArray

_WIDTH = 8  # bytes of a step, a time or a value
_LASTING = Path("/var/tmp")  # on a disk, where /tmp is often in memory


class Scratch:
    """Arrays one after the other in a file that is gone as soon as nobody has it open."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._size = 0
        self._lock = threading.Lock()

    def put(self, *columns: NDArray[Any]) -> int:
        """Where the first of some columns begins. Raises `OSError` if there is no room for them."""
        with self._lock:
            if self._file is None:
                self._file = tempfile.TemporaryFile(buffering=0, dir=_folder())  # noqa: SIM115
            at = self._size
            self._file.seek(at)
            for column in columns:
                data = np.ascontiguousarray(column).data.cast("B")
                while data:
                    data = data[self._file.write(data) :]
            self._size = self._file.tell()
        return at

    def take(self, at: int, target: NDArray[Any]) -> None:
        """Fill an array with what was put there."""
        rest = target.data.cast("B")
        with self._lock:
            assert self._file is not None
            self._file.seek(at)
            while rest:
                count = self._file.readinto(rest)  # type: ignore[attr-defined]
                if not count:
                    raise OSError("points that were put aside in a temporary file are gone")
                rest = rest[count:]


def _folder() -> Path | None:
    """Where the file lies: where the user wants it, or on a disk; None for Python's own choice."""
    chosen = any(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    return None if chosen or not os.access(_LASTING, os.W_OK) else _LASTING


def in_sequence(clock: Clock) -> bool:
    """Whether no step is smaller than the one before it, and of equal steps no time."""
    steps, times = clock
    onward = steps[1:] > steps[:-1]
    return bool((onward | ((steps[1:] == steps[:-1]) & (times[1:] >= times[:-1]))).all())


class AsideRows:
    """Rows of one life of a rank, of names that were logged together.

    `in_order`: whether no step is smaller than the one before it, and of equal steps no time; else they
    lie as they were put there.
    """

    def __init__(self, scratch: Scratch, names: Sequence[str], rank: int) -> None:
        self.names, self.rank = tuple(names), rank
        self.in_order = True
        self._scratch = scratch
        self._length = 0
        self._last: tuple[int, float] | None = None
        self._ends = array("q")  # of the pieces, counted in rows
        self._clock_at = array("q")  # where the steps of each piece lie; its times are behind them
        self._values_at = {name: array("q") for name in self.names}
        self._clock: Clock | None = None  # once somebody asked for it

    def __len__(self) -> int:
        return self._length

    def apart(self, names: Sequence[str]) -> AsideRows:
        """The same rows for some of the names, which go on by themselves."""
        other = AsideRows(self._scratch, names, self.rank)
        other.in_order, other._length, other._last = self.in_order, self._length, self._last
        other._ends, other._clock_at = self._ends[:], self._clock_at[:]
        other._values_at = {name: self._values_at[name][:] for name in other.names}
        return other

    def append(self, clock: Clock, columns: Sequence[FloatArray]) -> None:
        """Put further rows aside, a column for each name. Raises `OSError`, and then has not grown."""
        steps, times = clock
        at = self._scratch.put(steps, times, *columns)
        self.in_order = self.in_order and self.go_on_with(clock)
        self._last = int(steps[-1]), float(times[-1])
        self._length += len(steps)
        self._ends.append(self._length)
        self._clock_at.append(at)
        for place, name in enumerate(self.names, start=2):
            self._values_at[name].append(at + _WIDTH * len(steps) * place)
        self._clock = None

    def go_on_with(self, clock: Clock) -> bool:
        """Whether rows of these steps and times, as they are, may follow: see `in_order`."""
        steps, times = clock
        if not len(steps):
            return True
        if self._last is not None and not (
            steps[0] > self._last[0] or (steps[0] == self._last[0] and times[0] >= self._last[1])
        ):
            return False
        return in_sequence(clock)

    def clock(self) -> Clock:
        """Steps and times; the same arrays until there are more, or `let_go`."""
        if self._clock is None:
            steps, times = np.empty(self._length, np.int64), np.empty(self._length)
            for place, (first, stop) in enumerate(self._pieces()):
                at = self._clock_at[place]
                self._scratch.take(at, steps[first:stop])
                self._scratch.take(at + _WIDTH * (stop - first), times[first:stop])
            self._clock = steps, times
        return self._clock

    def values(self, name: str, first: int = 0, stop: int | None = None) -> FloatArray:
        """Values of one name from one row to before another."""
        stop = self._length if stop is None else min(stop, self._length)
        found = np.empty(max(0, stop - first))
        self.fill(name, found, first)
        return found

    def fill(self, name: str, target: FloatArray, first: int = 0) -> None:
        """Read as many values of one name as there is room for."""
        stop, places = first + len(target), self._values_at[name]
        for place, (begin, end) in enumerate(self._pieces()):
            low, high = max(first, begin), min(stop, end)
            if low < high:
                self._scratch.take(
                    places[place] + _WIDTH * (low - begin), target[low - first : high - first]
                )

    def pieces(self, name: str) -> Iterator[Arrays]:
        """The rows of one name as they were put aside."""
        steps, times = self.clock()
        values = self.values(name)
        for first, stop in self._pieces():
            yield steps[first:stop], times[first:stop], values[first:stop]

    def _pieces(self) -> Iterator[tuple[int, int]]:
        first = 0
        for end in self._ends:
            yield first, end
            first = end

    def let_go(self) -> None:
        """Keep no copy of what was read."""
        self._clock = None
