"""How rows are to be read: of which run and which series they are, and what counts them.

A table may hold several runs (a column `seed`), several series under one name (`agent`, `split`), or
one number to a row beside the name of what it is of (`metric`, `value`). Such a column is believed only
if it explains the rows: steps that repeat in the whole table no longer do so in its parts.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from runvitals.model import FloatArray, IntArray
from runvitals.readers.rows.column_names import (
    NAME_KEYS,
    POOLED_KEYS,
    RANK,
    ROW_KINDS,
    SPLITS,
    VALUE_NAMES,
    is_step_name,
    is_time_name,
    key_kind,
    normalized,
)
from runvitals.readers.rows.columns import Column, Key, Table
from runvitals.readers.rows.step_choice import (
    AXIS,
    CLOCK,
    COMBINED,
    Nested,
    by_counter,
    choose_step,
    choose_time,
    is_row_number,
    nested_counter,
    several_counters,
    whole,
)

_MAX_RUNS = 1000  # in one table
_MIN_ROWS = 3  # of a run or series, on average
# Shares of rows at a step that is taken already (judgement). A resume repeats a few steps by itself,
# so a key must explain more than that, and nearly all of it; one that adds next to nothing is left
# out.
_REPEATS_BY_ITSELF = 0.05
_ADDS_NOTHING = 0.02
_MAX_UNEXPLAINED = 0.2


@dataclass
class OneRun:
    """The rows of one run, by rank."""

    label: str
    config: dict[str, Any]
    tables: list[tuple[int, Table]]
    others: list[tuple[str, Table]] = field(default_factory=list)  # by their own counters


@dataclass
class Arrangement:
    """What the columns of a table are for; made once, applied to whatever is appended."""

    step: str | None = None
    time: str | None = None
    long: tuple[str, str] | None = None  # the columns of names and of numbers
    runs: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    pooled: list[str] = field(default_factory=list)  # numbered copies that did the same
    by_rank: bool = False
    axes: list[str] = field(default_factory=list)  # counters, of which each row has one
    nested: Nested | None = None
    renamed: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def is_trivial(self) -> bool:
        """True if there is nothing to arrange."""
        told = self.long or self.runs or self.parts or self.pooled or self.by_rank or self.axes
        return not (told or self.nested or self.renamed)

    @property
    def axis(self) -> str | None:
        """The name of the step column after arranging."""
        return AXIS if self.long else self.renamed.get(self.step or "", self.step)

    @property
    def clock(self) -> str | None:
        """The name of the time column after arranging; None if it is still to be found."""
        if self.time is None:
            return None
        return CLOCK if self.long else self.renamed.get(self.time)

    def apply(self, table: Table) -> list[OneRun]:
        """The runs in rows of this kind."""
        if self.is_trivial:
            return [OneRun("", {}, [(0, table)])]
        if self.axes:
            others = by_counter(table, self.axes)
            main = others.pop(self.axes[0], Table(0))
            return [OneRun("", {}, [(0, main)], [*others.items()])]
        if self.nested is not None:
            table = self.nested.apply(table)
        found = []
        for code, rows in _groups(table, self.runs):
            mine = table.only(rows) if self.runs else table
            values = dict(zip(self.runs, code, strict=True))
            label = " ".join(_label(table, name, value) for name, value in values.items())
            config = {name: _setting(table, name, value) for name, value in values.items()}
            ranks = _groups(mine, [RANK] if self.by_rank and RANK in mine.columns else [])
            tables = [
                (number[0] if number else 0, self._series(mine.only(where) if number else mine))
                for number, where in ranks
            ]
            found.append(OneRun(label, config, tables))
        return found

    def _series(self, table: Table) -> Table:
        """The series of one run, each under its own name."""
        dropped = {*self.runs, *self.parts, *([RANK] if self.by_rank else [])}
        if self.pooled:
            table, _ = _in_step(table, self.step, _groups(table, self.pooled))
            # a hidden column keeps equal rows of two copies apart
            columns = {f"\0{n}" if n in self.pooled else n: c for n, c in table.columns.items()}
            table = Table(table.rows, columns, table.keys, table.breaks)
        if self.long is not None:
            table = _wide(table, [*self.parts, self.long[0]], self.long[1], self.step, self.time)
        elif self.parts:
            table = self._apart(table)
        columns = {
            self.renamed.get(name, name): column
            for name, column in table.columns.items()
            if name not in dropped
        }
        return Table(table.rows, columns, table.keys, table.breaks)

    def _apart(self, table: Table) -> Table:
        shared = {self.step, self.time, *self.runs, *self.parts, RANK}
        shared |= {name for name in table.columns if is_step_name(name) or name[:1] == "\0"}
        groups = _groups(table, self.parts)
        table, groups = _in_step(table, self.step, groups)
        apart = Table(table.rows, {n: c for n, c in table.columns.items() if n in shared})
        apart.breaks = table.breaks
        tables = [table.only(rows) for _, rows in groups]
        seen = Counter(name for one in tables for name in one.columns)
        most = max(range(len(groups)), key=lambda index: len(groups[index][1]), default=0)
        for index, ((code, rows), one) in enumerate(zip(groups, tables, strict=True)):
            pairs = list(zip(self.parts, code, strict=True))
            for name, column in one.columns.items():
                if name not in shared:
                    told = [
                        f"{_prefix(table, key, value)}/"
                        for key, value in pairs
                        if _must_tell(table, key, value, name, seen[name] == 1, index == most)
                    ]
                    apart.columns["".join([*told, name])] = Column(
                        column.values, rows[column.places]
                    )
        return apart


def exported(table: Table) -> Arrangement | None:
    """How a table of `runvitals export` is arranged: its columns `step` and `time`, and metrics of such
    names behind an underscore. None when the times are none."""
    timed = "time" in table.columns
    if "step" not in table.columns or (timed and choose_time(table) != "time"):
        return None
    return Arrangement(
        "step",
        "time" if timed else None,
        by_rank=RANK in table.columns,
        renamed={"step": AXIS, "time": CLOCK, "step_": "step", "time_": "time", "rank_": "rank"},
    )


def arrange(table: Table, step: str | None = None) -> Arrangement:
    """What the columns are for, judged by their names and numbers."""
    found = Arrangement(step if step in table.columns else None, choose_time(table))
    found.long = _long(table)
    if found.step is None and found.long is None and (axes := several_counters(table)):
        found.axes, found.step = axes, axes[0]
        told = ", ".join(f"`{name}`" for name in axes)
        found.warnings.append(f"rows count in {told}: what they hold is kept apart")
        return found
    if found.step is None:
        found.nested = nested_counter(table)
        found.step = COMBINED if found.nested else choose_step(table)
        if found.nested:
            found.warnings.append(
                f"`{found.nested.inner}` starts over with each `{found.nested.outer}`; "
                "the steps count on"
            )
    if RANK in table.columns and not table.columns[RANK].values.any():
        found.by_rank = True  # rank 0 alone
    keys = _keys(table)
    if not keys and found.long is None:
        return found
    step = found.step or _step_of_some(table, keys)
    if step is None:
        found.long = None
        return found
    found.step = step
    axis = (found.nested.apply(table) if found.nested else table).dense(step)
    known = [found.long[0]] if found.long else []
    chosen = _explaining(table, axis, [key for key in keys if key not in known], known)
    for name in chosen:
        kind = key_kind(name)
        # numbered environments and processes, of which a run has many
        if name in table.columns and normalized(name.rpartition("/")[2]) in POOLED_KEYS:
            found.pooled.append(name)
            found.warnings.append(f"the rows of all `{name}` are read as one series")
        elif kind == "rank":
            found.by_rank = True
        else:
            (found.runs if kind == "run" else found.parts).append(name)
    if found.long is None:
        found.parts += [n for n in keys if n not in found.parts and _is_split(table, n)]
    return found


def _keys(table: Table) -> list[str]:
    """Columns that may tell rows apart."""
    found = []
    for name, key in table.keys.items():
        if key_kind(name) and len(key.texts) >= 2 and (key.codes >= 0).mean() >= 0.9:
            found.append(name)
    for name, column in table.columns.items():
        if (
            key_kind(name) in {"run", "part", "rank"}
            and len(column.values) >= 0.9 * table.rows
            and whole(column.values)
            and len(np.unique(column.values[:100_000])) >= 2
        ):
            found.append(name)
    return found


def _codes(table: Table, name: str) -> IntArray:
    if name in table.keys:
        return table.keys[name].codes
    values = table.dense(name)
    return np.where(np.isfinite(values), values, -1).astype(np.int64)


def _groups(table: Table, names: list[str]) -> list[tuple[tuple[int, ...], IntArray]]:
    """Row numbers grouped by the values of these columns, in order of appearance."""
    if not names:
        return [((), np.arange(table.rows))]
    codes = np.stack([_codes(table, name) for name in names], axis=1)
    kinds, first, inverse = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    order = np.argsort(inverse, kind="stable")
    edges = np.searchsorted(inverse[order], np.arange(len(kinds) + 1))
    found = [(tuple(kinds[i].tolist()), order[edges[i] : edges[i + 1]]) for i in np.argsort(first)]
    return [(code, np.sort(rows)) for code, rows in found]


def _collisions(axis: FloatArray, codes: list[IntArray]) -> tuple[int, int]:
    """How many rows repeat a step within their group, and the number of groups."""
    good = np.isfinite(axis)
    _, at = np.unique(axis[good], return_inverse=True)
    group = np.zeros(len(at), np.int64)
    for code in codes:
        _, fine = np.unique(code[good], return_inverse=True)
        _, group = np.unique(group * (int(fine.max(initial=0)) + 1) + fine, return_inverse=True)
    total = int(group.max(initial=0)) + 1
    pairs = np.unique(at * total + group)
    return len(at) - len(pairs), total


def _explaining(table: Table, axis: FloatArray, keys: list[str], known: list[str]) -> list[str]:
    """The key columns needed to keep steps from repeating; empty if they do not explain it."""
    codes = {name: _codes(table, name) for name in [*known, *keys]}
    before, _ = _collisions(axis, [codes[name] for name in known])
    if before <= _REPEATS_BY_ITSELF * table.rows:
        return []
    chosen = [name for name in keys if key_kind(name) != "name"]
    # those with most values are tried first for leaving out: an id beside a seed explains everything,
    # and would make a run of every row
    chosen.sort(key=lambda name: len(np.unique(codes[name])))
    left, things = _collisions(axis, [codes[name] for name in [*known, *chosen]])
    for name in reversed(chosen.copy()):
        others = [one for one in chosen if one != name]
        rest, fewer = _collisions(axis, [codes[one] for one in [*known, *others]])
        if rest <= left + _ADDS_NOTHING * table.rows:
            chosen, things = others, fewer
    if left > _MAX_UNEXPLAINED * before or things * _MIN_ROWS > table.rows or things > _MAX_RUNS:
        return []
    return chosen


def _step_of_some(table: Table, keys: list[str]) -> str | None:
    """The step column of the largest group that a key column tells apart."""
    for name in keys:
        for _, rows in sorted(_groups(table, [name]), key=lambda group: -len(group[1]))[:1]:
            if len(rows) >= _MIN_ROWS and (step := choose_step(table.only(rows))) is not None:
                return step
    return None


def _is_split(table: Table, name: str) -> bool:
    """True if a column says train or validation, and nothing else."""
    key = table.keys.get(name)
    return key is not None and all(text.lower() in SPLITS for text in key.texts)


def _setting(table: Table, name: str, code: int) -> str | int:
    return table.keys[name].texts[code] if name in table.keys and code >= 0 else code


def _label(table: Table, name: str, code: int) -> str:
    value = _setting(table, name, code)
    return value if isinstance(value, str) else f"{name} {value}"


def _prefix(table: Table, name: str, code: int) -> str:
    value = _setting(table, name, code)
    return value if isinstance(value, str) else f"{name}_{value}"


def _must_tell(table: Table, key: str, code: int, name: str, alone: bool, most: bool) -> bool:
    """True if a name needs to say of what it is. An agent's always does; where a column says what kind
    of row it is, `loss` of most rows is the loss, and `eval_loss` says it itself."""
    if normalized(key.rpartition("/")[2]) not in ROW_KINDS:
        return True
    text = _prefix(table, key, code)
    if text.lower() in SPLITS:
        return re.split(r"[_/ .-]", name.lower())[0] not in SPLITS
    return not (alone or most)


# Tables with one number to a row


def _long(table: Table) -> tuple[str, str] | None:
    """The columns of names and of numbers."""
    value = next((n for n in table.columns if normalized(n) in VALUE_NAMES), None)
    names = sorted(
        (NAME_KEYS.index(normalized(name)), name)
        for name in table.keys
        if normalized(name) in NAME_KEYS
    )
    if value is None or not names or len(table.columns[value].values) < 0.5 * table.rows:
        return None
    rest = [
        name
        for name in table.columns
        if name != value
        and not (is_step_name(name) or is_time_name(name) or key_kind(name) or is_row_number(name))
    ]
    if len(rest) > 1:
        return None
    counted = any(is_step_name(name) or is_time_name(name) for name in table.columns)
    return (names[0][1], value) if counted else None


def _wide(
    table: Table, names: list[str], numbers: str, step: str | None, time: str | None
) -> Table:
    """Turns a long table into a wide one, ordered by step if every name is."""
    value = table.columns[numbers]
    axis = table.dense(step) if step in table.columns else np.arange(table.rows, dtype=np.float64)
    series: dict[str, IntArray] = {}
    rising = True
    for code, rows in _groups(table, names):
        if code[-1] >= 0:
            name = "/".join(_prefix(table, n, value) for n, value in zip(names, code, strict=True))
            series[name] = rows[np.isin(rows, value.places, assume_unique=True)]
            rising = rising and not bool((np.diff(axis[series[name]]) < 0).any())
    rank = np.arange(table.rows)
    if rising:
        rank[np.argsort(np.where(np.isfinite(axis), axis, np.inf), kind="stable")] = rank.copy()
    wide = Table(table.rows)
    for name, column in table.columns.items():
        own = AXIS if name == step else CLOCK if name == time else name
        if name != numbers and not is_row_number(name):
            wide.columns[own] = _moved(column.values, rank[column.places])
    for name, rows in series.items():
        if len(rows):
            at = np.searchsorted(value.places, rows)
            wide.columns[name] = _moved(value.values[at], rank[rows])
    return wide


def _in_step(
    table: Table, step: str | None, groups: list[tuple[tuple[int, ...], IntArray]]
) -> tuple[Table, list[tuple[tuple[int, ...], IntArray]]]:
    """Orders the table by step if the rows of every group are in order."""
    if step not in table.columns:
        return table, groups
    axis = table.dense(step)
    if any(bool((np.diff(axis[rows]) < 0).any()) for _, rows in groups):
        return table, groups
    order = np.argsort(np.where(np.isfinite(axis), axis, np.inf), kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(table.rows)
    columns = {n: _moved(c.values, rank[c.places]) for n, c in table.columns.items()}
    keys = {name: Key(key.texts, key.codes[order]) for name, key in table.keys.items()}
    return Table(table.rows, columns, keys), [(code, np.sort(rank[rows])) for code, rows in groups]


def _moved(values: FloatArray, places: IntArray) -> Column:
    by_row = np.argsort(places, kind="stable")
    return Column(values[by_row], places[by_row])
