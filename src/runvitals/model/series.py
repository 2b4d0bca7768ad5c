"""One metric of one run, as NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

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
        if keep.all():
            return self
        return Series(
            self.name,
            self.steps[keep],
            self.values[keep],
            self.times[keep],
            self.metric,
            self.labels,
        )

    def __repr__(self) -> str:
        label = "".join(f" {k}={v}" for k, v in self.labels.items())
        where = f"steps {self.steps[0]} to {self.steps[-1]}" if len(self) else "empty"
        return f"<Series {self.name}{label}: {len(self)} points, {where}>"
