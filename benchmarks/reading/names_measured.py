"""How well the names of real logs are understood, held against labels made by hand.

python -m benchmarks.reading.names_measured [-v] [CORPUS]      -v lists every mistake

Without a corpus (by default ../shared/corpus beside the project) only the last table appears: each tool
left out of the catalog in turn, and how many of its names are understood all the same.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.reading import names_left_out
from benchmarks.reading.labelled_names import FOLDERS, Labels, read_labels
from benchmarks.reading.name_verdicts import Measure, Mistake, measure_names
from runvitals.catalog.definitions.algorithms import match_level
from runvitals.model import ReadError, Run
from runvitals.readers.open import open_runs

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"


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
    everything += _report_left_out(console, corpus)
    if verbose:
        for one in sorted(everything.mistakes, key=lambda m: (m.kind, m.log)):
            how = f" ({one.how})" if one.how else ""
            told = f"{one.kind}: {one.log} {one.name!r}: is {one.wanted}, read as {one.got}{how}"
            console.print(escape(told), highlight=False, soft_wrap=True)


def _report_left_out(console: Console, corpus: Path) -> Measure:
    """One table for both kinds; gives what was misread."""
    listed = names_left_out.listed()
    logged = names_left_out.logged(corpus) if corpus.is_dir() else {}
    table = Table(title="each tool left out of the catalog: its names understood all the same")
    table.add_column("tool")
    for title in (
        "names listed",
        "understood",
        "exactly",
        "wrong",
        "logged",
        "understood",
        "wrong",
    ):
        table.add_column(title, justify="right")
    totals = [("all", sum(listed.values(), Measure()), sum(logged.values(), Measure()))]
    each = [(tool, listed[tool], logged.get(tool, Measure())) for tool in sorted(listed)]
    for tool, names, logs in each + totals:
        cells = [
            str(names.names["meaningful"]),
            f"{names.share('understood', 'meaningful'):.0%}",
            f"{names.share('exactly', 'meaningful'):.0%}",
            f"{names.names['other wrong']}  {names.share('other wrong', 'meaningful'):.1%}",
        ]
        if logs.names["names"]:
            wrong = logs.names["wrong"]
            cells += [
                str(logs.names["meaningful"]),
                f"{logs.share('understood', 'meaningful'):.0%}",
                f"{wrong}  {logs.share('wrong', 'names'):.1%}",
            ]
        table.add_row(tool, *cells)
    console.print(table)
    [(_, names, logs)] = totals
    missed = [m for m in logs.mistakes if not m.kind.endswith("missed")]
    told = [replace(m, kind=f"{m.kind}, its tool left out") for m in missed]
    return Measure(mistakes=[*names.mistakes, *told])


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "-v"]
    report(Path(words[0]) if words else CORPUS, verbose="-v" in sys.argv)


if __name__ == "__main__":
    main()
