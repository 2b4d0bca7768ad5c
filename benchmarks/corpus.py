"""Every log of a corpus of real ones: does it open, and what is understood of it.

python -m benchmarks.corpus [-v] [FOLDER...]   by default public, public2, public3 in ../shared/corpus

A folder holds `index.json`, a list with `dir`, `framework`, `algorithm` and, if somebody noted it,
`outcome_series`, and a folder for each log. Names are held against labels made by hand, where there are
any (`reading/labelled_names.py`). -v lists each log of which something is missing or wrong.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.reading.labelled_names import Labels, read_labels
from benchmarks.reading.name_verdicts import Measure, measure_names
from benchmarks.reading.names_measured import CORPUS
from runvitals import catalog
from runvitals.catalog.definitions.algorithms import match_level, named_in
from runvitals.model import ReadError, Run
from runvitals.readers.joining.combine import tools_differ
from runvitals.readers.joining.join import longest_of
from runvitals.readers.open import nothing_found, open_runs
from runvitals.rules.patient import Patient

FOLDERS = tuple(CORPUS / name for name in ("public", "public2", "public3"))
OWN_LOOPS = ("custom", "-like", "-style")  # in what the index says of the tool


def measure(folder: Path, labels: dict[str, Labels], told: list[str]) -> Counter[str]:
    """Counts of one folder; what is missing or wrong is told, a line each."""
    counts: Counter[str] = Counter()
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    for entry in index:
        log = f"{folder.name}/{entry['dir']}"
        if not (folder / entry["dir"]).is_dir():
            continue
        problems: list[ReadError] = []
        start = time.process_time()
        runs = open_runs(folder / entry["dir"], problems=problems)
        counts["milliseconds"] += round(1000 * (time.process_time() - start))
        counts["logs"] += 1
        counts["open"] += bool(runs)
        if not runs:
            why = (problems or [nothing_found(folder / entry["dir"])])[0].problem
            told.append(f"not opened: {log} ({entry.get('label', '')}): {why}")
            continue
        run = longest_of(runs)
        _tool(run, entry, counts, log, told)
        _algorithm(run, entry, counts, log, told)
        _outcome(runs, entry, counts, log, told)
        _names(runs, labels.get(log), counts, log, told)
    return counts


def _tool(run: Run, entry: dict[str, Any], counts: Counter[str], log: str, told: list[str]) -> None:
    said = str(entry.get("framework") or "")
    known = None if any(word in said for word in OWN_LOOPS) else catalog.find_framework(said)
    if known is None:
        return
    counts["known tool"] += 1
    counts["tool"] += run.framework is not None and not tools_differ(known, run.framework)
    if tools_differ(known, run.framework):
        counts["wrong"] += 1
        told.append(f"tool: {log} is of {known}, read as {run.framework}")


def _algorithm(
    run: Run, entry: dict[str, Any], counts: Counter[str], log: str, told: list[str]
) -> None:
    known = named_in(str(entry.get("algorithm") or ""))
    if not known:
        return
    right = run.algorithm is not None and any(match_level(one, run.algorithm) for one in known)
    counts["known algorithm"] += 1
    counts["algorithm"] += right
    if run.algorithm is not None and not right:
        counts["wrong"] += 1
        told.append(f"algorithm: {log} is {' or '.join(sorted(known))}, read as {run.algorithm}")


def _outcome(
    runs: list[Run], entry: dict[str, Any], counts: Counter[str], log: str, told: list[str]
) -> None:
    found = [one.series.name for run in runs if (one := Patient(run).outcome) is not None]
    counts["outcome"] += bool(found)
    if not found:
        names = ", ".join(longest_of(runs).names()[:8])
        told.append(f"no outcome: {log} ({entry.get('label', '')}): {names}")


def _names(
    runs: list[Run], labels: Labels | None, counts: Counter[str], log: str, told: list[str]
) -> None:
    named = [(name, run.bindings.get(name)) for run in runs for name in run.names()]
    counts["names"] += len(named)
    counts["bound"] += sum(binding is not None for _, binding in named)
    if labels is None:
        return
    result = Measure()
    measure_names(labels, named, result)
    for key in ("meaningful", "understood", "outcome wrong", "other wrong"):
        counts[key] += result.names[key]
    counts["wrong"] += result.names["outcome wrong"] + result.names["other wrong"]
    told += [
        f"{m.kind}: {log} {m.name!r}: is {m.wanted}, read as {m.got}"
        for m in result.mistakes
        if m.kind.endswith("wrong")
    ]


def _cells(counts: Counter[str]) -> list[str]:
    def share(part: str, whole: str) -> str:
        return f"{counts[part]} of {counts[whole]}  {counts[part] / (counts[whole] or 1):.1%}"

    return [
        share("open", "logs"),
        share("tool", "known tool"),
        share("algorithm", "known algorithm"),
        share("outcome", "open"),
        share("bound", "names"),
        share("understood", "meaningful") if counts["meaningful"] else "-",
        f"{counts['wrong']} ({counts['outcome wrong']})",
        f"{counts['milliseconds'] / 1000:.1f} s",
    ]


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "-v"]
    folders = [Path(word) for word in words] or [one for one in FOLDERS if one.is_dir()]
    if not folders:
        print(f"no corpus at {CORPUS}")
        return
    table = Table(title="logs of a corpus: opened, and what is understood of those")
    titles = ("folder", "open", "tool", "algorithm", "outcome bound", "names bound", "by labels")
    for title in (*titles, "wrong (outcomes)", "CPU"):
        table.add_column(title, justify="left" if title == "folder" else "right")
    labels, told, total = read_labels(), list[str](), Counter[str]()
    for folder in folders:
        counts = measure(folder, labels, told)
        table.add_row(folder.name, *_cells(counts))
        total += counts
    table.add_row("all", *_cells(total))
    console = Console(width=170)
    console.print(table)
    if "-v" in sys.argv:
        for line in told:
            console.print(line, highlight=False, markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
