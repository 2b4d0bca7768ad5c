"""What did not reach its place: how much, which steps, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from runvitals.model.row import RowBlock

STORE = "store"  # the place that matters: what is not there is gone


@dataclass(frozen=True, slots=True)
class Loss:
    """Rows that one place lacks. `where` is `store`, or the kind of sink."""

    where: str
    why: str
    rows: int = 0
    points: int = 0
    first_step: int | None = None
    last_step: int | None = None

    def plus(self, rows: int, points: int, first: int, last: int) -> Loss:
        """The same with more rows."""
        return Loss(
            self.where,
            self.why,
            self.rows + rows,
            self.points + points,
            first if self.first_step is None else min(first, self.first_step),
            last if self.last_step is None else max(last, self.last_step),
        )

    def as_dict(self) -> dict[str, Any]:
        """For `run.json`."""
        return {
            "where": self.where,
            "why": self.why,
            "rows": self.rows,
            "points": self.points,
            "first_step": self.first_step,
            "last_step": self.last_step,
        }

    def __str__(self) -> str:
        """A sentence.

        >>> str(Loss("store", "No space left on device", 2, 6, 10, 11))
        '2 rows (6 points, steps 10 to 11) were lost: No space left on device'
        """
        rows = "1 row" if self.rows == 1 else f"{self.rows:,} rows"
        inside = "1 point" if self.points == 1 else f"{self.points:,} points"
        if not self.points:  # histograms, texts, samples
            rows, inside = ("1 event" if self.rows == 1 else f"{self.rows:,} events"), ""
        if self.first_step is not None:
            one = self.first_step == self.last_step
            steps = f"{self.first_step:,}" if one else f"{self.first_step:,} to {self.last_step:,}"
            inside = ", ".join(filter(None, (inside, f"step{'' if one else 's'} {steps}")))
        rows = f"{rows} ({inside})" if inside else rows
        if self.where == STORE:
            return f"{rows} {'was' if self.rows == 1 else 'were'} lost: {self.why}"
        return f"{self.where} lacks {rows}: {self.why}"


class Losses:
    """Counts what one place lost, by cause."""

    def __init__(self, where: str, before: Iterable[Loss] = ()) -> None:
        self._where = where
        self._by_cause = {loss.why: loss for loss in before}

    def add(self, why: str, rows: int, points: int, first: int, last: int) -> None:
        """Count lost rows between two steps."""
        if rows:
            known = self._by_cause.get(why) or Loss(self._where, why)
            self._by_cause[why] = known.plus(rows, points, first, last)

    def add_blocks(self, why: str, blocks: Iterable[RowBlock]) -> None:
        """Count lost blocks of rows."""
        for block in blocks:
            if len(block):
                low, high = int(block.steps.min()), int(block.steps.max())
                self.add(why, len(block), block.values.size, low, high)

    def add_events(self, why: str, steps: Iterable[int]) -> None:
        """Count lost histograms, texts or samples, given their steps."""
        for step in steps:
            self.add(why, 1, 0, step, step)

    def all(self) -> list[Loss]:
        """One entry a cause."""
        return list(self._by_cause.values())

    @property
    def points(self) -> int:
        """How many points in total."""
        return sum(loss.points for loss in self._by_cause.values())


def read_loss(record: Mapping[str, Any]) -> Loss:
    """The inverse of `as_dict`; raises `KeyError`, `TypeError` or `ValueError` for anything else."""
    first, last = record["first_step"], record["last_step"]
    return Loss(
        str(record["where"]),
        str(record["why"]),
        int(record["rows"]),
        int(record["points"]),
        None if first is None else int(first),
        None if last is None else int(last),
    )
