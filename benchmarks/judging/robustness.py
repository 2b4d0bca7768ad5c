"""Whether the judgement of a run depends on what should not matter.

    python -m benchmarks.judging.robustness FOLDER ...     folders with an index.json of labels

Every run is judged as it is, and again with its last tenth missing, with every second row missing, with
rewards ten times as large, with its folder called otherwise, and with the rows of its processes in
another order. Counted are runs whose class (alarmed, praised, neither) changes, and flips from alarm to
praise or back. The class is that of the accuracy figures: alarmed by a warning or worse that is not
about the log, or by a bad word; praised by a good word without an alarm.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.judging.evidence import LabelledLog, labelled_logs
from benchmarks.judging.page import put
from runvitals import catalog
from runvitals.diagnosis.judge import Settings, judge
from runvitals.model import Diagnosis, FloatArray, IntArray, RowBlock, Run
from runvitals.model.points.table import PointTable

BAD = ("stalled", "not learning", "overfitting", "collapsed", "diverged")
GOOD = ("learning", "learned")
SHUFFLED = 8  # processes that the rows of each series are dealt out to
RENAMED = "folder renamed"
POWERS = {"reward": 1, "reward^2": 2}  # of the unit of rewards, by the unit of a metric
SQUARED = ("value/loss",)  # has no unit of its own, and grows with the square of the reward
Change = Callable[[Run], Run]
Column = tuple[str, int, IntArray, FloatArray, FloatArray]


def class_of(found: Diagnosis) -> str:
    """`alarmed`, `praised` or `neither`."""
    if found.alarms or found.verdict.word in BAD:
        return "alarmed"
    return "praised" if found.verdict.word in GOOD else "neither"


def _columns(run: Run) -> Iterator[Column]:
    for name in run.names():
        for rank in run.points.ranks(name):
            steps, times, values = run.points.column(name, rank)
            yield name, rank, steps, times, values


def _with(run: Run, blocks: Sequence[RowBlock]) -> Run:
    table = PointTable()
    for block in blocks:
        table.add(block)
    return replace(run, points=table, _agreeing={})


def without_last_tenth(run: Run) -> Run:
    """As if the log had been copied a little earlier."""
    first = min((int(steps[0]) for _, _, steps, *_ in _columns(run) if len(steps)), default=0)
    end = first + 0.9 * ((run.last_step or 0) - first)
    return _with(run, [_block(*column, column[2] <= end) for column in _columns(run)])


def without_every_second(run: Run) -> Run:
    """As if it had been logged half as often."""
    return _with(
        run, [_block(*column, np.arange(len(column[2])) % 2 == 0) for column in _columns(run)]
    )


def times_ten(run: Run) -> Run:
    """Rewards and returns in another unit."""
    blocks = []
    for name, rank, steps, times, values in _columns(run):
        factor = 10.0 ** _power(run, name)
        blocks.append(RowBlock((name,), steps, times, factor * values[:, None], rank))
    return _with(run, blocks)


def _power(run: Run, name: str) -> int:
    """The power of the unit of rewards in a series; implicit rewards of preferences have another."""
    bound = run.bindings.get(name)
    if bound is None:
        return int("reward" in name.lower())
    known = catalog.metric(bound.metric)
    if known is None or bound.metric.removeprefix("eval/").startswith("preference/"):
        return 0
    return 2 if bound.metric in SQUARED else POWERS.get(known.unit, 0)


def shuffled(run: Run) -> Run:
    """Rows that came from several processes, in another order in the file."""
    rng = np.random.default_rng(0)
    pieces = []
    for name, rank, steps, times, values in _columns(run):
        dealt = rng.integers(0, SHUFFLED, len(steps))
        pieces += [
            _block(name, rank, steps, times, values, dealt == process)
            for process in range(SHUFFLED)
        ]
    random.Random(0).shuffle(pieces)
    return _with(run, pieces)


def _block(
    name: str,
    rank: int,
    steps: IntArray,
    times: FloatArray,
    values: FloatArray,
    keep: npt.NDArray[np.bool_],
) -> RowBlock:
    return RowBlock((name,), steps[keep], times[keep], values[keep, None], rank)


CHANGES: dict[str, Change] = {
    "last tenth dropped": without_last_tenth,
    "every second row dropped": without_every_second,
    "reward x 10": times_ten,
    "rows shuffled": shuffled,
}


@dataclass
class Counted:
    """Runs whose class changes, and those of them that flip between alarm and praise."""

    runs: int = 0
    changed: list[str] = field(default_factory=list)
    flipped: list[str] = field(default_factory=list)

    def add(self, name: str, before: Diagnosis, after: Diagnosis) -> None:
        """Compare two judgements of one run."""
        classes = class_of(before), class_of(after)
        self.runs += 1
        if classes[0] != classes[1]:
            told = [f"{one.verdict.word} {[f.code for f in one.alarms]}" for one in (before, after)]
            self.changed.append(f"{name}: {' -> '.join(told)}")
            if "neither" not in classes:
                self.flipped.append(self.changed[-1])


def measure(logs: Iterable[LabelledLog]) -> dict[str, Counted]:
    """All changes over the sick and healthy logs."""
    counted = {name: Counted() for name in (*CHANGES, RENAMED)}
    for number, log in enumerate(logs):
        runs = log.runs() if log.kind != "other" else []
        before = [judge(run, Settings(), since_when=False) for run in runs]
        for name, change in CHANGES.items():
            for run, said in zip(runs, before, strict=True):
                after = judge(change(run), Settings(), since_when=False)
                counted[name].add(f"{log.name}/{run.name}", said, after)
        for run, said in zip(_renamed(log, number) if runs else [], before, strict=True):
            after = judge(run, Settings(), since_when=False)
            counted[RENAMED].add(f"{log.name}/{run.name}", said, after)
    return counted


def _renamed(log: LabelledLog, number: int) -> list[Run]:
    """Its runs, read from a copy under a name that says nothing."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / f"log{number}"
        shutil.copytree(log.path, copy)
        runs = replace(log, path=copy).runs()
        return [replace(run, points=run.points.thinned()) for run in runs]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("-v", "--verbose", action="store_true", help="list the runs that change")
    parser.add_argument("--write", action="store_true", help="into docs/scoreboard.md")
    given = parser.parse_args()
    counted = measure(labelled_logs(given.folders))
    for name, one in counted.items():
        for line in one.changed if given.verbose else one.flipped:
            print(f"{name}: {line}")
    lines = list(table(counted))
    print("\n".join(lines))
    if given.write:
        put("robustness", lines)


def table(counted: dict[str, Counted]) -> Iterator[str]:
    """What each change did, in Markdown."""
    yield "| change | runs | of another class | flips |"
    yield "|---|---|---|---|"
    for name, one in counted.items():
        share = len(one.changed) / max(1, one.runs)
        yield f"| {name} | {one.runs} | {len(one.changed)} ({share:.1%}) | {len(one.flipped)} |"


if __name__ == "__main__":
    main()
