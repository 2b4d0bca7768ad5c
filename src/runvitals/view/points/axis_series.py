"""Series of an open run over an axis, ready to be cut and thinned; kept until they grow."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.model import FloatArray, IntArray, PointTable, Run
from runvitals.model.points.parts import LazySeries
from runvitals.view.json_safe import visible
from runvitals.view.points.pyramid import LONG, Pyramid
from runvitals.view.points.ranks import OF_RANKS, OfRanks, RankSpread, spread_of

MAX_ODD = 100_000  # places of values that are not finite which are remembered

Convert = Callable[[FloatArray], FloatArray]


class LazyValues:
    """The values of a stored series in the catalog's unit, NaN where they are not finite."""

    def __init__(self, series: LazySeries, convert: Convert | None) -> None:
        self._series, self._convert = series, convert

    def __len__(self) -> int:
        return len(self._series)

    def __getitem__(self, part: slice) -> FloatArray:
        first, stop, _ = part.indices(len(self))
        values = self._series.values(first, stop)
        if self._convert is not None:
            values = self._convert(values)
        return np.where(np.isfinite(values), values, np.nan)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        return np.asarray(self[:], dtype=dtype)


class Noting:
    """Passes values on, from front to back, and notes where they are not finite."""

    def __init__(self, values: LazyValues) -> None:
        self._values = values
        self._odd: list[IntArray] = []
        self._read = 0

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, part: slice) -> FloatArray:
        values = self._values[part]
        self._odd.append(self._read + np.flatnonzero(np.isnan(values)))
        self._read += len(values)
        return values

    def odd(self) -> IntArray:
        """The first places of values that are not finite."""
        if self._read < len(self):
            self[self._read :]
        return np.concatenate(self._odd)[:MAX_ODD]


class ByteCache:
    """Keeps what was put there until that takes more bytes than allowed.

    >>> kept = ByteCache(max_bytes=20)
    >>> for key in "abc":
    ...     kept.put(key, key.upper(), 8)
    >>> kept.get("a"), kept.get("c")
    (None, 'C')
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._things: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def get(self, key: Hashable) -> Any:
        """What was put there, None if it is gone."""
        if key not in self._things:
            return None
        self._things.move_to_end(key)
        return self._things[key][0]

    def put(self, key: Hashable, thing: Any, size: int) -> None:
        """Keep something of this many bytes."""
        self._bytes += size - self._things.pop(key, (None, 0))[1]
        self._things[key] = (thing, size)
        while self._bytes > self._max_bytes:
            self._bytes -= self._things.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Keep nothing."""
        self._things.clear()
        self._bytes = 0


MAX_POINTS = 20_000_000  # that one run's series may hold besides the run
MAX_POINTS_AGAIN = 2**17  # the same if the run's points are read from a file again and again
MAX_DRAWN = 4 * 2**20  # bytes of what several pages show of such a run: 150 series in 600 buckets
LATE_SHARE = 16  # a pyramid alone takes as much as one point in this many
MAX_CLOCKS = 8
MAX_SPREADS = 32
MAX_MILESTONES = 2_000
AXES = ("step", "time", "relative")
_RANK = "@rank"
_OF_RANKS = "@ranks:"
Which = int | OfRanks | None  # a rank, something of all ranks, or the lowest rank
_Key = tuple[str, Which, str]
_Clock = tuple[IntArray, FloatArray]
_Axis = tuple[FloatArray, NDArray[np.bool_] | None]  # x, and which of them are known if not all are


@dataclass(frozen=True)
class AxisSeries:
    """Values over x, sorted by x. `odd` are the places of values that are NaN or infinite."""

    x: FloatArray
    values: FloatArray | LazyValues
    odd: IntArray
    pyramid: Pyramid | None

    @property
    def held(self) -> int:
        """How many points it takes in memory."""
        return len(self.x) // (LATE_SHARE if isinstance(self.values, LazyValues) else 1)


def series_key(name: str, rank: Which) -> str:
    """What names one series of a run, of one rank if they differ, or of all of them.

    >>> series_key("loss", None), series_key("loss", 3), series_key("loss", "highest")
    ('loss', 'loss@rank3', 'loss@ranks:highest')
    """
    if isinstance(rank, str):
        return f"{name}{_OF_RANKS}{rank}"
    return name if rank is None else f"{name}{_RANK}{rank}"


def split_key(run: Run, key: str) -> tuple[str, Which] | None:
    """The name and rank that a key stands for; None if the run has no such series."""
    if run.points.ranks(key):
        return key, None
    name, _, told = key.rpartition(_OF_RANKS)
    if told in OF_RANKS and run.points.ranks(name):
        return name, told
    name, _, rank = key.rpartition(_RANK)
    if name and rank.isascii() and rank.isdigit() and int(rank) in run.points.ranks(name):
        return name, int(rank)
    bound = run.get(key)
    return _shown_as(run, key) if bound is None else (bound.name, None)


def _shown_as(run: Run, key: str) -> tuple[str, Which] | None:
    """The series whose key looks like this where it is shown."""
    for name in run.names():
        if (shown := visible(name)) == key:
            return name, None
        for which in OF_RANKS if key.startswith(shown + _OF_RANKS) else ():
            if series_key(shown, which) == key:
                return name, which
        for rank in run.points.ranks(name) if key.startswith(shown + _RANK) else ():
            if series_key(shown, rank) == key:
                return name, rank
    return None


class AxisSeriesCache:
    """The series of one run over its axes, made when they are first asked for."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._made: OrderedDict[_Key, tuple[PointTable, int, AxisSeries]] = OrderedDict()
        self._spreads: OrderedDict[str, tuple[PointTable, int, RankSpread]] = OrderedDict()
        self._clocks: OrderedDict[tuple[int, str], tuple[_Clock, _Axis]] = OrderedDict()
        self._drawn = ByteCache(MAX_DRAWN)
        self._count = 0  # of the run's points when these were made
        self._points = run.points  # which these were

    def get(self, name: str, rank: Which, axis: str) -> AxisSeries:
        """A series over `step`, `time`, `relative` or one of the run's counters."""
        points = self._run.points
        self._drop_old()
        key, size = (name, rank, axis), self._size(name, rank)
        known = self._made.get(key)
        # the table itself is part of the question: a run that was read anew may happen to be as long
        if known is None or known[0] is not points or known[1] != size:
            known = self._made[key] = (points, size, self._make(name, rank, axis))
            held = sum(series.held for _, _, series in self._made.values())
            most = MAX_POINTS_AGAIN if points.is_aside else MAX_POINTS
            while held > most and len(self._made) > 1:
                held -= self._made.popitem(last=False)[1][2].held
        else:
            self._made.move_to_end(key)
        return known[2]

    def times(self, name: str, rank: Which) -> FloatArray:
        """When the points of a series over `step` were logged."""
        if isinstance(rank, str):
            return self._spread(name).times
        steps, times, _ = self._run.points.column(name, rank)
        return times[np.argsort(steps, kind="stable")]

    def drawn(self) -> ByteCache | None:
        """Where to keep what is shown of a run that was put aside; None if it is in memory."""
        self._drop_old()
        return self._drawn if self._run.points.is_aside else None

    def let_go(self) -> None:
        """Keep nothing that was made of points which were put aside."""
        if self._run.points.is_aside:
            self._made.clear()
            self._clocks.clear()
            self._spreads.clear()

    def _drop_old(self) -> None:
        """Forget what has grown since: nobody may ask for it again, and it holds old points."""
        points = self._run.points
        if self._count == points.count and self._points is points:
            return
        self._count, self._points = points.count, points
        self._drawn.clear()
        self._clocks.clear()
        for key, (table, size, _) in list(self._made.items()):
            if table is not points or size != self._size(key[0], key[1]):
                del self._made[key]
        for name, (table, size, _) in list(self._spreads.items()):
            if table is not points or size != points.count:
                del self._spreads[name]

    def _size(self, name: str, rank: Which) -> int:
        """What changes as it grows; where a thousand ranks do, that of all names together."""
        points = self._run.points
        return points.count if isinstance(rank, str) else points.size(name, rank)

    def _spread(self, name: str) -> RankSpread:
        """The range over all ranks; that of the names looked at last is kept."""
        points, size = self._run.points, self._size(name, OF_RANKS[0])
        known = self._spreads.get(name)
        if known is None or known[0] is not points or known[1] != size:
            known = self._spreads[name] = (points, size, spread_of(self._run, name))
            if len(self._spreads) > MAX_SPREADS:
                self._spreads.popitem(last=False)
        return known[2]

    def _make(self, name: str, rank: Which, axis: str) -> AxisSeries:
        points = self._run.points
        if isinstance(rank, str):
            spread = self._spread(name)
            x, known = self._axis((spread.steps, spread.times), axis)
            values = spread.of(rank)
            return (
                _axis_series(x, values) if known is None else _axis_series(x[known], values[known])
            )
        binding = self._run.bindings.get(name)
        convert = None if binding is None else binding.convert
        x, known = self._axis(points.clock(name, rank), axis)
        late = points.stored(name, rank)
        if late is not None and len(late) >= LONG and known is None and _rising(x):
            lazy = LazyValues(late, convert)
            noting = Noting(lazy)
            pyramid = Pyramid.over(noting)
            return AxisSeries(x, lazy, noting.odd(), pyramid)
        whole = points.column(name, rank)[2] if late is None else late.values()
        whole = whole if convert is None else convert(whole)
        return _axis_series(x, whole) if known is None else _axis_series(x[known], whole[known])

    def _axis(self, clock: _Clock, axis: str) -> _Axis:
        """The x of some rows; names that were logged together share it."""
        key = (id(clock[0]), axis)
        made = self._clocks.get(key)
        if made is None or made[0][0] is not clock[0] or made[0][1] is not clock[1]:
            made = self._clocks[key] = (clock, _over(self._run, axis, *clock))
            if len(self._clocks) > MAX_CLOCKS:
                self._clocks.popitem(last=False)
        return made[1]


def milestones(run: Run, axis: str) -> tuple[list[int], list[float]]:
    """Some steps in their order and where they lie on an axis, by what was logged most."""
    longest = max(run.points.names(), key=run.points.size, default=None)
    if longest is None:
        return [], []
    steps, times = run.points.clock(longest)
    some = np.linspace(0, len(steps) - 1, min(len(steps), MAX_MILESTONES)).astype(np.int64)
    steps, times = steps[some], times[some]
    x, known = _over(run, axis, steps, times)
    if known is not None:
        steps, x = steps[known], x[known]
    at, first = np.unique(steps, return_index=True)
    return at.tolist(), x[first].tolist()


def axes_of(run: Run) -> list[str]:
    """What a run can be drawn over: steps, time if it kept any, and its counters."""
    longest = max(run.points.names(), key=run.points.size, default=None)
    timed = longest is not None and bool(np.isfinite(run.points.clock(longest)[1]).any())
    return [*(AXES if timed else AXES[:1]), *counters(run)]


def counters(run: Run) -> list[str]:
    """Names of what else was counted while training: episodes, tokens, epochs, ..."""
    return [
        name
        for metric, names in run.metrics().items()
        if metric.startswith("progress/")
        for name in names
        if _rises(run.points.column(name)[2])
    ]


def _rises(values: FloatArray) -> bool:
    return (
        len(values) > 1
        and bool(np.isfinite(values).all())
        and bool((values[1:] >= values[:-1]).all())
        and bool(values[-1] > values[0])
    )


def _over(run: Run, axis: str, steps: IntArray, times: FloatArray) -> _Axis:
    if axis == "step":
        return steps.astype(np.float64), None
    if axis in ("time", "relative"):
        known = np.isfinite(times)
        start = start_of(run) if axis == "relative" else 0.0
        return times - start, None if known.all() else known
    # a counter is mostly logged at other steps than the series drawn over it: in between, a line
    counted_at, _, counts = run.points.column(axis)
    at, first = np.unique(counted_at, return_index=True)
    return np.interp(steps, at, counts[first]), None


def start_of(run: Run) -> float:
    """When it began; if it does not say so, when it first logged."""
    if run.started is not None:
        return run.started
    firsts = [times[0] for n in run.names() if len(times := run.points.clock(n)[1])]
    known = [float(first) for first in firsts if np.isfinite(first)]
    return min(known, default=0.0)


def _axis_series(x: FloatArray, values: FloatArray) -> AxisSeries:
    if not _rising(x):
        order = np.argsort(x, kind="stable")
        x, values = x[order], values[order]
    finite = np.isfinite(values)
    odd = np.flatnonzero(~finite)
    if len(odd):
        values = np.where(finite, values, np.nan)
    return AxisSeries(x, values, odd, Pyramid.over(values))


def _rising(x: FloatArray) -> bool:
    return bool((x[1:] >= x[:-1]).all())
