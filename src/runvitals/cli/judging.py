"""Open and judge many logs, on all cores."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from runvitals.diagnosis.judge import Settings, judge
from runvitals.model import ReadError, Run, RunvitalsError
from runvitals.readers.discover import discover
from runvitals.readers.files import Found
from runvitals.readers.follow import opened
from runvitals.readers.open import existing, from_stdin, nothing_found
from runvitals.render.judged import Judged, judged

FEW = 4  # runs that are not worth a process of their own
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Job:
    """What to judge, and how."""

    logs: tuple[Path, ...]
    settings: Settings


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
    reading = job.settings.reading
    runs = [from_stdin(reading)] if place is None else opened(place, reading)
    return [judged(run, judge(run, job.settings), shown_path(run)) for run in runs]


def shown_path(run: Run) -> str:
    """Where a run lies, as the user said it; its name where that would only be a dot."""
    if run.path is None:
        return "-"
    return run.name if run.path == Path() else str(run.path)
