"""Every log in a corpus of real ones: does it open, how many series, how many names are understood.

python -m benchmarks.reading.corpus [-v] [FOLDER]   the default is ../shared/corpus beside the project

After the formats come the names, held against labels made by hand (`names_measured.py`);
-v lists each that was not understood, or wrongly.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from pathlib import Path

from benchmarks.reading.labelled_names import FOLDERS
from benchmarks.reading.names_measured import CORPUS, report
from runvitals.model import ReadError
from runvitals.readers.discovery.discover import discover
from runvitals.readers.open import open_runs


def log_folders(corpus: Path) -> list[Path]:
    """Each log has a folder of its own, some one level deeper under the public ones."""
    return [
        folder
        for top in (corpus, *(corpus / name for name in FOLDERS))
        if top.is_dir()
        for folder in sorted(top.iterdir())
        if folder.is_dir() and folder.name not in FOLDERS
    ]


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "-v"]
    corpus = Path(words[0]) if words else CORPUS
    if not corpus.is_dir():
        print(f"no corpus at {corpus}")
        return
    rows: dict[str, list[tuple[int, int, int, float]]] = defaultdict(list)
    unread: list[tuple[str, str]] = []
    for folder in log_folders(corpus):
        problems: list[ReadError] = []
        start = time.perf_counter()
        runs = open_runs(folder, problems=problems)
        seconds = time.perf_counter() - start
        for problem in problems:
            unread.append((folder.name, problem.problem))
        if not runs and not problems:
            unread.append(
                (folder.name, f"nothing found ({len(list(discover(folder)))} candidates)")
            )
        for run in runs:
            known = sum(name in run.bindings for name in run.names())
            rows[run.format].append((len(run), known, run.points.count, seconds / len(runs)))
    _report(rows, unread)
    report(corpus, verbose="-v" in sys.argv)


def _report(
    rows: dict[str, list[tuple[int, int, int, float]]], unread: list[tuple[str, str]]
) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="logs read, by format")
    for title in ("format", "runs", "series", "names known", "points", "seconds"):
        table.add_column(title, justify="left" if title == "format" else "right")
    for name, found in sorted(rows.items()):
        series, known, points = (sum(row[i] for row in found) for i in range(3))
        table.add_row(
            name,
            str(len(found)),
            f"{series:,}",
            f"{100 * known / max(series, 1):.0f} %",
            f"{points:,}",
            f"{sum(row[3] for row in found):.2f}",
        )
    console = Console(width=140)
    console.print(table)
    for folder, reason in unread:
        console.print(f"not read: {folder}: {reason}", highlight=False, markup=False)


if __name__ == "__main__":
    main()
