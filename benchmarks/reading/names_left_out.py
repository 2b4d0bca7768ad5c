"""Each tool left out of the catalog in turn: how many of its names are understood all the same.

Of two kinds: the tool's names as the catalog lists them, with made-up numbers of the right kind, which
needs nothing outside the project; and the logs of that tool among the public ones, with their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchmarks.reading.labelled_names import FOLDERS, read_labels
from benchmarks.reading.name_verdicts import Measure, Mistake, fair, measure_names
from benchmarks.reading.names import Row, Tally, rows_of_catalog, runs
from benchmarks.reading.plausible import as_logged
from runvitals.catalog import FRAMEWORKS
from runvitals.catalog.resolving.by_words.log import Facts, facts_of
from runvitals.catalog.resolving.resolver import Resolution, Resolver
from runvitals.model import Binding, Run
from runvitals.readers.open import open_runs

MISREAD = "wrong, its tool left out"


@cache
def without(tools: frozenset[str]) -> Resolver:
    """A catalog that never saw these tools."""
    return Resolver({tool: known for tool, known in FRAMEWORKS.items() if tool not in tools})


def listed() -> dict[str, Measure]:
    """Each tool's own names, those that one run of it logs asked together."""
    worst: dict[Row, Resolution | None] = {}
    for tool, members in runs(rows_of_catalog()):
        resolver = without(frozenset({tool}))
        numbers = {row.name: as_logged(row.metric, row.scale, row.transform) for row in members}
        facts = {name: None if one is None else facts_of(one) for name, one in numbers.items()}
        context = resolver.context([row.name for row in members], None, None)
        for row in members:
            found = resolver.resolve(row.name, context, facts.get)
            if row not in worst or _rank(row, found) > _rank(row, worst[row]):
                worst[row] = found
    tallies: dict[str, Tally] = defaultdict(Tally)
    for row, answer in worst.items():
        tallies[row.tool].add(row, answer)
    return {tool: _measured(tool, tally) for tool, tally in tallies.items()}


def _rank(row: Row, found: Resolution | None) -> int:
    """A name that several runs log counts at its worst: wrong, then not understood."""
    one = Tally()
    one.add(row, found)
    return max(("right", "alike", "unresolved", "wrong").index(kind) for kind in one.counts)


def _measured(tool: str, tally: Tally) -> Measure:
    result = Measure()
    result.names.update(
        meaningful=tally.counts.total(),
        understood=tally.counts["right"] + tally.counts["alike"],
        exactly=tally.counts["right"],
        bound=tally.counts.total() - tally.counts["unresolved"],
    )
    result.names["other wrong"] = tally.counts["wrong"]
    result.mistakes += [
        Mistake(tool, row.name, row.metric, found.metric, found.how, MISREAD)
        for row, found in tally.wrong
        if not fair(row.metric, found.metric)
    ]
    return result


def logged(corpus: Path) -> dict[str, Measure]:
    """The public logs of each tool, read without it."""
    found: dict[str, Measure] = defaultdict(Measure)
    for log, labels in read_labels().items():
        if not labels.tools or not log.startswith(FOLDERS) or not (corpus / log).is_dir():
            continue
        resolver = without(labels.tools)
        read = (
            pair
            for run in open_runs(corpus / log, problems=[])
            for pair in _read_without(run, resolver)
        )
        measure_names(labels, read, found[min(labels.tools)], right=fair)
    return dict(found)


def _read_without(run: Run, resolver: Resolver) -> Iterator[tuple[str, Binding | None]]:
    """What each name is to that catalog; names of the machine belong to no trainer."""
    names = [name for name in run.names() if not name.startswith("system/")]

    @cache
    def look(name: str) -> Facts | None:
        return facts_of(run.points.column(name, None)[2])

    context = resolver.context(names, None, None)
    for name in names:
        answer = resolver.resolve(name, context, look)
        yield name, None if answer is None else Binding(answer.metric, how=answer.how)
