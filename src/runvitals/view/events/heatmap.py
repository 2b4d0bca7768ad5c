"""Histograms of one name or family over time, on common edges."""

from collections.abc import Sequence

import numpy as np

from runvitals.model import FloatArray, Histogram
from runvitals.model.series import closed_edges
from runvitals.view.families import family_of, numbers_in
from runvitals.view.schemas.run import Heatmap

MAX_COLUMNS = 300
BINS = 64
CHOSEN = np.array([-0.5, 0.5, 1.5])  # the edges of how often a thing was not chosen, and chosen


def heatmap_of(
    name: str, histograms: Sequence[Histogram], most: int = MAX_COLUMNS, digits: int = 6
) -> Heatmap:
    """This many columns on the same bins, from the lowest to the highest value; more are added up.

    Of a family (`families.py`) the members are added up too; those that only tell how often a thing
    was chosen make one row each.
    """
    usable = _in_rows([h for h in histograms if _sound(h)])
    steps = sorted({histogram.step for histogram in usable})
    if not usable:
        return Heatmap(name=name, steps=[], edges=[], counts=[], total=len(histograms))
    edges = _common(usable)
    parts = np.array_split(np.array(steps), min(most, len(steps)))
    column_of = {int(step): i for i, part in enumerate(parts) for step in part}
    columns = np.zeros((len(parts), len(edges) - 1))
    for histogram in usable:
        columns[column_of[histogram.step]] += _onto(histogram, edges)
    return Heatmap(
        name=name,
        steps=[int(part[0]) for part in parts],
        edges=edges.tolist(),
        counts=[[float(f"{count:.{digits}g}") for count in column] for column in columns.tolist()],
        total=len(histograms),
    )


def _in_rows(histograms: list[Histogram]) -> list[Histogram]:
    """Members that are all of "not chosen, chosen" as one histogram over the members at each step."""
    names = sorted({h.name for h in histograms}, key=numbers_in)
    if len(names) < 2 or not all(np.array_equal(h.edges, CHOSEN) for h in histograms):
        return histograms
    edges: FloatArray = np.arange(len(names) + 1, dtype=np.float64) - 0.5
    row_of = {name: row for row, name in enumerate(names)}
    counts: dict[int, FloatArray] = {}
    for histogram in histograms:
        mine = counts.setdefault(histogram.step, np.zeros(len(names)))
        mine[row_of[histogram.name]] += histogram.counts[1]
    family = family_of(names[0])
    return [Histogram(family, step, 0.0, edges, mine) for step, mine in counts.items()]


def _sound(histogram: Histogram) -> bool:
    edges, counts = histogram.edges, histogram.counts
    return (
        len(counts) > 0
        and len(edges) == len(counts) + 1
        and bool(np.isfinite(counts).all())
        and bool(np.isfinite(edges[1:-1]).all())
        and bool((np.diff(edges) >= 0).all())
    )


def _ends(histogram: Histogram) -> tuple[float, float]:
    """The range that has counts; open ends, as TensorBoard has them, are closed."""
    filled = np.flatnonzero(histogram.counts > 0)
    edges = closed_edges(histogram)
    if not len(filled):
        return float(edges[0]), float(edges[-1])
    return float(edges[filled[0]]), float(edges[filled[-1] + 1])


def _common(histograms: Sequence[Histogram]) -> FloatArray:
    first = histograms[0].edges
    if len(first) <= BINS + 1 and all(np.array_equal(first, h.edges) for h in histograms):
        return closed_edges(histograms[0])
    ends = [_ends(histogram) for histogram in histograms]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    if not high > low:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, BINS + 1)


def _onto(histogram: Histogram, edges: FloatArray) -> FloatArray:
    """The counts spread over other edges, evenly within each old bin; the sum stays the same."""
    old = closed_edges(histogram)
    if np.array_equal(old, edges):
        return histogram.counts
    counts = np.zeros(len(edges) - 1)
    flat = np.diff(old) <= 0  # all in one value
    inside = np.clip(np.searchsorted(edges, old[:-1][flat], side="right") - 1, 0, len(counts) - 1)
    np.add.at(counts, inside, histogram.counts[flat])
    if flat.all():
        return counts
    wide = np.where(flat, 0.0, histogram.counts)
    below = np.concatenate([[0.0], np.cumsum(wide)])
    at, last = np.unique(old[::-1], return_index=True)
    sums = np.interp(edges, at, below[::-1][last])
    counts += np.diff(sums)
    return counts
