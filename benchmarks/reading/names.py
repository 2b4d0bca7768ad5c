"""How many of the names that real tools log are resolved, and how many wrongly.

    python -m benchmarks.reading.names [FOLDER]

FOLDER holds one JSON file per tool with the names it logs and what they are (by default
../shared/reference/frameworks beside the repository). Four ways to ask:

- hint: tool and algorithm are known, the name stands alone;
- siblings: only the other names of the same run are known;
- bare: the name alone;
- unseen: as siblings, but the catalog has never seen this tool.

"Alike" is as good an answer for a tool that nobody knows (`name_verdicts.py` lists them): a
gradient norm or a learning rate filed under `optim/` instead of `policy/`, or the other way round; the
training loss of a trainer with one model without saying what it trains; and their like.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.reading.name_verdicts import fair
from runvitals.catalog import FRAMEWORKS, METRICS, find_framework
from runvitals.catalog.resolving.ask import default_resolver
from runvitals.catalog.resolving.resolver import Resolution, Resolver

FOLDER = Path(__file__).parents[3] / "shared" / "reference" / "frameworks"
EVERY = {"all", "all scripts", "generic", "all (actor, evaluator)"}
OWN = {"runvitals", "glossary"}
MODES = ("hint", "siblings", "bare", "unseen")
VALUES = {
    "data_source": "openai/gsm8k",
    "dataset": "gsm8k",
    "env": "gsm8k",
    "variable": "acc",
    "n": "8",
    "k": "4",
    "i": "1",
    "j": "0",
    "p": "50",
    "func": "format_reward",
    "module": "default_policy",
    "policy": "default_policy",
    "optimizer": "default_optimizer",
    "suffix": "",
    "stat": "max",
    "value_function": "GaussianMLPValueFunction",
    "baseline": "LinearBaseline",
    "signal": "Extrinsic",
    "axis": "step",
    "mini_epoch": "2",
    "dim": "0",
    "subset": "effective",
    "agent": "solver",
    "group": "Metrics",
}


@dataclass(frozen=True, slots=True)
class Row:
    tool: str
    name: str
    algorithms: tuple[str, ...]
    metric: str
    scale: float
    transform: str

    @property
    def always(self) -> bool:
        """Whether every algorithm of the tool logs it."""
        return not self.algorithms or bool(EVERY & set(self.algorithms))


@dataclass
class Tally:
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[Row, Resolution]] = field(default_factory=list)
    unresolved: list[Row] = field(default_factory=list)

    def add(self, row: Row, found: Resolution | None) -> None:
        if found is None:
            self.counts["unresolved"] += 1
            self.unresolved.append(row)
        elif (found.metric, found.scale, found.transform) == (row.metric, row.scale, row.transform):
            self.counts["right"] += 1
        elif _alike(found, row):
            self.counts["alike"] += 1
            self.wrong.append((row, found))
        else:
            self.counts["wrong"] += 1
            self.wrong.append((row, found))

    def share(self, what: str) -> float:
        return self.counts[what] / (self.counts.total() or 1)


def _alike(found: Resolution, row: Row) -> bool:
    """As good an answer as can be had; minus the entropy is what a name with "loss" in it says."""
    if found.metric == "policy/entropy_loss" and row.metric == "policy/entropy":
        return True
    unit = (found.scale, found.transform) == (row.scale, row.transform)
    return unit and fair(row.metric, found.metric)


def _no_numbers(name: str) -> None:
    """A name list has no numbers: what is read by words is then held against nothing."""


def example(name: str) -> str:
    """A name with its placeholders filled in as a run would."""

    def fill(hole: re.Match[str]) -> str:
        if hole[1] == "policy" and hole.start() == 0:
            return "GaussianMLPPolicy"
        return VALUES.get(hole[1], "foo")

    return re.sub(r"\{([^{}]+)\}", fill, name)


# where the lists have one metric, the catalog two: generating is not a forward pass
FINER = {("open-instruct", "actor_mfu"): "throughput/mfu_generation"}


def rows(folder: Path = FOLDER) -> list[Row]:
    """Every name of every tool that has a canonical meaning."""
    found = []
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        tool = find_framework(data["framework"])
        if tool is None:
            raise SystemExit(f"{path}: no such tool: {data['framework']}")
        for row in data["metrics"]:
            if row["canonical"] is None:
                continue
            scale = row.get("scale_to_canonical", 1.0)
            transform = row.get("transform_to_canonical", "")
            change = row.get("transform", "")
            if change == "negate":
                scale = -1.0
            elif change.startswith("scale:"):
                scale = float(change.removeprefix("scale:"))
            elif change == "sqrt":
                transform = "sqrt(x)"
            name, algorithms = example(row["name"]), tuple(row["algorithms"])
            metric = FINER.get((tool, row["name"]), row["canonical"])
            found.append(Row(tool, name, algorithms, metric, scale, transform))
    return found


def rows_of_catalog() -> list[Row]:
    """The same of the catalog's own aliases, which needs no folder.

    Not of names that the catalog made up itself, nor of general metrics, which say nothing of a name.
    """
    return [
        Row(tool, example(alias.name), alias.algorithms, alias.metric, alias.scale, alias.transform)
        for tool, framework in FRAMEWORKS.items()
        if tool not in OWN
        for alias in framework.aliases
        if alias.metric is not None and not alias.metric.endswith("/metric")
    ]


def runs(every: list[Row]) -> Iterator[tuple[str, list[Row]]]:
    """What one run of each algorithm of each tool would log."""
    by_tool: dict[str, list[Row]] = defaultdict(list)
    for row in every:
        if row.tool not in OWN:  # a list of words is no run
            by_tool[row.tool].append(row)
    for tool, own in by_tool.items():
        tags = dict.fromkeys(t for row in own for t in row.algorithms if t not in EVERY)
        for tag in tags or [""]:
            yield tool, [row for row in own if row.always or tag in row.algorithms]


def measure(every: list[Row], mode: str) -> dict[str, Tally]:
    """Results of one way to ask, by tool. A row that several runs contain counts once, at its worst."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    if mode in {"hint", "bare"}:
        resolver = default_resolver()
        for row in every:
            if mode == "bare" and row.name in METRICS:
                continue  # a canonical id means itself when nothing else is known
            tool = row.tool if mode == "hint" else None
            algorithms = [None] if mode == "bare" or row.always else list(row.algorithms)
            found = [
                resolver.resolve(row.name, resolver.context([row.name], tool, algorithm))
                for algorithm in algorithms
            ]
            tallies[row.tool].add(row, max(found, key=lambda one: _rank(row, one)))
        return tallies
    worst: dict[Row, Resolution | None] = {}
    resolvers: dict[str, Resolver] = {}
    for tool, members in runs(every):
        resolver = default_resolver()
        if mode == "unseen":
            if tool not in resolvers:
                resolvers[tool] = Resolver({k: v for k, v in FRAMEWORKS.items() if k != tool})
            resolver = resolvers[tool]
        context = resolver.context([row.name for row in members], None, None)
        for row in members:
            look = _no_numbers if mode == "unseen" else None
            found = resolver.resolve(row.name, context, look)
            if row not in worst or _rank(row, found) > _rank(row, worst[row]):
                worst[row] = found
    for row, found in worst.items():
        tallies[row.tool].add(row, found)
    return tallies


def _rank(row: Row, found: Resolution | None) -> int:
    if found is None:
        return 1
    right = (found.metric, found.scale, found.transform) == (row.metric, row.scale, row.transform)
    return 0 if right else 2


def total(tallies: dict[str, Tally]) -> Tally:
    """All tools together."""
    everything = Tally()
    for tally in tallies.values():
        everything.counts.update(tally.counts)
        everything.wrong += tally.wrong
        everything.unresolved += tally.unresolved
    return everything


def main() -> None:
    from rich.console import Console
    from rich.table import Table

    every = rows(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
    console = Console()
    results = {mode: measure(every, mode) for mode in MODES}
    table = Table(title=f"{len(every)} names of {len({r.tool for r in every})} tools")
    for column in ("asked by", "right", "unresolved", "alike", "wrong"):
        table.add_column(column, justify="left" if column == "asked by" else "right")
    for mode, tallies in results.items():
        tally = total(tallies)
        kinds = ("right", "unresolved", "alike", "wrong")
        cells = [f"{tally.counts[kind]}  {tally.share(kind):6.1%}" for kind in kinds]
        table.add_row(mode, *cells)
    console.print(table)

    table = Table(title="right / unresolved / wrong, tool by tool")
    for column in ("tool", *MODES):
        table.add_column(column, justify="left" if column == "tool" else "right")
    for tool in sorted({row.tool for row in every}):
        cells = []
        for mode in MODES:
            counts = results[mode][tool].counts
            wrong = counts["wrong"] + counts["alike"]
            cells.append(f"{counts['right']} / {counts['unresolved']} / {wrong}")
        table.add_row(tool, *cells)
    console.print(table)

    for mode, tallies in results.items():
        for row, found in total(tallies).wrong:
            console.print(f"{mode}: {row.tool} {row.name}: is {row.metric}, read as {found.metric}")

    names = [row.name for row in every if row.tool == "verl"]
    names += [f"val-aux/set{i}/acc/mean@{n}" for i in range(2_000) for n in (1, 2, 4, 8, 16)]
    default_resolver()
    start = time.perf_counter()
    context = default_resolver().context(names, None, None)
    found = [default_resolver().resolve(name, context) for name in names]
    seconds = time.perf_counter() - start
    resolved = sum(one is not None for one in found)
    console.print(f"{len(names)} names of one run in {seconds:.2f} s, {resolved} resolved")


if __name__ == "__main__":
    main()
