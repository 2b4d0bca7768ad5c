"""How well the names of real logs are understood, held against labels made by hand.

python -m benchmarks.names_measured [-v] [CORPUS]      -v lists every mistake

Without a corpus (by default ../shared/corpus beside the project) only the last table appears: each tool
left out of the catalog in turn, and how many of its names are understood all the same.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.labelled import Labels, Meaning, read_labels
from benchmarks.names import SAME, alike, measure, rows_of_catalog
from runvitals.catalog._algorithms import match_level
from runvitals.model import Binding, ReadError, Run
from runvitals.readers.open import open_runs
from runvitals.rules.outcome import CANDIDATES

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"
FOLDERS = ("public", "public2")
GENERAL = frozenset(
    {"env/metric", "supervised/metric", "eval/supervised/metric", "eval/env/metric"}
)
OUTCOMES = frozenset(one for one, _ in CANDIDATES)


@dataclass(frozen=True, slots=True)
class Mistake:
    """One name that was misunderstood, or not understood."""

    log: str
    name: str
    wanted: str
    got: str
    how: str
    kind: str


@dataclass
class Measure:
    """Counts of one folder, or of all."""

    logs: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    mistakes: list[Mistake] = field(default_factory=list)

    def __add__(self, other: Measure) -> Measure:
        return Measure(
            self.logs + other.logs, self.names + other.names, self.mistakes + other.mistakes
        )

    def share(self, part: str, whole: str) -> float:
        counts = self.logs if whole in self.logs else self.names
        return counts[part] / (counts[whole] or 1)


def verdict(meaning: Meaning, found: str | None) -> str:
    """`right`, `missed`, `wrong`, or `open` for a name that nobody need understand.

    A general metric ("some number of the environment") says nothing: it is as good as no binding.
    """
    if found in GENERAL and found not in meaning.metrics:
        found = None
    if meaning.unclear:
        return "open"
    if found is None:
        return "open" if meaning.may_stay_open else "missed"
    right = found in meaning.metrics or any({found, one} in SAME for one in meaning.metrics)
    return "right" if right else "wrong"


_WORST = ("open", "right", "missed", "wrong")


def measure_names(
    labels: Labels, named: Iterable[tuple[str, Binding | None]], result: Measure
) -> None:
    """Count the names of one log; those that share a line of the labels count once, at their worst."""
    worst: dict[str, tuple[str, Mistake | None]] = {}
    for name, binding in named:
        meaning = labels.meaning(name)
        if meaning is None:
            worst.setdefault(name, ("unlabelled", None))
            continue
        found = binding.metric if binding is not None else None
        judged = verdict(meaning, found)
        before = worst.get(meaning.key)
        if before is not None and _WORST.index(judged) <= _WORST.index(before[0]):
            continue
        worst[meaning.key] = judged, _mistake(labels, name, meaning, binding, judged)
        result.names["outcome"] += before is None and meaning.key in labels.outcomes
    for judged, mistake in worst.values():
        result.names["names"] += 1
        result.names[judged] += 1
        result.names["bound"] += judged in {"right", "wrong"}
        if mistake is not None:
            result.mistakes.append(mistake)
            result.names[mistake.kind] += 1
    for key, (judged, _) in worst.items():
        meaning = labels.meaning(key)
        if judged != "unlabelled" and meaning is not None and not meaning.may_stay_open:
            result.names["meaningful"] += 1
            result.names["understood"] += judged == "right"


def _mistake(
    labels: Labels, name: str, meaning: Meaning, binding: Binding | None, judged: str
) -> Mistake | None:
    if judged in {"right", "open"}:
        return None
    outcome = meaning.key in labels.outcomes
    wanted = " or ".join(sorted(meaning.metrics)) or "nothing"
    if binding is None or judged == "missed":
        kind = "outcome missed" if outcome else "other missed"
        return Mistake(labels.log, name, wanted, "nothing", "", kind)
    outcome = outcome or binding.metric in OUTCOMES
    kind = "outcome wrong" if outcome else "other wrong"
    return Mistake(labels.log, name, wanted, binding.metric, binding.how, kind)


def measure_log(labels: Labels, runs: Sequence[Run], result: Measure) -> None:
    """Does it open, is the tool right, and the algorithm, and every name."""
    if labels.holds_run:
        result.logs["hold a run"] += 1
        result.logs["open"] += bool(runs)
        if not runs:
            result.mistakes.append(Mistake(labels.log, "", "a run", "nothing", "", "not opened"))
    if not runs:
        return
    if labels.tools:
        result.logs["known tool"] += 1
        if all(run.framework in labels.tools for run in runs):
            result.logs["tool right"] += 1
        else:
            _said(result, labels.log, labels.tools, (run.framework for run in runs), "tool")
    elif any(run.framework is not None for run in runs):
        _said(result, labels.log, (), (run.framework for run in runs), "tool of an own loop")
    if labels.algorithms and not labels.algorithm_may_stay_open:
        result.logs["known algorithm"] += 1
        if all(_same_algorithm(labels, run.algorithm) for run in runs):
            result.logs["algorithm right"] += 1
        else:
            _said(result, labels.log, labels.algorithms, (r.algorithm for r in runs), "algorithm")
    elif any(run.algorithm and not _same_algorithm(labels, run.algorithm) for run in runs):
        _said(result, labels.log, labels.algorithms, (r.algorithm for r in runs), "algorithm said")
    named = ((name, run.bindings.get(name)) for run in runs for name in run.names())
    measure_names(labels, named, result)


def _same_algorithm(labels: Labels, found: str | None) -> bool:
    return found is not None and any(match_level(one, found) for one in labels.algorithms)


def _said(
    result: Measure, log: str, wanted: Iterable[str], got: Iterable[str | None], kind: str
) -> None:
    said = " / ".join(dict.fromkeys(str(one) for one in got))
    result.mistakes.append(Mistake(log, "", " or ".join(sorted(wanted)) or "none", said, "", kind))


def measure_folder(corpus: Path, folder: str) -> Measure:
    """Every labelled log of one folder."""
    result = Measure()
    for log, labels in read_labels().items():
        if log.startswith(f"{folder}/") and (corpus / log).is_dir():
            problems: list[ReadError] = []
            measure_log(labels, open_runs(corpus / log, problems=problems), result)
    return result


# ---- one tool left out


def measure_left_out() -> dict[str, Measure]:
    """Each tool of the catalog in turn: its own names, asked of a catalog that never saw it."""
    found = {}
    for tool, tally in measure(rows_of_catalog(), "unseen").items():
        result = found[tool] = Measure()
        result.names.update(
            meaningful=tally.counts.total(),
            understood=tally.counts["right"] + tally.counts["alike"],
            bound=tally.counts.total() - tally.counts["unresolved"],
        )
        result.names["other wrong"] = tally.counts["wrong"]
        result.mistakes += [
            Mistake(tool, row.name, row.metric, got.metric, got.how, "wrong of a tool left out")
            for row, got in tally.wrong
            if not alike(row.metric, got.metric)
        ]
    return found


# ---- the report


def _cells(result: Measure) -> Iterator[str]:
    yield f"{result.logs['open']} of {result.logs['hold a run']}"
    for part, whole in (("tool right", "known tool"), ("algorithm right", "known algorithm")):
        yield f"{result.logs[part]} of {result.logs[whole]}  {result.share(part, whole):4.0%}"
    yield (
        f"{result.names['understood']} of {result.names['meaningful']}"
        f"  {result.share('understood', 'meaningful'):.1%}"
    )
    yield f"{result.names['outcome missed']} of {result.names['outcome']}"
    yield str(result.names["outcome wrong"])
    yield f"{result.names['other wrong']}  {result.share('other wrong', 'bound'):.2%}"
    yield str(result.names["unlabelled"])


COLUMNS = (
    "folder",
    "open",
    "tool right",
    "algorithm right",
    "names understood",
    "outcomes missed",
    "outcomes wrong",
    "others wrong",
    "no label",
)


def report(corpus: Path, *, verbose: bool) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(width=150)
    everything = Measure()
    if corpus.is_dir():
        table = Table(title="names of public logs, against labels made by hand")
        for title in COLUMNS:
            table.add_column(title, justify="left" if title == "folder" else "right")
        for folder in FOLDERS:
            result = measure_folder(corpus, folder)
            table.add_row(folder, *_cells(result))
            everything += result
        table.add_row("both", *_cells(everything))
        console.print(table)
    table = Table(title="each tool left out of the catalog: its names understood all the same")
    for title in ("tool", "names", "understood", "wrong"):
        table.add_column(title, justify="left" if title == "tool" else "right")
    left_out = measure_left_out()
    total = sum(left_out.values(), Measure())
    for tool, result in [*sorted(left_out.items()), ("all", total)]:
        table.add_row(
            tool,
            str(result.names["meaningful"]),
            f"{result.share('understood', 'meaningful'):.0%}",
            f"{result.names['other wrong']}  {result.share('other wrong', 'meaningful'):.1%}",
        )
    console.print(table)
    if verbose:
        for one in sorted(everything.mistakes + total.mistakes, key=lambda m: (m.kind, m.log)):
            how = f" ({one.how})" if one.how else ""
            told = f"{one.kind}: {one.log} {one.name!r}: is {one.wanted}, read as {one.got}{how}"
            console.print(escape(told), highlight=False, soft_wrap=True)


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "-v"]
    report(Path(words[0]) if words else CORPUS, verbose="-v" in sys.argv)


if __name__ == "__main__":
    main()
