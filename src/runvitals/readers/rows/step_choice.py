"""Which column counts the steps, and which tells the time: by their names, if their numbers agree."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runvitals.model import FloatArray
from runvitals.readers.rows.column_names import (
    LENGTH_NAMES,
    is_episode_name,
    is_epoch_name,
    is_time_name,
    normalized,
    step_order,
)
from runvitals.readers.rows.columns import MAX_STEP, Column, Table
from runvitals.readers.rows.turns import turns_in

EARLIEST, LATEST = 946_684_800.0, 7_258_118_400.0  # Unix seconds of the years 2000 and 2200
COMBINED = "_step"  # our own column, where one counter starts over with each count of another
AXIS, CLOCK = "\0step", "\0time"  # our own columns, which no metric is called
_MAX_STARTS = 40  # of a counter in one file
_MIN_ROWS_OF_AXES, _MIN_OF_AXIS = 12, 4  # rows, before several counters are believed
_MANY = 2.0  # rows to a step: is there a finer counter?


def choose_step(table: Table, names: Sequence[str] = ()) -> str | None:
    """The column that counts: known by name, there in nearly every row, and rising.

    Restarts and a few rows out of order are forgiven. When the rows are in no order at all, a column
    of a telling name with a number of its own in nearly every row will do. An epoch in which the same
    thing was logged many times counts nothing: None, as when there is no such column. `names`, if any,
    are the only ones that count, best first.
    """
    known = _candidates(table, names)
    rising = [name for name in known if _rises(table.columns[name].values)]
    # `steps` beside `episode` mostly is the length of the episode, and rises while the agent learns to
    # survive: the very metric one wants to see, taken for the axis.
    rising = [
        name
        for name in rising
        if not _is_length(table, name, rising) and not _always_starts_over(table.columns[name])
    ]
    if rising:
        best = rising[0]
        many = _rows_to_a_step(table.columns[best].values)
        # An epoch with many rows: a finer counter is the better axis. Without one, points of one epoch
        # would lie on top of each other, and the rows themselves count better.
        if many >= _MANY:
            for other in rising[1:]:
                if _rows_to_a_step(table.columns[other].values) * 2 <= many:
                    return other
            if is_epoch_name(best) and _logged_again(table, best) and not turns_in(table, best):
                return None
        return best
    number = next((n for n in table.columns if is_row_number(n) and _numbers_rows(table, n)), None)
    if number is not None and not known:
        return number
    for name in known:
        column = table.columns[name]
        if table.rows == 1 or (
            # hardly a number comes twice
            len(column.values) / max(1, len(np.unique(column.values))) < 1.1
            and whole(column.values)
            and _is_even(column.values)
        ):
            return name
    for name in known:
        values = table.columns[name].values
        if table.rows <= 3 and whole(values) and len(np.unique(values)) == len(values):
            return name
    return None


def _is_even(values: FloatArray) -> bool:
    """True if numbers in any order leave no large gaps, as those of a counter do.

    What mostly falls is in an order, and counts only if it never rises: the newest row comes first.
    """
    moves = np.diff(values)
    up, down = int((moves > 0).sum()), int((moves < 0).sum())
    if up and down > 3 * up:
        return False
    gaps = np.diff(np.unique(values))
    return not len(gaps) or bool(gaps.max() <= 5 * np.median(gaps))


def is_row_number(name: str) -> bool:
    """True if a column of this name only numbers the rows, as pandas writes it."""
    return normalized(name) in {"index", "idx", "unnamed0", "rowid", "rownumber", "rownum"}


def row_numbers(table: Table) -> set[str]:
    """Columns that only number the rows."""
    return {name for name in table.columns if is_row_number(name) and _numbers_rows(table, name)}


def _numbers_rows(table: Table, name: str) -> bool:
    values = table.columns[name].values
    return len(values) == table.rows and whole(values) and bool((np.diff(values) > 0).all())


def _candidates(table: Table, names: Sequence[str]) -> list[str]:
    found: list[tuple[int, int, str]] = []
    wanted = {normalized(name): place for place, name in reversed(list(enumerate(names)))}
    for name, column in table.columns.items():
        if names:
            keys = (normalized(name), normalized(name.rpartition("/")[2]))
            order = min((wanted[key] for key in keys if key in wanted), default=None)
        else:
            order = step_order(name)
        if order is None:
            continue
        # A summary row at the end or a line of notes has no step: a tenth of the rows may lack one,
        # and two of a short log.
        missing = table.rows - len(column.values)
        few = missing <= max(0.1 * table.rows, min(2, table.rows // 3))
        if few and len(column.values) and _bounded(column.values):
            found.append((order, name.count("/"), name))
    return [name for _, _, name in sorted(found)]


def _bounded(values: FloatArray) -> bool:
    with np.errstate(invalid="ignore"):
        good = np.isfinite(values) & (np.abs(values) <= MAX_STEP)
    return bool(good.mean() >= 0.9)


def whole(values: FloatArray) -> bool:
    """True if all of these are whole numbers."""
    return bool((values == np.floor(values)).all())


def _rises(values: FloatArray) -> bool:
    """True if a counter would look so: it goes up far more often than down, or in a line with the
    rows but for small steps back (two writers at nearly the same place)."""
    moves = np.diff(values)
    up, down = int((moves > 0).sum()), int((moves < 0).sum())
    if up >= 3 * down:  # fractions that fall in many places are measurements
        return up > 0 and (down <= max(1, 0.05 * len(moves)) or whole(values[np.isfinite(values)]))
    if len(values) < 8:
        return False
    finite = np.isfinite(values)
    # 0.95 (judgement): two writers at nearly the same place fall back all the time, yet stay on a line;
    # nothing that is measured does so over eight rows and more
    line = np.corrcoef(values[finite], np.flatnonzero(finite))[0, 1]
    return bool(line > 0.95)


def _rows_to_a_step(values: FloatArray) -> float:
    """Mean number of consecutive rows at one step."""
    return len(values) / (1 + int(np.count_nonzero(np.diff(values)))) if len(values) else 0.0


def _is_length(table: Table, name: str, rising: list[str]) -> bool:
    """True if `steps` beside a counter of episodes tells how long each episode was."""
    if normalized(name.rpartition("/")[2]) not in LENGTH_NAMES:
        return False
    falls = _falls(table, name)
    if int(falls.sum()) <= max(1, 0.03 * table.rows):
        return False
    for other in rising:
        if is_episode_name(other) and not _is_inner(table, other, name):
            with np.errstate(invalid="ignore"):
                goes_on = np.diff(table.dense(other)) > 0
            if int((falls & goes_on).sum()) > 0.5 * int(falls.sum()):
                return True
    return False


def counts_within(table: Table) -> tuple[str, int] | None:
    """The first counter that always starts over, and how often it does; None if there is none."""
    found = ((name, _always_starts_over(table.columns[name])) for name in _candidates(table, ()))
    return next(((name, times) for name, times in found if times), None)


def _always_starts_over(column: Column) -> int:
    """How often it starts over, if it counts within something that is not in the table; else 0.

    No run is started so often.
    """
    values = column.values
    moves = np.diff(values)
    falls = np.flatnonzero(moves < 0)
    if len(falls) <= max(_MAX_STARTS, 0.02 * len(values)):
        return 0
    near = float(np.nanmin(values)) + 2 * float(np.median(moves[moves > 0]))
    return len(falls) if int((values[falls + 1] <= near).sum()) > 0.9 * len(falls) else 0


def _falls(table: Table, name: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    with np.errstate(invalid="ignore"):
        found: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.diff(table.dense(name)) < 0
    return found


def _logged_again(table: Table, step: str) -> bool:
    """True if one thing was logged many times at the same step."""
    axis = table.dense(step)
    for name, column in table.columns.items():
        measured = name != step and step_order(name) is None and len(column.places) > 1
        if measured and _rows_to_a_step(axis[column.places]) >= _MANY:
            return True
    return False


# Counters that start over: the batch of each epoch, the step of each episode


@dataclass(frozen=True)
class Nested:
    """`inner` starts over with each `outer`; together they count on."""

    outer: str
    inner: str
    first: float
    length: float  # how far the inner counts

    def apply(self, table: Table) -> Table:
        """The table with the column that counts on."""
        if self.outer not in table.columns or self.inner not in table.columns:
            return table
        steps = (table.dense(self.outer) - self.first) * self.length + table.dense(self.inner)
        places = np.flatnonzero(np.isfinite(steps))
        columns = {**table.columns, COMBINED: Column(steps[places], places)}
        return Table(table.rows, columns, table.keys, table.breaks)


def nested_counter(table: Table) -> Nested | None:
    """The counter that starts over where another goes on by one; None when a counter goes on by itself
    or none does so."""
    known = _candidates(table, ())
    if len(known) < 2 or table.rows < 4 or COMBINED in table.columns:
        return None
    for name in known:
        if not _falls(table, name).any() and _rows_to_a_step(table.columns[name].values) < _MANY:
            return None
    for inner in known:
        for outer in known:
            if inner != outer and _is_inner(table, outer, inner):
                values = table.columns[inner].values
                moves = np.diff(values)
                stride = float(np.median(moves[moves > 0])) if (moves > 0).any() else 1.0
                first = float(table.columns[outer].values.min())
                return Nested(outer, inner, first, float(values.max()) + stride)
    return None


def _is_inner(table: Table, outer: str, inner: str) -> bool:
    """True if the one falls where the other rises, and nowhere else."""
    high, low = table.dense(outer), table.dense(inner)
    if not (whole(high) and whole(low)):
        return False
    up, down = np.diff(high), np.diff(low)
    falls, rises = down < 0, up > 0
    if not falls.any() or not rises.any() or int(rises.sum()) > 0.6 * len(up):
        return False
    if 5 * int((up < 0).sum()) > int(rises.sum()):
        return False  # no counter itself
    explained = int((falls & (up != 0)).sum())
    steady = bool((down[~falls & ~rises] >= 0).all())
    return steady and explained >= 0.95 * int(falls.sum()) and explained >= 0.8 * int(rises.sum())


# Rows that count in different units: rewards by episode, losses by step


def several_counters(table: Table) -> list[str]:
    """The columns of which every row has just one, and which all count; empty when there are none.

    The one that comes first in the file is the first.
    """
    if table.rows < _MIN_ROWS_OF_AXES:
        return []
    known = [
        name
        for name, column in table.columns.items()
        if step_order(name) is not None
        and _MIN_OF_AXIS <= len(column.values) < 0.9 * table.rows
        and _rises(column.values)
    ]
    rows = np.zeros(table.rows, np.int64)
    chosen: list[str] = []
    for name in sorted(known, key=lambda one: (step_order(one), one)):
        places = table.columns[name].places
        if not rows[places].any():
            rows[places] += 1
            chosen.append(name)
    if len(chosen) < 2 or int(rows.sum()) < 0.9 * table.rows:
        return []
    return sorted(chosen, key=lambda one: int(table.columns[one].places[0]))


def by_counter(table: Table, axes: Sequence[str]) -> dict[str, Table]:
    """The rows of each counter. A name that two of them have says of which it is, but in the first."""
    found: dict[str, Table] = {}
    taken: set[str] = set()
    for axis in axes:
        if axis in table.columns:
            mine = table.only(table.columns[axis].places)
            columns = {
                f"{axis}/{name}" if name in taken and not is_time_name(name) else name: column
                for name, column in mine.columns.items()
            }
            taken |= columns.keys()
            found[axis] = Table(mine.rows, columns, mine.keys)
    return found


# Wall-clock times


def choose_time(table: Table) -> str | None:
    """The column of wall-clock times in Unix seconds (or milli-, micro-, nanoseconds), if any."""
    best: tuple[int, str] | None = None
    if CLOCK in table.columns:
        return CLOCK
    for name, column in table.columns.items():
        if is_time_name(name):
            values = column.values
            with np.errstate(invalid="ignore"):
                good = (values > EARLIEST) & (values < LATEST * 1e9)
            if bool(good.all()) and (best is None or len(values) > best[0]):
                best = len(values), name
    return best[1] if best else None
