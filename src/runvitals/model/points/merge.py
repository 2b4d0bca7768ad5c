"""Parts of a series put together: process lives, blocks in the order they were logged."""

from __future__ import annotations

import numpy as np

from runvitals.model.points.thin import kept
from runvitals.model.row import FloatArray, IntArray

Arrays = tuple[IntArray, FloatArray, FloatArray]  # steps, times, values
Clock = tuple[IntArray, FloatArray]  # steps, times
Part = tuple[int, IntArray, FloatArray, FloatArray]  # the same behind the number of the life
EMPTY: Arrays = (np.empty(0, np.int64), np.empty(0, np.float64), np.empty(0, np.float64))


def thinned(lives: list[tuple[int, Arrays]]) -> list[Part]:
    """The kept points of all segments, counted through from the first segment to the last."""
    index = kept(np.concatenate([arrays[2] for _, arrays in lives]))
    parts: list[Part] = []
    begin = 0
    for segment, (steps, times, values) in lives:
        mine = index[(index >= begin) & (index < begin + len(steps))] - begin
        begin += len(steps)
        if len(mine):
            parts.append((segment, steps[mine], times[mine], values[mine]))
    return parts


def merged(parts: list[Part]) -> tuple[Arrays, Arrays]:
    """What counts of a series, and what a later life logged anew."""
    by_segment: dict[int, list[Part]] = {}
    for part in parts:
        by_segment.setdefault(part[0], []).append(part)
    kept: list[Arrays] = []
    dropped: list[Arrays] = []
    limit: int | None = None  # first step of any later segment
    for segment in sorted(by_segment, reverse=True):
        arrays = in_order([part[1:] for part in by_segment[segment]])
        first = int(arrays[0][0])
        if limit is not None:
            cut = int(np.searchsorted(arrays[0], limit, side="left"))
            dropped.append(_slice(arrays, cut, None))
            arrays = _slice(arrays, None, cut)
        kept.append(arrays)
        limit = first if limit is None else min(limit, first)
    return _concatenate(kept[::-1]), _concatenate(dropped[::-1])


def _concatenate(arrays: list[Arrays]) -> Arrays:
    if not arrays:
        return EMPTY
    if len(arrays) == 1:
        steps, times, values = arrays[0]
        return steps, times, np.ascontiguousarray(values)
    return (
        np.concatenate([part[0] for part in arrays]),
        np.concatenate([part[1] for part in arrays]),
        np.concatenate([part[2] for part in arrays]),
    )


def _slice(arrays: Arrays, start: int | None, stop: int | None) -> Arrays:
    cut = slice(start, stop)
    return arrays[0][cut], arrays[1][cut], arrays[2][cut]


def in_order(parts: list[Arrays]) -> Arrays:
    """By step; equal steps as they were logged, which between parts only the time tells."""
    arrays = steps, times, values = _concatenate(parts)
    if len(steps) < 2:
        return arrays
    if len(parts) > 1 and bool((times[1:] < times[:-1]).any()):
        order = np.lexsort((times, steps))
    elif bool((steps[1:] < steps[:-1]).any()):
        order = np.argsort(steps, kind="stable")
    else:
        return arrays
    return steps[order], times[order], values[order]
