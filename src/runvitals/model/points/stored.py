"""Rows that stay in their file until somebody asks for one of their columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from runvitals.model.row import FloatArray, IntArray


class StoredRows(Protocol):
    """Many rows of the same names in a file, in the order of their steps."""

    names: tuple[str, ...]
    rank: int

    def __len__(self) -> int: ...

    def clock(self) -> tuple[IntArray, FloatArray]:
        """Steps and times, which all names share; the same arrays at each call."""

    def values(self, name: str, first: int = 0, stop: int | None = None) -> FloatArray:
        """The values of one name, read now; NaN where the file is damaged."""


@dataclass(frozen=True, slots=True)
class LazySeries:
    """One name of some stored rows."""

    rows: StoredRows
    name: str

    def __len__(self) -> int:
        return len(self.rows)

    def clock(self) -> tuple[IntArray, FloatArray]:
        """Steps and times."""
        return self.rows.clock()

    def values(self, first: int = 0, stop: int | None = None) -> FloatArray:
        """Values from one place to before another, read now."""
        return self.rows.values(self.name, first, stop)
