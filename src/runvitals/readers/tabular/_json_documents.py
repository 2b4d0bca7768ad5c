"""What histories people put into one JSON document: finds their series, whatever they lie in.

Lists of numbers with or without a list of steps beside them, lists of `[step, value]`, mappings from a
step to a value or to a row, lists of rows, and all of these below each other. A series keeps its own
axis: nothing is cut to the length of another.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from runvitals.model import FloatArray
from runvitals.readers.raw.numbers import as_number
from runvitals.readers.rows.column_names import SPLITS, is_step_name, normalized
from runvitals.readers.rows.columns import Column, Table
from runvitals.readers.rows.evidence import is_metric_name, measured_in
from runvitals.readers.rows.step_choice import AXIS, CLOCK
from runvitals.readers.tabular._blocks import is_config_name, settings
from runvitals.readers.tabular._json_rows import (
    Piece,
    absent,
    are_now_and_then,
    axis_of,
    is_axis,
    numbers_in,
    pieces_of_rows,
    rising,
    table_of,
)

_DEEPEST = 6
_MIN_VALUES = 2  # values of a series
_CURVE = 10  # values of a list of one run beside others
_FEW_KEYS = 20  # keys 0, 1, 2, ... that may be those of classes
_MAX_WIDE = 16  # numbers in each element of a list that are series of their own
_KEY = re.compile(r"(?P<what>[A-Za-z]+)?[ _-]?(?P<number>-?\d{1,15})")
_MAX_RUNS = 64  # in a list; more are samples of something
_MAX_SIDE_BY_SIDE = 16  # lists of numbers, one for each seed or agent
_LABELS = (
    "seed", "run", "run_id", "run_name", "trial", "fold", "experiment", "exp", "method", "algorithm",
    "algo", "agent", "variant", "model", "name", "label",
)  # fmt: skip
_RUN = re.compile(
    r"(?:seed|run|trial|exp|experiment|fold|rep|repeat|replicate)[ _-]?\w{0,40}", re.I
)
_ORDINARY = frozenset(
    "history log logs data metrics results result records rows steps epochs episodes iterations raw "
    "training entries stats values series scalars summary train_history training_history".split()
)


@dataclass
class Document:
    """The history of one run, and the settings beside it."""

    label: str = ""
    pieces: list[Piece] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """What was measured."""
        return [n for piece in self.pieces for n in piece.table.columns if n != piece.step]

    @property
    def rows(self) -> int:
        """Of the longest series."""
        return max((piece.table.rows for piece in self.pieces), default=0)


@dataclass
class _Found:
    rows: list[tuple[str, list[dict[str, Any]]]] = field(default_factory=list)
    lists: dict[str, FloatArray] = field(default_factory=dict)
    points: dict[str, Table] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)


def documents(value: Any, stem: str) -> list[Document]:
    """The runs in a JSON document; none when there is no history in it."""
    shared: dict[str, Any] = {}
    apart = _runs(value, shared)
    found = [_document(inner, stem, label) for label, inner in apart or [("", value)]]
    found = [one for one in found if one.pieces]
    for one in found:
        one.config = {**shared, **one.config}
    return found


def _runs(value: Any, config: dict[str, Any]) -> list[tuple[str, Any]] | None:
    """The runs that lie side by side: mappings alike under the names of seeds, runs or methods."""
    for _ in range(3):  # {"results": {"PPO": {...}, "DQN": {...}}}
        if isinstance(value, list):
            return _listed_runs(value)
        if not isinstance(value, dict):
            return None
        dicts = {k: v for k, v in value.items() if isinstance(v, dict) and not is_config_name(k)}
        inner = {k: v for k, v in dicts.items() if _has_history(v)}
        rest = {k: v for k, v in value.items() if k not in inner}
        rows = {k: v for k, v in rest.items() if _are_rows(v)}
        if not inner and _are_runs_of_rows(rows):
            config.update(_plain_settings({k: v for k, v in rest.items() if k not in rows}))
            return [(f"run {k}" if _is_number(k) else k, one) for k, one in rows.items()]
        if not inner and len(rows) == 1 and (found := _listed_runs(next(iter(rows.values())))):
            config.update(_plain_settings({k: v for k, v in rest.items() if k not in rows}))
            return found
        if any(isinstance(v, list) and not isinstance(v[0], str) for v in rest.values() if v):
            return None
        if len(inner) != 1:
            break
        config.update(_plain_settings(rest))
        value = next(iter(inner.values()))
    else:
        return None
    if not _are_runs(inner):
        return None
    config.update(_plain_settings(rest))
    return list(inner.items())


def _are_runs(inner: Mapping[str, Mapping[str, Any]]) -> bool:
    """True if mappings are of several runs: called like runs, or alike in what they measured."""
    if len(inner) < 2 or any(_is_number(key) for key in inner):
        return False
    called_so = all(map(_RUN.fullmatch, inner))
    if not called_so and any(_names_series(key) for key in inner):
        return False
    shapes = [{k for k, v in one.items() if isinstance(v, list | dict)} for one in inner.values()]
    measured = set.intersection(*shapes)
    return bool(measured) and (called_so or any(map(is_metric_name, measured)))


def _are_rows(value: Any) -> bool:
    """True if this is a list of mappings."""
    return (
        isinstance(value, list)
        and len(value) >= _MIN_VALUES
        and all(isinstance(row, dict) for row in value[:100])
    )


def _are_runs_of_rows(rows: Mapping[str, list[Any]]) -> bool:
    """True if lists of rows are of several runs: under seeds, numbers or methods, with the same names
    and over the same steps."""
    if len(rows) < 2:
        return False
    called_so = all(_is_number(key) or _RUN.fullmatch(key) for key in rows)
    if not called_so and any(_names_series(key) for key in rows):
        return False
    names = set.intersection(*(set(map(str, one[0])) for one in rows.values()))
    steps = [name for name in names if is_step_name(name)]
    measured = names - set(steps)
    if not steps or not measured or not (called_so or any(map(is_metric_name, measured))):
        return False
    begins = [as_number(one[0][steps[0]]) for one in rows.values()]
    ends = [as_number(one[-1].get(steps[0])) for one in rows.values()]
    known = [(a, b) for a, b in zip(begins, ends, strict=True) if a is not None and b is not None]
    return len(known) == len(rows) and max(a for a, _ in known) < min(b for _, b in known)


def _listed_runs(value: list[Any]) -> list[tuple[str, Any]] | None:
    """The runs in a list of mappings, each with a history: `[{"seed": 0, "rewards": [...]}, ...]`."""
    if not 2 <= len(value) <= _MAX_RUNS or not all(isinstance(one, dict) for one in value):
        return None
    if any(_counts_rows(value, key) for key in value[0] if is_step_name(key)):
        return None
    label = next((key for key in _LABELS if all(key in one for one in value)), None)
    labels = [str(one[label]) for one in value] if label else []
    if label is None or len(set(labels)) < len(labels) or not all(map(_holds_a_curve, value)):
        return None
    known = _RUN.fullmatch(label) is not None
    return [
        (f"{label} {text}" if known and _is_number(text) else text, one)
        for text, one in zip(labels, value, strict=True)
    ]


def _counts_rows(rows: list[dict[str, Any]], key: str) -> bool:
    """True if a name counts the mappings of a list: they are the rows of one history."""
    counts = [as_number(one.get(key)) for one in rows]
    known = [count for count in counts if count is not None]
    return len(known) == len(rows) and all(a < b for a, b in pairwise(known))


def _holds_a_curve(one: Mapping[str, Any]) -> bool:
    """True if a mapping holds rows that count, or a long list of numbers under the name of a metric."""
    for key, inner in one.items():
        if _are_rows(inner) and any(is_step_name(str(name)) for name in inner[0]):
            return True
        long = isinstance(inner, list) and len(inner) >= _CURVE and is_metric_name(key)
        if long and all(_is_number(v) or v is None for v in inner[:100]):
            return True
    return False


def _has_history(value: Any, depth: int = 0) -> bool:
    """True if there is a list of any length in it."""
    if isinstance(value, list):
        return len(value) > _MIN_VALUES
    inner = value.values() if isinstance(value, dict) and depth < 3 else ()
    return any(_has_history(one, depth + 1) for one in inner)


def _names_series(key: str) -> bool:
    short = key.lower()
    agents = re.fullmatch(r"(?:agent|player|worker|env|policy|team)[ _-]?\w*", short)
    return short in SPLITS or short in _ORDINARY or is_metric_name(key) or agents is not None


def _plain_settings(rest: Mapping[str, Any]) -> dict[str, Any]:
    plain_values = {k: v for k, v in rest.items() if isinstance(v, str | int | float | bool)}
    for key, inner in rest.items():
        if is_config_name(key) and isinstance(inner, dict):
            plain_values.update(inner)
    return settings(plain_values)


def _document(value: Any, stem: str, label: str) -> Document:
    found = _Found()
    said = measured_in(stem)
    if isinstance(value, dict) and _are_lists_of_seeds(value):
        value = {stem: value}
    if isinstance(value, list) and value and not isinstance(value[0], dict):
        _take_list(value, said or stem, found)
    else:
        _walk(value, "", 0, found)
    if said is not None:  # `train` and `val` of `loss_history.json` are losses
        found.lists = {
            f"{name}_{said}" if normalized(name) in SPLITS else name: values
            for name, values in found.lists.items()
        }
    document = Document(label, config=found.config)
    document.pieces += pieces_of_rows(found.rows)
    rows = set(document.names)
    document.pieces += [Piece(one, AXIS) for name, one in found.points.items() if name not in rows]
    _add_lists(found, document)
    document.pieces.sort(key=lambda piece: -piece.numbers)
    return document


def document_of_lists(lists: Mapping[str, FloatArray]) -> Document:
    """Lists of numbers under their names, each with the list of steps that goes with it."""
    document = Document()
    _add_lists(_Found(lists=dict(lists)), document)
    return document


def _are_lists_of_seeds(value: Mapping[str, Any]) -> bool:
    """True if there is nothing but lists of numbers under numbers: they are what the file is called."""
    return len(value) >= 2 and all(
        _is_number(key) and isinstance(one, list) and len(one) >= _CURVE and _is_number(one[0])
        for key, one in value.items()
    )


# Finding


def _walk(value: Any, name: str, depth: int, found: _Found) -> None:
    if isinstance(value, list):
        _take_list(value, name, found)
        return
    if not isinstance(value, dict) or depth >= _DEEPEST:
        return
    if _take_keyed(value, name, found) or _take_split(value, name, found):
        return
    for key, inner in value.items():
        if is_config_name(key) or key.lower() == "metadata":
            if isinstance(inner, dict):
                found.config.update(settings(inner))
            continue
        if isinstance(inner, str | int | float | bool):
            prefix = f"{name.replace('/', '.')}." if name else ""
            found.config.update(settings({key: inner}, prefix))
            continue
        _walk(inner, f"{name}/{key}" if name else str(key), depth + 1, found)


def _take_list(value: list[Any], name: str, found: _Found) -> None:
    if not value:
        return
    start = value[:100]
    if sum(isinstance(row, dict) for row in start) * 2 > len(start):
        found.rows.append((name, [row for row in value if isinstance(row, dict)]))
    elif name and len(value) >= _MIN_VALUES:
        if all(isinstance(row, list) and row for row in start):
            _take_points(value, name, found)
        elif _is_number(next((v for v in start if v is not None), None)):
            found.lists[name] = numbers_in(value)


def _counted_keys(value: Mapping[str, Any]) -> tuple[str, list[float]] | None:
    """What the keys of a mapping count, often nothing named, and their numbers; None if they do not."""
    keys = [key for one in value if (key := _KEY.fullmatch(str(one)))]
    if len(keys) < max(len(value), _MIN_VALUES):
        return None
    kinds = {key["what"] or "" for key in keys}
    what = kinds.pop()
    if kinds or (what and not is_step_name(what)):
        return None
    return what, [float(key["number"]) for key in keys]


def _take_keyed(value: dict[str, Any], name: str, found: _Found) -> bool:
    """Mappings from steps: `{"10": 38.4, "20": 36.0}`, `{"epoch_1": {...}, "epoch_2": {...}}`."""
    counted = _counted_keys(value)
    if counted is None:
        return False
    what, steps = counted
    inner = list(value.values())
    if all(isinstance(row, dict) for row in inner):
        rows = [{(what or "step"): step, **row} for step, row in zip(steps, inner, strict=True)]
        found.rows.append((name, sorted(rows, key=lambda row: float(row[what or "step"]))))
        return True
    first = min(steps)
    few = len(steps) < _FEW_KEYS and first in (0.0, 1.0)
    few = few and sorted(steps) == [first + i for i in range(len(steps))]
    if few and not is_metric_name(name):
        return True  # counts of classes or actions
    if name and all(v is None or _is_number(v) for v in inner):
        values = numbers_in(inner)
        order = np.argsort(steps, kind="stable")
        _add_point_list(found, name, np.array(steps)[order], values[order], None)
        return True
    return False


def _take_split(value: dict[str, Any], name: str, found: _Found) -> bool:
    """pandas' `{"columns": [...], "data": [[...]]}`."""
    names, data = value.get("columns"), value.get("data")
    if not (isinstance(names, list) and isinstance(data, list) and data):
        return False
    if not all(isinstance(row, list) and len(row) == len(names) for row in data):
        return False
    found.rows.append((name, [dict(zip(map(str, names), row, strict=True)) for row in data]))
    return True


def _take_points(value: list[Any], name: str, found: _Found) -> None:
    """Lists of short lists: `[step, value]`, `[time, step, value]`, or one number for each agent."""
    widths = {len(row) for row in value if isinstance(row, list)}
    if len(value) <= _MAX_SIDE_BY_SIDE and min(widths) > max(_MAX_WIDE, 2 * len(value)):
        for index, row in enumerate(value):
            if all(_is_number(v) or v is None for v in row[:100]):
                found.lists[f"{name}/{index}"] = numbers_in(row)
        return
    if len(widths) != 1 or not all(isinstance(row, list) for row in value):
        return
    [width] = widths
    if width > _MAX_WIDE or not all(_is_number(v) or v is None for row in value[:100] for v in row):
        return
    columns = [numbers_in([row[i] for row in value]) for i in range(width)]
    if width == 3 and rising(columns[1]) and bool((columns[0] > 1e9).all()):  # TensorBoard's export
        _add_point_list(found, name, columns[1], columns[2], columns[0])
    elif width == 2 and rising(columns[0]):
        _add_point_list(found, name, columns[0], columns[1], None)
    elif width == 1:
        found.lists[name] = columns[0]
    else:
        for index, column in enumerate(columns):
            found.lists[f"{name}/{index}"] = column


def _add_point_list(
    found: _Found, name: str, steps: FloatArray, values: FloatArray, times: FloatArray | None
) -> None:
    everywhere = np.arange(len(steps))
    table = Table(len(steps), {AXIS: Column(steps, everywhere)})
    if times is not None:
        table.columns[CLOCK] = Column(times, everywhere)
    there = np.flatnonzero(~absent(values))
    table.columns[name] = Column(values[there], there)
    found.points[name] = table


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool | list) and as_number(value) is not None


# Putting together


def _add_lists(found: _Found, document: Document) -> None:
    """Lists of numbers, each with the list of steps that goes with it, or counted for itself."""
    known = set(document.names)
    lists = {name: values for name, values in found.lists.items() if name not in known}
    axes = {n: v for n, v in lists.items() if is_axis(n, v)}
    groups: dict[str | None, dict[str, FloatArray]] = {}
    for name, values in lists.items():
        if name not in axes:
            groups.setdefault(axis_of(name, values, axes), {})[name] = values
    if not groups and axes:
        groups[None] = {}
    used = {axis for axis in groups if axis is not None}
    for name, values in axes.items():
        if name not in used:  # a counter beside another, such as episodes beside steps
            groups.setdefault(axis_of(name, values, {k: axes[k] for k in used}), {})[name] = values
    for axis, members in groups.items():
        table = table_of(members)
        if axis is not None:
            everywhere = np.arange(table.rows)
            table.columns = {axis: Column(axes[axis], everywhere), **table.columns}
        if len(table.columns) > (axis is not None):
            document.pieces.append(Piece(table, axis, lists=True))
    alone = sorted(groups.get(None, {}), key=lambda name: -len(lists[name]))
    shorter = [n for n in alone if len(lists[n]) < max(len(v) for v in lists.values())]
    longest = max((len(lists[name]) for name in alone), default=0)
    spread_out = "spread evenly over the rows of the longest"
    for spread, how in ((True, spread_out), (False, "counted from 0")):
        told = [n for n in shorter if are_now_and_then(len(lists[n]), longest) == spread]
        if told:
            document.warnings.append(
                f"`{told[0]}` has {len(lists[told[0]])} values and no steps of its own"
                + (f" ({len(told) - 1} more like it)" if len(told) > 1 else "")
                + f"; they are {how}"
            )
