"""One metric of one run, as NumPy arrays; and the histograms of one name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from runvitals.model.finding import Span
from runvitals.model.row import FloatArray, Histogram, IntArray


@dataclass(frozen=True, slots=True)
class Series:
    """Steps, times and values of one metric, sorted by step (equal steps stay in log order).

    `name` is the name its user wrote, `metric` the catalog's id for it (None when unknown). Values
    are in the catalog's unit and sign once bound; `times` are Unix seconds, NaN when unknown.
    """

    name: str
    steps: IntArray
    values: FloatArray
    times: FloatArray
    metric: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def last(self) -> float:
        """The newest value, NaN when there is none."""
        return float(self.values[-1]) if len(self.values) else float("nan")

    def finite(self) -> Series:
        """The same series without NaN and infinite values."""
        keep = np.isfinite(self.values)
        return self if keep.all() else self.where(keep)

    def part(self, first: int = 0, stop: int | None = None) -> Series:
        """The points from one index to before another; negative ones count from the end."""
        return self._at(slice(first, stop))

    def where(self, keep: NDArray[np.bool_]) -> Series:
        """The points at which this is true."""
        return self._at(keep)

    def span(self, first: int = 0, last: int = -1) -> Span:
        """The steps from one index to another, both included, all of them by default.

        `last` may count from the end; `first` is moved to the nearest index that is not after it.
        """
        last = last % len(self)
        first = min(max(first, 0), last)
        return Span(int(self.steps[first]), int(self.steps[last]), last - first + 1)

    def _at(self, points: slice | NDArray[np.bool_]) -> Series:
        return Series(
            self.name,
            self.steps[points],
            self.values[points],
            self.times[points],
            self.metric,
            self.labels,
        )

    def __repr__(self) -> str:
        label = "".join(f" {k}={v}" for k, v in self.labels.items())
        where = f"steps {self.steps[0]} to {self.steps[-1]}" if len(self) else "empty"
        return f"<Series {self.name}{label}: {len(self)} points, {where}>"


@dataclass(frozen=True, slots=True)
class HistogramSeries:
    """Histograms of one name in the order of their steps, each with its own edges.

    `series(statistic)` makes a number of each: with `signals/shape.py`'s `skew`, for instance.
    """

    name: str
    histograms: tuple[Histogram, ...]
    metric: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        name: str,
        histograms: Iterable[Histogram],
        metric: str | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> HistogramSeries:
        """Those that are sound and not empty, by step; of several at one step the last."""
        by_step = {one.step: one for one in histograms if is_sound(one)}
        ordered = tuple(by_step[step] for step in sorted(by_step))
        return cls(name, ordered, metric, dict(labels or {}))

    def __len__(self) -> int:
        return len(self.histograms)

    def until(self, step: int) -> HistogramSeries:
        """Those up to a step."""
        kept = tuple(one for one in self.histograms if one.step <= step)
        return HistogramSeries(self.name, kept, self.metric, self.labels)

    def series(self, statistic: Callable[[FloatArray, FloatArray], float]) -> Series:
        """A number of each histogram's edges and counts, where that is finite."""
        values = [statistic(closed_edges(one), one.counts) for one in self.histograms]
        return Series(
            self.name,
            np.array([one.step for one in self.histograms], np.int64),
            np.array(values, np.float64),
            np.array([one.time for one in self.histograms], np.float64),
            self.metric,
            self.labels,
        ).finite()

    def span(self, first: int = 0, last: int = -1) -> Span:
        """The steps from one histogram to another, both included, all of them by default."""
        chosen = self.histograms[first:] if last == -1 else self.histograms[first : last + 1]
        return Span(chosen[0].step, chosen[-1].step, len(chosen))


def is_sound(histogram: Histogram) -> bool:
    """True if its edges and counts fit together and are not empty."""
    edges, counts = histogram.edges, histogram.counts
    return (
        len(counts) > 0
        and len(edges) == len(counts) + 1
        and bool(np.isfinite(counts).all())
        and bool((counts >= 0).all())
        and float(counts.sum()) > 0
        and bool(np.isfinite(edges[1:-1]).all())
        and bool((np.diff(edges) >= 0).all())
    )


MAX_EDGE = 1e300  # TensorBoard's outermost bins end at the largest float


def closed_edges(histogram: Histogram) -> FloatArray:
    """The edges, with bins that are open to infinity closed at their inner edge."""
    edges = histogram.edges.astype(np.float64)
    inner = edges[np.isfinite(edges) & (np.abs(edges) < MAX_EDGE)]
    low, high = (inner[0], inner[-1]) if len(inner) else (0.0, 1.0)
    return np.clip(edges, low, high)
