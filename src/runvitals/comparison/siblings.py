"""Which runs are siblings: all settings alike but the seed, or but one setting."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from runvitals.diagnosis.engine import Choice, judge_by_rules
from runvitals.model import Diagnosis, PointTable, Run, SiblingCurves

Value = str | int | float | bool | None
FAMILY = "SIB"  # rules about siblings
ENOUGH = 4  # siblings; fewer cannot say what is usual
FEW_SETTINGS = 4  # a log that tells fewer may hide what differs: then the names decide as well
SEED = re.compile(r"(^|[._/])(\w*_)?seed$", re.IGNORECASE)
# settings that differ in any two runs, and say nothing about how they were trained
OWN = re.compile(
    r"(^|[._/])((run|exp|experiment)_?(name|id)|name|id|\w*_?(dir|path|file|folder)|timestamp|time"
    r"|host(name)?|pid|port|device|git commit|best_\w+)$",
    re.IGNORECASE,
)
# what names of runs have for the seed or the date, which must not keep siblings apart
_COUNTED = re.compile(r"(seed|[-_.]s)[-_=]?\d+|\d{6,}|[-_.]+(?=[-_.])|[-_.]\d+$", re.IGNORECASE)


@dataclass(frozen=True)
class Described:
    """What tells a run from its siblings; `kind` is its project, tool and algorithm."""

    id: str
    name: str
    kind: tuple[str | None, ...]
    settings: Mapping[str, Value]

    @cached_property
    def chosen(self) -> dict[str, Value]:
        """The settings that say how it was trained, without the seed."""
        return {
            key: value
            for key, value in self.settings.items()
            if not SEED.search(key) and not OWN.search(key)
        }

    @cached_property
    def plain_name(self) -> str:
        """The name without its seed, date and number."""
        return _COUNTED.sub("", self.name)


@dataclass(frozen=True)
class Siblings:
    """Runs like one run. `differs` is the setting that this run alone has another value of."""

    runs: tuple[str, ...] = ()
    differs: str | None = None
    alike: bool = True  # whether they have all settings but the seed in common with each other
    values: Mapping[str, Value] = field(default_factory=dict)  # of what differs, by run

    def told(self, settings: Mapping[str, Value]) -> str:
        """What differs from a run with these settings, with both values; "" for seeds."""
        if self.differs is None:
            return ""
        theirs = next(iter(self.values.values()), None)
        return f"{self.differs} {settings.get(self.differs)} against {theirs}"


def siblings_of(run: Described, others: Iterable[Described]) -> Siblings:
    """Its siblings: seeds of the same settings if there are enough, else runs that differ in one.

    >>> runs = [Described(f"{i}", "", ("p",), {"lr": 0.1, "seed": i}) for i in range(5)]
    >>> odd = Described("odd", "", ("p",), {"lr": 0.5, "seed": 0})
    >>> siblings_of(odd, runs).differs, siblings_of(runs[0], [*runs, odd]).runs
    ('lr', ('1', '2', '3', '4'))
    """
    seeds: list[str] = []
    groups: dict[str, dict[Value, list[str]]] = {}  # by setting and value
    for other in others:
        if other.id == run.id or other.kind != run.kind or not _comparable(run, other):
            continue
        key = _what_differs(run.chosen, other.chosen)
        if key is None:
            continue
        if key == "":
            seeds.append(other.id)
        else:
            groups.setdefault(key, {}).setdefault(other.chosen.get(key), []).append(other.id)
    if len(seeds) >= ENOUGH or not groups:
        return Siblings(tuple(seeds))
    key, value = max(
        ((key, value) for key, mine in groups.items() for value in mine),
        key=lambda one: (len(groups[one[0]][one[1]]), -_far(run.chosen.get(one[0]), one[1])),
    )
    if len(groups[key][value]) >= max(ENOUGH, len(seeds)):
        alike = groups[key][value]
        return Siblings(tuple(alike), key, values=dict.fromkeys(alike, value))
    if len(seeds) > 1:
        return Siblings(tuple(seeds))
    key = max(groups, key=lambda one: sum(map(len, groups[one].values())))
    values = {id: value for value, ids in groups[key].items() for id in ids}
    return Siblings((*seeds, *values), key, alike=False, values=values)


def judged_by_siblings(
    told: SiblingCurves, choice: Choice, framework: str | None, metric: str | None
) -> Diagnosis:
    """What the rules about siblings say of a run; `metric` is what its outcome means."""
    run = Run(id="", points=PointTable(), siblings=told, framework=framework)
    found = judge_by_rules(run, replace(choice, select=(FAMILY,)), since_when=False)
    return replace(found, findings=tuple(replace(one, metric=metric) for one in found.findings))


def alike_siblings(runs: Sequence[Described]) -> dict[str, Siblings]:
    """For each run that has them, enough siblings that are all alike: seeds, or another value of one.

    The same as `siblings_of` for all runs at once, in a time that grows with their number.
    """
    kinds: dict[tuple[str | None, ...], list[Described]] = {}
    for run in runs:
        told = run.kind if len(run.chosen) >= FEW_SETTINGS else (*run.kind, run.plain_name)
        kinds.setdefault(told, []).append(run)
    found: dict[str, Siblings] = {}
    for mine in kinds.values():
        if len(mine) > ENOUGH:
            found |= _among(mine)
    return found


def _among(runs: Sequence[Described]) -> dict[str, Siblings]:
    columns: dict[tuple[Value, ...], str] = {}  # a setting that goes by two names counts once
    for key in dict.fromkeys(key for run in runs for key in run.chosen):
        column = tuple(run.chosen.get(key) for run in runs)
        if any(value != column[0] for value in column):
            columns.setdefault(column, key)
    keys = list(columns.values())
    rows = [tuple(column[i] for column in columns) for i in range(len(runs))]
    same: dict[tuple[Value, ...], list[str]] = {}
    but_one: dict[tuple[int, tuple[Value, ...]], list[tuple[Value, ...]]] = {}
    for run, row in zip(runs, rows, strict=True):
        same.setdefault(row, []).append(run.id)
    for row, alike in same.items():
        for place in range(len(keys) if len(alike) >= ENOUGH else 0):
            but_one.setdefault((place, row[:place] + row[place + 1 :]), []).append(row)
    found: dict[str, Siblings] = {}
    for run, row in zip(runs, rows, strict=True):
        seeds = [id for id in same[row] if id != run.id]
        near = [
            (place, other)
            for place in range(len(keys))
            for other in but_one.get((place, row[:place] + row[place + 1 :]), ())
            if other != row
        ]
        if len(seeds) >= ENOUGH:
            found[run.id] = Siblings(tuple(seeds))
        elif near:
            place, other = max(
                near, key=lambda one: (len(same[one[1]]), -_far(row[one[0]], one[1][one[0]]))
            )
            values = dict.fromkeys(same[other], other[place])
            found[run.id] = Siblings(tuple(same[other]), keys[place], values=values)
    return found


def _far(mine: Value, theirs: Value) -> float:
    """How far two values of a setting lie apart: numbers by their ratio."""
    if isinstance(mine, int | float) and isinstance(theirs, int | float) and mine * theirs > 0:
        return abs(math.log(mine / theirs))
    return math.inf


def _comparable(run: Described, other: Described) -> bool:
    told = min(len(run.chosen), len(other.chosen))
    return told >= FEW_SETTINGS or run.plain_name == other.plain_name


def _what_differs(mine: Mapping[str, Value], theirs: Mapping[str, Value]) -> str | None:
    """The one setting that differs, "" if none does, None if several do.

    One setting may go by two names, the catalog's first.
    """
    found: dict[tuple[Value, Value], str] = {}
    for key in {**mine, **theirs}:
        pair = mine.get(key), theirs.get(key)
        if pair[0] != pair[1]:
            found.setdefault(pair, key)
            if len(found) > 1:
                return None
    return next(iter(found.values()), "")
