"""The points of all charts, as finely as fits into a file that is still quick to send."""

from __future__ import annotations

import gzip
from collections.abc import Iterable

import numpy as np

from runvitals.model import FloatArray, IntArray, Run
from runvitals.store.files import dumps
from runvitals.view.points.axis_series import (
    AxisSeries,
    AxisSeriesCache,
    Which,
    split_key,
    start_of,
)
from runvitals.view.points.buckets import MAX_ODD, reduced
from runvitals.view.points.wire import Payload

ENOUGH = 800_000  # bytes, compressed
FINEST, COARSEST = 4096, 32  # buckets of a series
RAW_SHARE = 3  # this many points a bucket are no more bytes than the bucket itself


def packed(run: Run, axis_series: AxisSeriesCache, keys: Iterable[str]) -> bytes:
    """The series in the form of the server's binary answer, compressed.

    Beside x, which is the step, each has `time` in seconds since the start. Those with too many points
    have buckets of equally many points, with lowest, highest and mean.
    """
    wanted = [(key, found) for key in keys if (found := split_key(run, key)) is not None]
    buckets = FINEST
    while True:
        payload = Payload()
        headers = [
            _series(run, axis_series, key, *found, buckets, payload) for key, found in wanted
        ]
        data = gzip.compress(payload.behind(dumps({"series": headers})), mtime=0)
        if len(data) <= ENOUGH or buckets <= COARSEST:
            return data
        buckets //= 2


def _series(
    run: Run,
    axis_series: AxisSeriesCache,
    key: str,
    name: str,
    rank: Which,
    buckets: int,
    payload: Payload,
) -> dict[str, object]:
    series = axis_series.get(name, rank, "step")
    seconds = axis_series.times(name, rank) - start_of(run)
    raw = len(series.x) <= RAW_SHARE * buckets
    arrays = _whole(series, seconds) if raw else _coarse(series, seconds, buckets)
    return {
        "name": key,
        "count": len(series.x),
        "raw": raw,
        "nonfinite": series.x[series.odd[:MAX_ODD]].tolist(),
        "arrays": [_array(role, values, payload) for role, values in arrays.items()],
    }


def _array(role: str, values: FloatArray, payload: Payload) -> dict[str, object]:
    kind = "float64" if role == "x" else "float32"
    return {
        "key": role,
        "dtype": kind,
        "offset": payload.put(values, kind),
        "length": len(values),
    }


def _whole(series: AxisSeries, seconds: FloatArray) -> dict[str, FloatArray]:
    return {"x": series.x, "time": seconds, "value": np.asarray(series.values)}


def _coarse(series: AxisSeries, seconds: FloatArray, buckets: int) -> dict[str, FloatArray]:
    count = len(series.x)
    starts = np.linspace(0, count, buckets, endpoint=False).astype(np.int64)
    lasts = np.append(starts[1:], count) - 1
    with np.errstate(over="ignore", invalid="ignore"):
        low, high, mean = reduced(np.asarray(series.values), starts, count)
    return {
        "x": _middle(series.x, starts, lasts),
        "time": _middle(seconds, starts, lasts),
        "low": low,
        "high": high,
        "mean": mean,
    }


def _middle(x: FloatArray, starts: IntArray, lasts: IntArray) -> FloatArray:
    return x[starts] + (x[lasts] - x[starts]) / 2
