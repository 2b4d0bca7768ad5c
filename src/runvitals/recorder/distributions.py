"""Histograms of arrays and of discrete choices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from runvitals.model import Histogram
from runvitals.recorder.config import encodable


@dataclass(frozen=True, slots=True)
class LazyHistogram:
    """An array that becomes a histogram in the background."""

    kind: ClassVar[str] = "histogram"
    name: str
    step: int
    time: float
    values: Any
    bins: int

    @classmethod
    def snapshot(cls, name: str, step: int, time: float, values: Any, bins: int) -> LazyHistogram:
        """Copy the array where it lies, so that later changes do not show."""
        if hasattr(values, "detach"):
            values = values.detach().clone()
        elif type(values).__module__.partition(".")[0] not in ("jax", "jaxlib"):
            values = np.array(values, dtype=np.float64)
        return cls(encodable(str(name)), step, time, values, max(1, min(int(bins), 4096)))

    def make(self) -> Histogram | None:
        """Count; NaN and infinities are left out. None when nothing is left."""
        values = self.values
        if hasattr(values, "detach"):
            values = values.float().cpu().numpy()
        flat = np.asarray(values, dtype=np.float64).ravel()
        flat = flat[np.isfinite(flat)]
        if not flat.size:
            return None
        counts, edges = np.histogram(flat, bins=self.bins)
        total, squares = float(flat.sum()), float(np.square(flat).sum())
        return Histogram(
            self.name, self.step, self.time, edges, counts.astype(np.float64), total, squares
        )


def action_histograms(
    name: str, counts: Any, step: int, time: float
) -> tuple[dict[str, float], list[Histogram]]:
    """Share of each action, and for each the distribution of chosen (1) and not chosen (0).

    >>> shares, histograms = action_histograms("replica", [30, 10], 0, 0.0)
    >>> shares
    {'action_replica_0': 0.75, 'action_replica_1': 0.25}
    >>> histograms[1].name, histograms[1].counts.tolist()
    ('Actions/replica_1', [30.0, 10.0])
    """
    if hasattr(counts, "detach"):
        counts = counts.detach().cpu().numpy()
    chosen = np.asarray(counts, dtype=np.float64).ravel()
    total = float(chosen.sum())
    if not np.isfinite(total) or total <= 0 or (chosen < 0).any():
        raise ValueError(f"action counts must be non-negative and not all zero, got {counts!r}")
    shares = {f"action_{name}_{i}": float(c) / total for i, c in enumerate(chosen)}
    edges = np.array([-0.5, 0.5, 1.5])
    histograms = [
        Histogram(
            encodable(f"Actions/{name}_{i}"), step, time, edges, np.array([total - c, c]), c, c
        )
        for i, c in enumerate(chosen.tolist())
    ]
    return shares, histograms
