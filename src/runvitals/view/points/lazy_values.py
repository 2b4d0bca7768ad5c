"""Values that stay in their file: a chart reads the few that it shows, and the pyramid once all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runvitals.model import FloatArray, IntArray
from runvitals.model.points.stored import LazySeries

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
