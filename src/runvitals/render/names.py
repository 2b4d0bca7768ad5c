"""What each logged name of a run was taken to mean, how that was found, and what the rest may be."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runvitals import catalog
from runvitals.model import Binding, Run
from runvitals.render.nearest import MAX_COUNT, Candidate, nearest

MAX_WITH_CANDIDATES = (
    200  # names without a meaning that get candidates; each costs some milliseconds
)
MIN_ALIKE = 3  # names that differ in a number only and share a line

_HOW = {
    "canonical": "it is the catalog's own name",
    "alias": "{tool} logs it under this name",
    "pattern": "{tool} logs names of this form",
    "agreed": "all tools that log it mean this",
    "words": "its words say {phrase}",
    "told": "told by --map",
}
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Named:
    """A logged name: what it means, how that was found and how sure it is, or what it may mean."""

    name: str
    metric: str | None = None
    title: str = ""
    how: str = ""
    tool: str | None = None
    sure: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    candidates: tuple[Candidate, ...] = ()

    @property
    def map(self) -> str | None:
        """What binds the name to its nearest candidate, as `--map` takes it."""
        return f"{self.name}={self.candidates[0].metric}" if self.candidates else None


@dataclass(frozen=True, slots=True)
class NameLine:
    """One line of a table: a name, or several that differ in a number only and mean the same."""

    shown: str
    named: Named
    count: int = 1


@dataclass(frozen=True, slots=True)
class NameTable:
    """The names that one run logged, or several runs alike."""

    runs: tuple[Run, ...]
    names: tuple[Named, ...]

    @property
    def understood(self) -> list[Named]:
        """Those that have a meaning."""
        return [one for one in self.names if one.metric is not None]

    @property
    def not_understood(self) -> list[Named]:
        """Those that have none."""
        return [one for one in self.names if one.metric is None]


def name_tables(runs: Sequence[Run]) -> list[NameTable]:
    """One table for each distinct set of names and meanings, in the order of the runs."""
    alike: dict[object, list[Run]] = {}
    for run in runs:
        means = tuple(
            (name, (bound.metric, bound.how, bound.framework) if bound else None)
            for name in run.names()
            for bound in (run.bindings.get(name),)
        )
        alike.setdefault((frozenset(means), run.framework, run.algorithm), []).append(run)
    return [NameTable(tuple(same), named(same[0])) for same in alike.values()]


def named(run: Run) -> tuple[Named, ...]:
    """Every name of a run, in the order of first appearance."""
    looked_up: dict[str, tuple[Candidate, ...]] = {}
    found = []
    for name in run.names():
        bound = run.bindings.get(name)
        if bound is not None:
            found.append(_bound(name, bound))
            continue
        shape = _shape(name)
        if shape not in looked_up and len(looked_up) < MAX_WITH_CANDIDATES:
            looked_up[shape] = candidates_for(name)
        found.append(Named(name, candidates=looked_up.get(shape, ())))
    return tuple(found)


def lines(names: Sequence[Named]) -> list[NameLine]:
    """The names as lines, those that differ in a number only as one."""

    def key(one: Named) -> tuple[str, ...]:
        return (_shape(one.name), one.metric or "", one.how, one.sure)

    groups: dict[tuple[str, ...], list[Named]] = {}
    for one in names:
        groups.setdefault(key(one), []).append(one)
    found = []
    for (shape, *_), alike in groups.items():
        if len(alike) < MIN_ALIKE:
            found += [NameLine(one.name, one) for one in alike]
        else:
            found.append(NameLine(shape, alike[0], len(alike)))
    return found


def candidates_for(name: str) -> tuple[Candidate, ...]:
    """What the name may mean, the nearest first: tools that log just this, then names like it."""
    found: dict[str, Candidate] = {}
    for tool, alias in catalog.candidates(name):
        known = catalog.metric(alias.metric) if alias.metric is not None else None
        if known is not None and not known.id.endswith("/metric"):
            title = known.title or known.meaning
            found.setdefault(known.id, Candidate(known.id, title, f"{tool} logs it so"))
    for near in nearest(name):
        found.setdefault(near.metric, near)
    return tuple(found.values())[:MAX_COUNT]


def _bound(name: str, bound: Binding) -> Named:
    known = catalog.metric(bound.metric)
    tool = bound.framework
    phrase = bound.phrase or "so"
    how = _HOW[bound.how].format(tool=tool, phrase=phrase) if bound.how in _HOW else bound.how
    return Named(
        name,
        bound.metric,
        (known.title or known.meaning) if known else "",
        how,
        tool,
        bound.sure,
        bound.labels,
    )


def _shape(name: str) -> str:
    return _DIGITS.sub("*", name)
