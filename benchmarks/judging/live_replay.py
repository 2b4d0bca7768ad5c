"""What the live judge would have said while stored runs were trained, and what it would have stopped.

    python -m benchmarks.judging.live_replay FOLDER ...          the healthy runs of these folders
    python -m benchmarks.judging.live_replay --sick FOLDER ...   the sick ones: which are stopped, when?

The rows of each run are fed in order and judged after as many rows as a live run with
`stop_on="critical"` is judged, by the live judge's own parts. Folders hold an `index.json` of labels,
or are runs themselves. Printed per run and in all: stops, changes of the word that is told, reversals
from good to bad or back, findings that open more than once, and findings that move to another series.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.judging.evidence import labelled_logs
from benchmarks.judging.page import put
from runvitals.diagnosis.engine import Choice
from runvitals.diagnosis.judge import Settings, judge
from runvitals.diagnosis.live.announcer import CLOCK_AREAS, Announcer
from runvitals.diagnosis.live.checkpoints import Checkpoints
from runvitals.diagnosis.live.notify import Notifier
from runvitals.diagnosis.open_findings import Moment
from runvitals.model import FindingChange, PointTable, RowBlock, Run, RunInfo
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rules

GOOD = ("learning", "learned")
UNDECIDED = ("too early to tell", "cannot tell")


@dataclass
class Replayed:
    """What was said of one run on the way."""

    name: str
    looks: int = 0
    words: list[str] = field(default_factory=list)
    stopped_by: FindingChange | None = None
    stopped_after: float = 1.0  # share of its rows
    opened: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def changes(self) -> int:
        """How often another word was told, once one that decides was."""
        told = [word for word in self.words if word not in UNDECIDED]
        return sum(a != b for a, b in pairwise(told))

    @property
    def reversals(self) -> int:
        """How often a good word became a bad one, or a bad one good."""
        good = [word in GOOD for word in self.words if word not in UNDECIDED]
        return sum(a != b for a, b in pairwise(good))

    @property
    def flickering(self) -> dict[str, int]:
        """Findings that opened more than once on one series."""
        return {f"{code} {series}": n for (code, series), n in self.opened.items() if n > 1}

    @property
    def moved(self) -> int:
        """Findings that spoke of one series and then of another."""
        series = Counter(code for code, _ in self.opened)
        return sum(n - 1 for n in series.values())


def replay(run: Run) -> Replayed:
    """Judge a stored run as a live one with `stop_on="critical"` would have been."""
    said = Replayed(run.name or run.id)
    info = RunInfo(run.id, run.name, run.project, run.path or Path("."), guest=True, stops=True)
    by_clock = tuple(rule.code for rule in rules().values() if rule.area in CLOCK_AREAS)
    announcer = Announcer(info, Notifier((), "", info.complain), None)

    def stop(change: FindingChange) -> None:
        if change.finding.severity == "critical" and said.stopped_by is None:
            said.stopped_by, said.stopped_after = change, rows / len(steps)

    def hear(change: FindingChange) -> None:
        if change.event == "opened":
            said.opened[change.finding.code, change.finding.series] += 1

    info.stop_listeners.append(stop)
    info.listeners.append(hear)
    info.verdict_listeners.append(lambda verdict: said.words.append(verdict.word))
    steps = _rows(run)
    for rows in Checkpoints().among(np.zeros(len(steps), bool)):
        part = _until(run, int(steps[rows - 1]))
        found = judge(part, Settings(Choice(ignore=by_clock)), live=True, since_when=False)
        done = Patient(part).progress
        announcer.take_in(found, Moment(part.last_step or 0, rows, 0.0, done=done))
        said.looks += 1
    return said


def _rows(run: Run) -> np.ndarray:
    """The steps at which the training logged something, in order: one row each."""
    names = [name for name in run.names() if not name.lower().startswith("system/")]
    clocks = [run.points.clock(name)[0] for name in names]
    return np.unique(np.concatenate(clocks)) if clocks else np.empty(0, np.int64)


def _until(run: Run, last: int) -> Run:
    """The run as it was at this step, still going on."""
    table = PointTable()
    for name in run.names():
        for rank in run.points.ranks(name):
            steps, times, values = run.points.column(name, rank)
            end = int(np.searchsorted(steps, last, side="right"))
            table.add(RowBlock((name,), steps[:end], times[:end], values[:end, None], rank))
    return replace(run, points=table, status="running", _agreeing={})


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--sick", action="store_true")
    parser.add_argument("--write", action="store_true", help="into docs/scoreboard.md")
    given = parser.parse_args()
    wanted = "sick" if given.sick else "healthy"
    told = []
    for log in labelled_logs(given.folders):
        for run in log.runs() if log.kind == wanted else ():
            one = replay(run)
            if one.looks:
                told.append(one)
                _print(log.name, one)
    lines = list(table(told, wanted))
    print("\n".join(lines))
    if given.write:
        put("live", lines)


def table(told: list[Replayed], wanted: str) -> Iterator[str]:
    """The totals, in Markdown."""
    count = max(1, len(told))
    stops = [one.stopped_after for one in told if one.stopped_by is not None]
    when = f" (at the median after {np.median(stops):.0%} of the rows)" if stops else ""
    again = sum(max(one.flickering.values(), default=1) - 1 for one in told)
    yield f"| {wanted} runs | {len(told)}, looked at {sum(one.looks for one in told):,} times |"
    yield "|---|---|"
    yield f"| stopped | {len(stops)}{when} |"
    yield f"| changes of the word, a run | {sum(one.changes for one in told) / count:.2f} |"
    yield f"| reversals of the word, a run | {sum(one.reversals for one in told) / count:.2f} |"
    yield f"| findings that opened again | {again} |"
    yield f"| findings that moved to another series | {sum(one.moved for one in told)} |"


def _print(log: str, one: Replayed) -> None:
    if one.stopped_by is not None:
        finding = one.stopped_by.finding
        at = f"step {one.stopped_by.step:,}, {one.stopped_after:.0%}"
        print(f"{log}/{one.name}: stopped at {at}: {finding.code} {finding.message}")
    if one.reversals or one.flickering:
        print(f"{log}/{one.name}: {' -> '.join(one.words)} {one.flickering or ''}")


if __name__ == "__main__":
    main()
