"""Open and judge many logs on all cores, and hold the runs of one folder against each other."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
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
from runvitals.fleet.facts import RunFacts, facts_of
from runvitals.model import (
    Diagnosis,
    OutcomeCurve,
    ReadError,
    Run,
    RunvitalsError,
    Series,
    SiblingCurves,
)
from runvitals.readers.discovery.discover import discover
from runvitals.readers.discovery.files import Found
from runvitals.readers.follow import opened
from runvitals.readers.isolation import one_run
from runvitals.readers.open import existing, from_stdin, nothing_found
from runvitals.render.judged import Evidence, Judged, judged
from runvitals.rules.outcome.roles import LOWER_IS_BETTER
from runvitals.rules.registry import rules

MANY = 2_000  # kept judgements whose reading is worth processes of their own
CHUNK = 250  # of these, at once
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
    """Every run that was looked at, each with its line for tables, and what could not be read."""

    judged: list[Judged] = field(default_factory=list)
    facts: list[RunFacts] = field(default_factory=list)
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
    stamp = _stamp(job) if keep_few or len(places) > FEW else None
    kept = _kept(stamp, places, workers)
    fleet.known = sum(one is not None for one in kept)
    new = [place for place, known in zip(places, kept, strict=True) if known is None]
    made = iter(
        spread(partial(_try, job, stamp), new, workers=workers, progress="judging" * progress)
    )
    for known in kept:
        runs, problems = next(made) if known is None else (known, [])
        fleet.problems += problems
        fleet.judged += [one for one, _ in runs]
        fleet.facts += [facts for _, facts in runs]
    if len(fleet.facts) > ENOUGH:
        fleet.judged = held_against_siblings(fleet.judged, fleet.facts, job.settings.choice)
    if stamp is not None and new:
        from runvitals.fleet.cache import user_cache

        user_cache().prune()
    return fleet


def _places(job: Job, log: Path, problems: list[str]) -> list[Found | None]:
    if not job.keep or not os.path.isdir(log):
        return places_of(log, problems)
    from runvitals.fleet.cache import user_cache

    with user_cache().remembering(log):
        return places_of(log, problems)


def _kept(
    stamp: str | None, places: Sequence[Found | None], workers: int | None
) -> list[Known | None]:
    """What is known of each place. A few runs are judged sooner than that is looked up."""
    if stamp is None:
        return [None] * len(places)
    look = partial(_known_ones, stamp)
    if len(places) < MANY:
        return look(places)
    parts = [places[first : first + CHUNK] for first in range(0, len(places), CHUNK)]
    return [one for part in spread(look, parts, workers=workers) for one in part]


def _known_ones(stamp: str, places: Sequence[Found | None]) -> list[Known | None]:
    from runvitals.fleet.cache import user_cache
    from runvitals.fleet.fingerprint import Folders, strict_fingerprint
    from runvitals.fleet.judgement_cache import load

    cache, folders = user_cache(), Folders()
    return [
        None if place is None else load(cache, place, stamp, strict_fingerprint(place, folders))
        for place in places
    ]


def _stamp(job: Job) -> str | None:
    if not job.keep:
        return None
    from runvitals.fleet.fingerprint import settings_stamp

    return settings_stamp(job.settings)


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


Known = list[tuple[Judged, RunFacts]]
Result = tuple[Known, list[str]]


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
        count, mp_context=_processes(), initializer=_begin, initargs=(dict(os.environ),)
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


def _try(job: Job, stamp: str | None, place: Found | None) -> Result:
    try:
        with one_run(Path("-") if place is None else place.path):
            return judge_one(job, place, stamp), []
    except RunvitalsError as error:
        return [], [str(error)]


def judge_one(job: Job, place: Found | None, stamp: str | None = None) -> Known:
    """Open one place, which mostly holds one run, and judge it; keep that under a settings' stamp."""
    reading = job.settings.reading
    if place is None:
        return [_judged(from_stdin(reading), job.settings)]
    if stamp is None:
        return [_judged(run, job.settings) for run in opened(place, reading)]
    from runvitals.fleet.cache import user_cache
    from runvitals.fleet.fingerprint import strict_fingerprint
    from runvitals.fleet.judgement_cache import save

    files = strict_fingerprint(place)  # before reading: what comes meanwhile makes it another one
    known = [_judged(run, job.settings) for run in opened(place, reading)]
    save(user_cache(), place, stamp, files, known)
    return known


def _judged(run: Run, settings: Settings) -> tuple[Judged, RunFacts]:
    found = judge(run, settings)
    return judged(run, found, shown_path(run)), facts_of(run, found)


def shown_path(run: Run) -> str:
    """Where a run lies, as the user said it; its name where that would only be a dot."""
    if run.path is None:
        return "-"
    return run.name if run.path == Path() else str(run.path)


def held_against_siblings(
    judged: Sequence[Judged], facts: Sequence[RunFacts], choice: Choice
) -> list[Judged]:
    """The same judgements, with what the rules about siblings say of runs that have enough of them."""
    if not any(choice.wants(one) for one in rules().values() if one.code.startswith(FAMILY)):
        return list(judged)
    described = [
        Described(str(i), one.name, (one.project, one.framework, one.algorithm), one.settings)
        for i, one in enumerate(facts)
    ]
    groups = alike_siblings(described)
    return [
        one if (mine := groups.get(str(i))) is None else _held(one, i, facts, mine, choice)
        for i, one in enumerate(judged)
    ]


def _held(
    judged: Judged, place: int, facts: Sequence[RunFacts], group: Siblings, choice: Choice
) -> Judged:
    own = facts[place]
    others = [facts[int(id)] for id in group.runs if facts[int(id)].outcome == own.outcome]
    curves = [curve for one in others if (curve := _curve(one)) is not None]
    mine = _curve(own)
    if mine is None or own.outcome is None:
        return judged
    metric = _metric(judged)
    told = SiblingCurves(
        own.outcome, metric in LOWER_IS_BETTER, mine, tuple(curves), group.told(own.settings)
    )
    said = judged_by_siblings(told, choice, own.framework)
    evidence = {**judged.evidence}
    if said.findings and own.outcome not in evidence:
        steps = mine.steps.astype(np.int64)
        series = Series(own.outcome, steps, mine.values, np.full(len(steps), np.nan), metric)
        evidence[own.outcome] = Evidence(series, metric, own.framework)
    return replace(judged, diagnosis=_joined(judged.diagnosis, said), evidence=evidence)


def _joined(before: Diagnosis, said: Diagnosis) -> Diagnosis:
    not_checked = [one for one in before.not_checked if not one.code.startswith(FAMILY)]
    return replace(
        before,
        findings=(*before.findings, *said.findings),
        not_checked=(*not_checked, *said.not_checked),
        clear=(*before.clear, *said.clear),
    )


def _curve(run: RunFacts) -> OutcomeCurve | None:
    values = np.array(run.curve, np.float64)
    if run.curve_steps is None or len(values) < 2 or not np.isfinite(values).all():
        return None
    return OutcomeCurve(np.linspace(*run.curve_steps, len(values)), values)


def _metric(judged: Judged) -> str | None:
    name = judged.diagnosis.verdict.outcome
    return next((v.metric for v in judged.vitals if v.name == name), None)
