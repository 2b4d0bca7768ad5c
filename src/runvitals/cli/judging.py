"""Open and judge many logs, on all cores."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from runvitals.diagnosis.engine import Choice, diagnose
from runvitals.diagnosis.plugins import load_file, load_installed
from runvitals.diagnosis.settings import check_codes, find_settings, read_settings
from runvitals.model import ConfigError, ReadError, Run, RunvitalsError
from runvitals.readers.discover import discover
from runvitals.readers.files import Found
from runvitals.readers.live import opened
from runvitals.readers.open import existing, from_stdin, nothing_found, read_options
from runvitals.readers.options import parse_map
from runvitals.reports.judged import Judged, judged
from runvitals.rules.registry import Rule, rules

FEW = 4  # runs that are not worth a process of their own
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Job:
    """What to judge, and how."""

    logs: tuple[Path, ...]
    choice: Choice
    rule_files: tuple[Path, ...] = ()
    framework: str | None = None
    algorithm: str | None = None
    names: tuple[str, ...] = ()


def choice_for(
    settings: Path | None,
    select: Sequence[str],
    ignore: Sequence[str],
    rule_files: Sequence[Path],
    *,
    preview: bool,
) -> Choice:
    """What the settings file says, and over it what the command line says."""
    _load_rules(tuple(rule_files))
    known = rules()
    path = settings or find_settings(Path.cwd())
    choice = Choice() if path is None else read_settings(path, known)
    if select:
        choice = replace(choice, select=check_codes(tuple(select), "--select", known))
    if ignore:
        codes = check_codes(tuple(ignore), "--ignore", known)
        choice = replace(choice, ignore=(*choice.ignore, *codes))
    _check_consistent(choice, known, path)
    return replace(choice, preview=True) if preview else choice


def _check_consistent(choice: Choice, known: Mapping[str, Rule], path: Path | None) -> None:
    """An error if a selected code is ignored as a whole."""
    for code in choice.select:
        chosen = [r for r in known.values() if r.code.startswith(code) or r.name == code]
        if not any(choice.wants(rule) for rule in chosen):
            raise ConfigError(
                f"{code} is both selected and ignored",
                where=path,
                hint="take it out of select (--select) or out of ignore (--ignore)",
            )


@cache
def _load_rules(files: tuple[Path, ...]) -> list[str]:
    """Once in each process; gives what went wrong."""
    problems = load_installed()
    for file in files:
        load_file(file)
    return problems


def judge_all(
    job: Job, *, workers: int | None = None, progress: bool = False
) -> tuple[list[Judged], list[str]]:
    """Every run below the given paths, in their order, and what could not be read."""
    places: list[Found | None] = []  # None: standard input
    problems: list[str] = []
    for log in job.logs:
        try:
            places += places_of(log, problems)
        except RunvitalsError as error:
            problems.append(str(error))
    found = spread(partial(_try, job), places, workers=workers, progress="judging" * progress)
    for _, wrong in found:
        problems += wrong
    return [one for judged_here, _ in found for one in judged_here], problems


def places_of(log: Path, problems: list[str]) -> list[Found | None]:
    """Where runs lie below a path; None stands for standard input."""
    if str(log) == "-":
        return [None]
    unreadable: list[ReadError] = []
    found: list[Found | None] = list(discover(existing(log), unreadable))
    problems += map(str, unreadable)
    if not found and not unreadable:
        raise nothing_found(log)
    return found


Result = tuple[list[Judged], list[str]]


def spread(
    work: Callable[[T], R], items: Sequence[T], *, workers: int | None = None, progress: str = ""
) -> list[R]:
    """What `work` makes of each item, in their order; many items are spread over all cores."""
    count = min(workers or os.cpu_count() or 1, max(1, len(items)))
    if len(items) <= FEW or count == 1:
        return [work(item) for item in items]
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    bar = Progress(
        *columns,
        TimeRemainingColumn(),
        console=console,
        disable=not progress or not console.is_terminal,
        transient=True,
    )
    made: dict[int, R] = {}
    pool = ProcessPoolExecutor(
        count,
        mp_context=get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),  # Ctrl-C is for the parent to handle
    )
    try:
        with bar:
            shown = bar.add_task(progress, total=len(items))
            futures = {pool.submit(work, item): i for i, item in enumerate(items)}
            for future in as_completed(futures):
                made[futures[future]] = future.result()
                bar.advance(shown)
    finally:
        pool.shutdown(cancel_futures=True)  # after Ctrl-C only what has begun is finished
    return [made[i] for i in range(len(items))]


def _try(job: Job, place: Found | None) -> Result:
    try:
        return judge_one(job, place), []
    except RunvitalsError as error:
        return [], [str(error)]


def judge_one(job: Job, place: Found | None) -> list[Judged]:
    """Open one place, which mostly holds one run, and judge it."""
    problems = _load_rules(job.rule_files)
    options = read_options(job.framework, job.algorithm, parse_map(job.names))
    runs = [from_stdin(options)] if place is None else opened(place, options)
    result = []
    for run in runs:
        found = diagnose(run, job.choice)
        found = replace(found, problems=(*found.problems, *problems))
        result.append(judged(run, found, shown_path(run)))
    return result


def shown_path(run: Run) -> str:
    """Where a run lies, as the user said it; its name where that would only be a dot."""
    if run.path is None:
        return "-"
    return run.name if run.path == Path() else str(run.path)
