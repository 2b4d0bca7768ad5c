"""One metric of one run, as NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from runvitals.model.finding import Span
from runvitals.model.row import FloatArray, IntArray


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
