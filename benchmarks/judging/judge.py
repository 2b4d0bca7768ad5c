"""How well the rules judge runs whose truth is known.

    python -m benchmarks.judging.judge                     all labelled runs that are there
    python -m benchmarks.judging.judge --only made public2 --fast      how some of them are called
    python -m benchmarks.judging.judge --only lab --list   each miss and false alarm of the tuning half
    python -m benchmarks.judging.judge --fast --programs 'grpo-.*'   no since-when; some programs only
    python -m benchmarks.judging.judge --curve             what the next point of recall would cost
    python -m benchmarks.judging.judge --rivals --write    next to other tools; docs/scoreboard.md

`labels.py` says where the truth comes from, `statistics.py` what the figures are.
"""

from __future__ import annotations

import argparse
import os
import re
import time
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from benchmarks.judging.beside_rivals import baseline_table, rival_tables
from benchmarks.judging.curve import curve_tables
from benchmarks.judging.labels import HALVES, LAB, SOURCES, Labelled, labelled_runs
from benchmarks.judging.outcomes import outcome_tables, parts_table, price_table
from benchmarks.judging.report import NUMBERS, PAGE, write_numbers, write_page
from benchmarks.judging.runs import Judgement, judge_all
from benchmarks.judging.tables import Table, alarm_table, fault_table, mistake_table, table_by
from benchmarks.rivals.asking import Rival, ask_all

WIDTH = 200


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dir", type=Path, default=LAB, help="where the lab's runs are")
    parser.add_argument("--only", nargs="*", default=SOURCES, choices=SOURCES)
    parser.add_argument("--list", action="store_true", help="every miss, misnaming and false alarm")
    parser.add_argument(
        "--half", default="tune", choices=HALVES, help="which half to list; not the untouched one"
    )
    parser.add_argument(
        "--leave-held-out", action="store_true", help="do not judge that half at all"
    )
    parser.add_argument("--programs", help="a pattern; only programs whose name matches it")
    parser.add_argument("--fast", action="store_true", help="leave out since when, and leads")
    parser.add_argument(
        "--curve", action="store_true", help="judge six times, more and less eagerly"
    )
    parser.add_argument("--rivals", action="store_true", help="ask other tools, too")
    parser.add_argument(
        "--write", action="store_true", help=f"write {PAGE.name} and {NUMBERS.name}"
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    partial = options.fast or options.programs or set(options.only) != set(SOURCES)
    if options.write and (partial or options.leave_held_out):
        parser.error("--write is for the whole scoreboard: without --fast, --only and the like")
    return options


def wanted(options: argparse.Namespace) -> list[Labelled]:
    runs = [run for run in labelled_runs(options.dir) if run.source in options.only]
    if options.leave_held_out:
        runs = [run for run in runs if run.half == "tune"]
    if options.programs:
        runs = [run for run in runs if re.search(options.programs, run.program)]
    return runs


def main() -> None:
    options = parsed()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read by the workers, which are started afresh
    began = time.monotonic()
    runs = wanted(options)
    console = Console(width=WIDTH)
    parts = parts_table(runs, options.dir)
    console.print(parts.for_terminal())
    if not runs:
        console.print("no labelled runs to judge; the table says how to get some")
        return
    judged, problems = judge_with_bar(runs, options.workers, not options.fast, console)
    rivals: list[Rival] = []
    if options.rivals:
        with console.status("asking rivals"):
            rivals = ask_all(runs, workers=options.workers)
    curves: list[Table] = []
    if options.curve:
        with Progress(console=console, transient=True) as bar:
            curves = curve_tables(runs, workers=options.workers, bar=bar)
    tables = [*outcome_tables(judged), *curves, *totals(judged, rivals)]
    if options.list:
        listing(mistake_table(judged, options.half), console)
        for table in details_of([one for one in judged if one.run.half == options.half]):
            console.print(table.for_terminal())
    for table in tables:
        console.print(table.for_terminal())
    if options.write:
        minutes = (time.monotonic() - began) / 60
        details = details_of([one for one in judged if one.run.half == "tune"])
        page = [parts, *tables, *details, mistake_table(judged, "tune")]
        write_page(page, judged, not_judged=len(problems), minutes=minutes)
        write_numbers(judged, rivals)
        console.print(f"written: {PAGE}, {NUMBERS}", soft_wrap=True)


def judge_with_bar(
    runs: list[Labelled], workers: int, since_when: bool, console: Console
) -> tuple[list[Judgement], list[str]]:
    """The judgements, and what could not be judged."""
    judged: list[Judgement] = []
    problems: list[str] = []
    with Progress(console=console, transient=True) as bar:
        for found in judge_all(runs, workers=workers, since_when=since_when, bar=bar):
            if isinstance(found, str):
                problems.append(found)
                console.print(f"not judged: {found}")
            else:
                judged.append(found)
    return judged, problems


def totals(judged: list[Judgement], rivals: list[Rival]) -> list[Table]:
    """What may be looked at in both halves."""
    compared = rival_tables(judged, rivals) if rivals else []
    return [fault_table(judged), alarm_table(judged), baseline_table(judged), *compared]


def details_of(judged: list[Judgement]) -> list[Table]:
    """Where the rules are strong and weak; of one half, and not the untouched one."""
    half = " and ".join(sorted({one.run.half for one in judged}))
    return [
        price_table(judged),
        table_by(f"By trainer, half {half!r}", "trainer", judged, lambda one: one.run.trainer),
        table_by(
            f"By family of faults, half {half!r}", "family", judged, lambda one: one.run.family
        ),
    ]


def listing(table: Table, console: Console) -> None:
    """One line per row, since such tables are long."""
    for row in table.rows:
        console.print(" | ".join(row), soft_wrap=True, highlight=False)


if __name__ == "__main__":
    main()
