"""Two series under one name: rows that take turns at each step, such as training and evaluation."""

from dataclasses import dataclass

import numpy as np

from runvitals.model import FloatArray
from runvitals.readers.rows.column_names import is_elapsed_name, is_step_name, is_time_name
from runvitals.readers.rows.columns import Column, Table

_MIN_STEPS = 20  # of noise, a chance of 1e-8 to be taken for two series
# Shares (judgement): of steps with two rows, and of rows that lie on their own side of both neighbours.
# A third of noise does, and nothing of a smooth curve with two rows to a step.
_MIN_PAIRED, _MIN_ZIGZAG = 0.95, 0.9


@dataclass(frozen=True)
class Turns:
    """The columns in which each step's second row is of another series than its first."""

    step: str
    names: tuple[str, ...]

    def apply(self, table: Table) -> Table:
        """The table with the second of each step's rows under names of their own."""
        if self.step not in table.columns or not table.rows:
            return table
        axis = table.dense(self.step)
        later = np.flatnonzero(np.diff(axis) == 0) + 1
        columns = dict(table.columns)
        for name in self.names:
            if (column := columns.get(name)) is None:
                continue
            second = np.isin(column.places, later)
            columns[name] = Column(column.values[~second], column.places[~second])
            columns[f"{name} (2nd)"] = Column(column.values[second], column.places[second])
        columns = {name: column for name, column in columns.items() if len(column.values)}
        return Table(table.rows, columns, table.keys, table.breaks)

    @property
    def told(self) -> str:
        """The warning about such a table."""
        named = ", ".join(f"`{name}`" for name in self.names[:3])
        more = f" and {len(self.names) - 3} more" if len(self.names) > 3 else ""
        return (
            f"{named}{more}: two values at each step take turns, as of training and evaluation; "
            "the second is kept apart as `(2nd)`"
        )


def turns_in(table: Table, step: str | None) -> Turns | None:
    """The columns of a table that hold two series in turn; None if there are none."""
    if step is None or len(table.columns[step].values) < table.rows:
        return None
    starts = np.flatnonzero(np.diff(table.columns[step].values, prepend=np.nan) != 0)
    lengths = np.diff(starts, append=table.rows)
    pairs = starts[lengths == 2]
    if len(pairs) < max(_MIN_STEPS, _MIN_PAIRED * len(starts)):
        return None
    names = tuple(
        name
        for name, column in table.columns.items()
        if len(column.values) == table.rows
        and not (is_step_name(name) or is_time_name(name) or is_elapsed_name(name))
        and not name.startswith("\0")
        and _takes_turns(column.values, pairs)
    )
    return Turns(step, names) if names else None


def _takes_turns(values: FloatArray, pairs: np.ndarray[tuple[int], np.dtype[np.int64]]) -> bool:
    """True if second values lie on one side of the values before and after them."""
    inner = pairs[pairs + 2 < len(values)]
    with np.errstate(invalid="ignore"):
        before = np.sign(values[inner + 1] - values[inner])
        after = np.sign(values[inner + 1] - values[inner + 2])
    above, below = (before > 0) & (after > 0), (before < 0) & (after < 0)
    return bool(max(above.mean(), below.mean()) >= _MIN_ZIGZAG)
