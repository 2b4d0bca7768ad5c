"""Open and judge many logs on all cores, and hold the runs of one folder against each other."""

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import TypeVar

import numpy as np

from runvitals.comparison.siblings import (
    ENOUGH,
    FAMILY,
    Described,
    Siblings,
    alike_siblings,
    judged_by_siblings,
)
from runvitals.diagnosis.engine import Choice
from runvitals.diagnosis.judge import Settings, judge
from runvitals.fleet.cache import user_cache
from runvitals.fleet.fingerprint import Folders, settings_stamp, strict_fingerprint
from runvitals.model import OutcomeCurve, ReadError, Run, RunvitalsError, Series, SiblingCurves
from runvitals.readers.discovery.discover import discover
from runvitals.readers.discovery.files import Found
from runvitals.readers.follow import opened
from runvitals.readers.log import one_run
from runvitals.readers.open import existing, from_stdin, nothing_found
from runvitals.render.judged import Evidence, Judged, RunFacts, judged, shown_path
from runvitals.rules.outcome.roles import LOWER_IS_BETTER
from runvitals.rules.registry import rules

FEW = 4  # runs that are not worth a process of their own
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Job:
    """What to judge, and how. `keep`: what is judged is kept, and what is kept is not judged again."""

    logs: tuple[Path, ...]
    settings: Settings
    keep: bool = True


@dataclass
class Fleet:
    """Every run that was looked at, and what could not be read."""

    judged: list[Judged] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    known: int = 0  # places whose judgement was kept from an earlier time


def judge_all(
    job: Job, *, workers: int | None = None, progress: bool = False
) -> tuple[list[Judged], list[str]]:
    """Every run below the given paths, in their order, and what could not be read."""
    fleet = judge_fleet(job, workers=workers, progress=progress)
    return fleet.judged, fleet.problems


def judge_fleet(
    job: Job, *, workers: int | None = None, progress: bool = False, keep_few: bool = False
) -> Fleet:
    """The same, with what questions about all runs need. `keep_few`: judgements of few runs, too."""
    fleet = Fleet()
    places: list[Found | None] = []  # None: standard input
    for log in job.logs:
        try:
            places += _places(job, log, fleet.problems)
        except RunvitalsError as error:
            fleet.problems.append(str(error))
    stamp = settings_stamp(job.settings) if job.keep and (keep_few or len(places) > FEW) else None
    # a few are judged sooner than looked up
    kept = [""] * len(places) if stamp is None else _known_ones(stamp, places)
    new = [one for one in zip(places, kept, strict=True) if isinstance(one[1], str)]
    fleet.known = len(kept) - len(new)
    made = iter(
        spread(partial(_try, job, stamp), new, workers=workers, progress="judging" * progress)
    )
    for known in kept:
        runs, problems = next(made) if isinstance(known, str) else (known, [])
        fleet.problems += problems
        fleet.judged += runs
    if len(fleet.judged) > ENOUGH:
        fleet.judged = held_against_siblings(fleet.judged, job.settings.choice)
    if stamp is not None and new:
        user_cache().prune()
    return fleet


def _places(job: Job, log: Path, problems: list[str]) -> list[Found | None]:
    if not job.keep or not os.path.isdir(log):
        return places_of(log, problems)

    with user_cache().remembering(log):
        return places_of(log, problems)


def _known_ones(stamp: str, places: Sequence[Found | None]) -> list[list[Judged] | str]:
    """What is known of each place, or its fingerprint."""
    from runvitals.fleet.kept import load_judged

    cache, folders = user_cache(), Folders()
    files = ["" if place is None else strict_fingerprint(place, folders) for place in places]
    return [
        one if place is None or (known := load_judged(cache, place, stamp, one)) is None else known
        for place, one in zip(places, files, strict=True)
    ]


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
    made: list[R] = []
    pool = ProcessPoolExecutor(
        count, mp_context=_processes(), initializer=_begin, initargs=(dict(os.environ),)
    )
    try:
        with bar:
            shown = bar.add_task(progress, total=len(items))
            together = min(20, 1 + len(items) // (32 * count))  # sent at once
            for one in pool.map(work, items, chunksize=together):
                made.append(one)
                bar.advance(shown)
    finally:
        pool.shutdown(cancel_futures=True)  # after Ctrl-C only what has begun is finished
    return made


def of_each_run(
    make: Callable[[Run], T],
    settings: Settings,
    places: Sequence[Found],
    *,
    workers: int | None = None,
    progress: str = "",
) -> list[list[T] | str]:
    """What is made of the runs of each place, or why they cannot be read."""
    work = partial(_made_of_runs, make, settings)
    return spread(work, places, workers=workers, progress=progress)


def _made_of_runs(make: Callable[[Run], T], settings: Settings, place: Found) -> list[T] | str:
    try:
        with one_run(place.path):
            return [make(run) for run in opened(place, settings.reading)]
    except ReadError as error:
        return str(error)


def _processes() -> BaseContext:
    """Processes that start alike; where forks are to be had, our modules are imported once for all.

    This process itself is not forked: clients of buckets have threads that a fork would wait for.
    """
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(["__main__", __name__])
    return context


def _begin(environment: dict[str, str]) -> None:
    """Take over the environment as it is now, and leave Ctrl-C to the parent."""
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _try(job: Job, stamp: str | None, item: tuple[Found | None, str]) -> Result:
    place, files = item
    try:
        with one_run(Path("-") if place is None else place.path):
            return judge_one(job, place, stamp, files), []
    except RunvitalsError as error:
        return [], [str(error)]


def judge_one(
    job: Job, place: Found | None, stamp: str | None = None, files: str = ""
) -> list[Judged]:
    """Open one place, which mostly holds one run, and judge it; keep that under a settings' stamp.

    `files`: its fingerprint from before: what came meanwhile makes it another one.
    """
    reading = job.settings.reading
    if place is None:
        return [_judged(from_stdin(reading), job.settings)]
    if stamp is None:
        return [_judged(run, job.settings) for run in opened(place, reading)]
    from runvitals.fleet.kept import save
    from runvitals.view.run.kept import kept_run

    known = [(run, _judged(run, job.settings)) for run in opened(place, reading)]
    # a rule that took too long or failed may do better the next time
    if not any(one.diagnosis.problems for _, one in known):
        kept = [kept_run(run, one.diagnosis, one) for run, one in known]
        save(user_cache(), place, stamp, files, kept)
    return [one for _, one in known]


def _judged(run: Run, settings: Settings) -> Judged:
    return judged(run, judge(run, settings), shown_path(run))


def held_against_siblings(judged: Sequence[Judged], choice: Choice) -> list[Judged]:
    """The same judgements, with what the rules about siblings say of runs that have enough of them."""
    if not any(choice.wants(one) for one in rules().values() if one.code.startswith(FAMILY)):
        return list(judged)
    runs = [one.run for one in judged]
    described = [
        Described(str(i), one.name, (one.project, one.framework, one.algorithm), one.settings)
        for i, one in enumerate(runs)
    ]
    groups = alike_siblings(described)
    return [
        one if (mine := groups.get(str(i))) is None else _held(one, runs, mine, choice)
        for i, one in enumerate(judged)
    ]


def _held(one: Judged, runs: Sequence[RunFacts], group: Siblings, choice: Choice) -> Judged:
    own = one.run
    others = [runs[int(id)] for id in group.runs if runs[int(id)].outcome == own.outcome]
    curves = [curve for one in others if (curve := _curve(one)) is not None]
    mine = _curve(own)
    if mine is None or own.outcome is None:
        return one
    metric = _metric(one)
    told = SiblingCurves(
        own.outcome, metric in LOWER_IS_BETTER, mine, tuple(curves), group.told(own.settings)
    )
    said = judged_by_siblings(told, choice, own.framework, metric)
    evidence = {**one.evidence}
    if said.findings and own.outcome not in evidence:
        steps = mine.steps.astype(np.int64)
        series = Series(own.outcome, steps, mine.values, np.full(len(steps), np.nan), metric)
        evidence[own.outcome] = Evidence(series, own.framework)
    return replace(one.held_against(said), evidence=evidence)


def _curve(run: RunFacts) -> OutcomeCurve | None:
    values = np.array(run.curve, np.float64)
    if run.curve_steps is None or len(values) < 2 or not np.isfinite(values).all():
        return None
    return OutcomeCurve(np.linspace(*run.curve_steps, len(values)), values)


def _metric(one: Judged) -> str | None:
    return next((vital.metric for vital in one.vitals if vital.name == one.run.outcome), None)
