"""The binary answer for series: `RVS1`, the length of a JSON header, the header, then plain arrays."""

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.model import FloatArray
from runvitals.store.files import dumps
from runvitals.view.json_safe import number
from runvitals.view.points.axis_series import AxisSeriesCache, Which
from runvitals.view.points.buckets import Buckets, Points, SeriesPart, thinned
from runvitals.view.schemas.judgement import SeriesAnswer, SeriesArray, SeriesHeader

MAGIC = b"RVS1"
FINE = 1e-4  # of the largest value; differences below that have few digits in single precision
_LARGEST = float(np.finfo(np.float32).max)
_SMALLEST = float(np.finfo(np.float32).tiny)
_LETTERS = {"float64": "<f8", "float32": "<f4"}


@dataclass
class Payload:
    """Arrays one after the other. What several share, as x of series logged together, is kept once."""

    parts: list[bytes] = field(default_factory=list)
    size: int = 0
    _known: dict[bytes, int] = field(default_factory=dict)

    def put(self, values: FloatArray, dtype: str) -> int:
        """Where the values lie now."""
        if dtype == "float32":
            values = np.clip(values, -_LARGEST, _LARGEST)
        made: NDArray[np.floating] = np.ascontiguousarray(values, dtype=_LETTERS[dtype])
        data = made.tobytes()
        data += bytes(-len(data) % 8)
        if (place := self._known.get(data)) is not None:
            return place
        self._known[data] = place = self.size
        self.parts.append(data)
        self.size += len(data)
        return place

    def add(self, key: str, values: FloatArray, dtype: str) -> SeriesArray:
        """An array with its place."""
        return SeriesArray.model_validate(
            {"key": key, "dtype": dtype, "offset": self.put(values, dtype), "length": len(values)}
        )

    def behind(self, header: bytes) -> bytes:
        """The whole answer."""
        header += b" " * (-(len(MAGIC) + 4 + len(header)) % 8)
        return b"".join([MAGIC, struct.pack("<I", len(header)), header, *self.parts])


def encode(wanted: Iterable[tuple[str, SeriesPart]]) -> bytes:
    """Stretches of some series, with the keys of these."""
    payload = Payload()
    headers = [_encoded(key, part, payload) for key, part in wanted]
    return payload.behind(dumps(SeriesAnswer(series=headers).model_dump()))


def _enough(values: FloatArray) -> str:
    """Single precision, unless it shows: values beyond its range, or that differ by next to nothing."""
    known = values[np.isfinite(values)]
    if not len(known):
        return "float32"
    low, high = float(known.min()), float(known.max())
    largest = max(abs(low), abs(high))
    visible = high - low >= FINE * largest or high == low
    return "float32" if visible and (largest == 0 or _SMALLEST < largest < _LARGEST) else "float64"


def _encoded(key: str, part: SeriesPart, payload: Payload) -> SeriesHeader:
    if isinstance(part.shown, Buckets):
        dtype = _enough(np.concatenate([part.shown.low, part.shown.high]))
        arrays = [payload.add("x", part.shown.x, "float64")]
        for name in ("low", "high", "mean", "first", "last"):
            arrays.append(payload.add(name, getattr(part.shown, name), dtype))
    else:
        arrays = [
            payload.add("x", part.shown.x, "float64"),
            payload.add("value", part.shown.values, _enough(part.shown.values)),
        ]
    return SeriesHeader(
        name=key,
        count=part.count,
        raw=not isinstance(part.shown, Buckets),
        x_min=None if part.ends is None else number(part.ends[0]),
        x_max=None if part.ends is None else number(part.ends[1]),
        nonfinite=part.nonfinite.tolist(),
        arrays=arrays,
    )


class DrawnRange(NamedTuple):
    """What is shown of an axis, and in how many buckets at most."""

    axis: str
    start: float | None
    end: float | None
    buckets: int


def drawn(axis_series: AxisSeriesCache, name: str, rank: Which, stretch: DrawnRange) -> SeriesPart:
    """A stretch of a series. Where its points are read anew each time, that is done once for all."""
    kept = axis_series.drawn()
    key = (name, rank, stretch)
    part = None if kept is None else kept.get(key)
    if part is None:
        axis, start, end, buckets = stretch
        part = thinned(axis_series.get(name, rank, axis), start, end, buckets)
        if kept is not None:
            kept.put(key, _by_itself(part), _bytes(part))
    return part


def _by_itself(part: SeriesPart) -> SeriesPart:
    """The same without the arrays that it was cut from."""
    if not isinstance(part.shown, Points):
        return part
    return replace(part, shown=Points(part.shown.x.copy(), part.shown.values.copy()))


def _bytes(part: SeriesPart) -> int:
    return sum(array.nbytes for array in (part.nonfinite, *vars(part.shown).values()))
