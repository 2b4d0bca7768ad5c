"""The step of each row from the counts beside it: an epoch and the batch within it are one axis."""

from dataclasses import dataclass

import numpy as np

from runvitals.model import FloatArray
from runvitals.readers.console._gaps import counter
from runvitals.readers.console._words import COUNTERS
from runvitals.readers.rows.column_names import STEP_NAMES, is_time_name
from runvitals.readers.rows.table import Table, choose_step

EPOCH = "\0epoch"  # the hidden column with the epoch that lines of their own told
TOTAL = "\0total "  # begins the hidden columns with the totals of counts: `20/4292`
_MANY, _CROWD = 10, 3  # rows, and rows to each value of a count, from which on they are told apart
_AGREE = 0.8  # share of the falls of an inner count at which the outer one rises


@dataclass
class Axis:
    """What is known about the counts of one kind of row, from all rows so far."""

    counts: tuple[str, ...]
    outer: str = ""
    inner: str = ""
    span: float = 0.0  # of the inner count within one of the outer
    base: float = 0.0  # where the outer count begins
    single: str = ""  # one count is the step as it stands
    within: bool = False  # rows are counted within it
    last: float = float("nan")  # its newest value
    place: int = 0  # of the newest row within it
    place_max: int = 0

    def steps(self, table: Table) -> str | list[float] | None:
        """The name of the step column, or the step of each row; None when nothing counts.

        While the outer count stands at its beginning the inner one is the step, so what is known later
        does not move what was said before.
        """
        known = [name for name in self.counts if _complete(table, name)]
        if not any(counter(name) in ("epoch", "epochs") for name in known):
            known += [name for name in (EPOCH,) if _complete(table, name)]
        if self.outer or (not self.single and len(known) > 1 and self._nested(table, known)):
            if self.outer in table.columns and self.inner in table.columns:
                return self._joined(table)
            return None
        known = [name for name in known if name != EPOCH]
        known = [name for name in known if _holds_several_rows(table, name)] or known
        if len(known) == 1 and (self.single or _counts_up(table, known[0])):
            self.single = known[0]
            if self.within or (not _is_step(self.single) and _crowded(table, self.single)):
                return self._numbered(table, self.single)
            return self.single
        return choose_step(table, tuple(sorted(known, key=_rank)))

    def _numbered(self, table: Table, step: str) -> list[float]:
        """Numbers rows within each count, where many share one and nothing else tells them apart."""
        high = _values(table, step)
        if not self.within:
            self.base = 1.0 if high.min() >= 1 else 0.0
        places = []
        for value in high.tolist():
            self.place = self.place + 1 if value == self.last else 0
            if value != self.last and self.place_max:
                self.span = self.span or float(self.place_max + 1)
            self.place_max = max(self.place_max, self.place)
            self.last = value
            places.append(self.place)
        if not self.within:
            self.span = float(max(places) + 1) if len(np.unique(high)) > 1 else 0.0
            self.within = True
        span = self.span or float(self.place_max + 1)
        return [
            (value - self.base) * span + min(place, span - 1)
            for value, place in zip(high.tolist(), places, strict=True)
        ]

    def _nested(self, table: Table, known: list[str]) -> bool:
        """Finds an inner count that restarts whenever an outer one increases."""
        for inner in sorted(known, key=_rank):
            if inner == EPOCH:
                continue
            low = _values(table, inner)
            falls = np.flatnonzero(np.diff(low) < 0) + 1
            if not len(falls):
                continue
            for outer in known:
                high = _values(table, outer)
                if outer == inner or _is_step(outer) or not (np.diff(high) == 0).any():
                    continue  # one row each: the inner one is a length and counts nothing
                rises = np.diff(high) > 0
                if rises[falls - 1].mean() < _AGREE or not _within(high, low):
                    continue
                self.outer, self.inner = outer, inner
                self.base = 1.0 if high.min() >= 1 else 0.0
                self.span = self._span(table, inner, low)
                return True
        return False

    def _span(self, table: Table, inner: str, low: FloatArray) -> float:
        totals = table.columns.get(TOTAL + inner)
        if totals is not None:
            span = float(np.median(totals.values))
            if span >= low.max():
                return span
        strides = np.diff(low)
        strides = strides[strides > 0]
        return float(low.max() + (np.median(strides) if len(strides) else 1.0))

    def _joined(self, table: Table) -> list[float]:
        high, low = _values(table, self.outer), _values(table, self.inner)
        if counter(self.inner) not in ("episode", "episodes"):
            del table.columns[self.inner]
        return ((high - self.base) * self.span + low).tolist()


def _is_step(name: str) -> bool:
    """True if it counts steps of the whole run: epochs and minibatches may start over within one."""
    return counter(name) in ("step", "steps", "timestep", "timesteps")


def _holds_several_rows(table: Table, name: str) -> bool:
    """True if a count of steps goes on after several rows each, and never back."""
    moves = np.diff(_values(table, name)) if _is_step(name) else np.empty(0)
    return bool((moves == 0).any() and (moves > 0).any() and (moves >= 0).all())


def _crowded(table: Table, step: str) -> bool:
    """True if some name comes many times at each count, as a batch's loss does within an epoch."""
    if table.rows < _MANY:
        return False
    high = _values(table, step)
    most = 1 + np.count_nonzero(np.diff(high))
    for name, column in table.columns.items():
        known = name == step or name.startswith("\0") or is_time_name(name)
        if known or len(column.values) < _MANY:
            continue
        counts = 1 + np.count_nonzero(np.diff(high[column.places]))
        if len(column.values) >= _CROWD * counts and 2 * counts >= most:
            return True
    return False


def _counts_up(table: Table, name: str) -> bool:
    moves = np.diff(_values(table, name))
    up, down = int((moves > 0).sum()), int((moves < 0).sum())
    return up > 0 and up >= 3 * down


def _complete(table: Table, name: str) -> bool:
    column = table.columns.get(name)
    return column is not None and len(column.values) == table.rows


def _values(table: Table, name: str) -> FloatArray:
    return table.columns[name].values


def _within(high: FloatArray, low: FloatArray) -> bool:
    """True if the inner count hardly ever falls while the outer one stands."""
    still = np.diff(high) == 0
    falls = np.diff(low) < 0
    return int((still & falls).sum()) <= 0.05 * max(1, int(falls.sum()))


_PLACE = {name: place for place, name in enumerate(STEP_NAMES)}


def _rank(name: str) -> tuple[int, int]:
    """The finest count first."""
    word = counter(name)
    return COUNTERS.get(word, 99), _PLACE.get(name.lower().replace(" ", "_"), 99)
