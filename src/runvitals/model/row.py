"""Rows: what `log()` makes and every reader yields, singly or in blocks of equal shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from runvitals.model.media import Media

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Row:
    """The values logged together at one step. `time` is Unix seconds, None when unknown."""

    step: int
    values: Mapping[str, float]
    time: float | None = None
    rank: int = 0


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Many rows that hold the same names: one column per name, in log order.

    `steps` and `times` have length n, `values` has shape (n, len(names)). Times are Unix seconds,
    NaN when unknown.
    """

    names: tuple[str, ...]
    steps: IntArray
    times: FloatArray
    values: FloatArray
    rank: int = 0

    def __len__(self) -> int:
        return len(self.steps)

    def column(self, name: str) -> FloatArray:
        """The values of one name."""
        return self.values[:, self.names.index(name)]

    def select(self, columns: list[int], prefix: str = "") -> RowBlock:
        """Some of the columns, their names with a prefix."""
        names = tuple(f"{prefix}{self.names[i]}" for i in columns)
        return RowBlock(names, self.steps, self.times, self.values[:, columns], self.rank)

    def rows(self) -> Iterator[Row]:
        """The same data row by row; slow, for code where a handful of rows passes."""
        for i in range(len(self.steps)):
            yield Row(
                step=int(self.steps[i]),
                time=float(self.times[i]),
                values=dict(zip(self.names, self.values[i].tolist(), strict=True)),
                rank=self.rank,
            )


@dataclass(frozen=True, slots=True)
class Histogram:
    """A distribution at one step: `counts[i]` values lie in `edges[i] <= x < edges[i + 1]`."""

    name: str
    step: int
    time: float
    edges: FloatArray
    counts: FloatArray
    total: float = 0.0
    total_of_squares: float = 0.0


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text at one step; that of a table is Markdown."""

    name: str
    step: int
    time: float
    text: str
    is_table: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """One model output with whatever belongs to it: prompt, completion, reward, ..."""

    step: int
    time: float
    fields: Mapping[str, object] = field(default_factory=dict)


Event = Histogram | Text | Sample | Media
