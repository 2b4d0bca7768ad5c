"""Judged runs as lines of a table: what questions about a fleet, and sweeps in it, are asked of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from runvitals.comparison.sweep import MIN_RUNS, Sweep, Trial, direction, shared_outcome, sweep_of
from runvitals.model import Diagnosis, Run
from runvitals.view.points.buckets import means

MAX_SETTINGS = 500  # of one run; more are data and not settings
_MAX_TEXT = 300  # characters of one of them

# `int` has its own place: pydantic warns where a whole number is kept as a float
Setting = str | int | float | bool | None


@dataclass(frozen=True)
class RunFacts:
    """One judged run. `rules` are the codes of its alarms, the one that heads the story first."""

    id: str
    name: str
    project: str
    path: str
    status: str
    framework: str | None = None
    algorithm: str | None = None
    started: float | None = None
    ended: float | None = None
    last_step: int | None = None
    verdict: str = ""
    reason: str = ""
    outcome: str | None = None
    start: float | None = None
    best: float | None = None
    now: float | None = None
    rules: tuple[str, ...] = ()
    message: str = ""  # of the first of them
    partial: bool = False
    settings: Mapping[str, Setting] = field(default_factory=dict)
    curve: tuple[float | None, ...] = ()  # the outcome as a few means over equal parts of its steps
    curve_steps: tuple[int, int] | None = None  # the first and the last of them

    def setting(self, key: str) -> Setting:
        """A setting by the catalog's name or as the run wrote it."""
        return self.settings.get(key)


def facts_of(run: Run, found: Diagnosis) -> RunFacts:
    """The line of a run that was judged."""
    verdict, alarms = found.verdict, found.alarms
    levels = verdict.levels
    outcome = None if verdict.outcome is None else run.get(verdict.outcome)
    finite = None if outcome is None else outcome.finite()
    span = None if finite is None or not len(finite) else finite.span()
    return RunFacts(
        id=run.id,
        name=run.name or run.id,
        project=run.project,
        path="" if run.path is None else str(run.path),
        status=run.status,
        framework=run.framework,
        algorithm=run.algorithm,
        started=run.started,
        ended=run.ended,
        last_step=run.last_step,
        verdict=verdict.word,
        reason=verdict.reason,
        outcome=verdict.outcome,
        start=None if levels is None else levels.start,
        best=None if levels is None else levels.best,
        now=None if levels is None else levels.now,
        rules=tuple(dict.fromkeys(finding.code for finding in alarms)),
        message=alarms[0].message if alarms else "",
        partial=bool(run.missing),
        settings=settings_of(run),
        curve=() if finite is None else tuple(means(finite)),
        curve_steps=None if span is None else (span.first, span.last),
    )


def settings_of(run: Run) -> dict[str, Setting]:
    """What the run was configured with: flat, by its own names and by the catalog's."""
    flat: dict[str, Setting] = {}
    for source in (run.settings, run.config):
        for key, value in _flat(source):
            if len(flat) >= MAX_SETTINGS:
                return flat
            flat.setdefault(key, value)
    return flat


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Setting]]:
    found: list[tuple[str, Setting]] = []
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            found += _flat(value, f"{name}.")
        elif isinstance(value, bool | int | float) or value is None:
            found.append((name, value))
        else:
            from runvitals.model.secrets import redacted  # its patterns take long to compile

            found.append((name, str(redacted(value, name))[:_MAX_TEXT]))
    return found


@dataclass(frozen=True)
class Swept:
    """A judged run, and where each of its outcomes ended; the most trustworthy comes first.

    `rules` are the codes of all its alarms, with those that follow from others.
    """

    facts: RunFacts
    rules: tuple[str, ...]
    ends: Mapping[str, float | None]


def sweeps_of(runs: Sequence[Swept], metric: str | None = None) -> list[tuple[str, Sweep]]:
    """Each sweep with the name of its project, the largest first.

    Its runs are compared by `metric`, or by the outcome that most of them have.
    """
    groups: dict[tuple[str, str | None, str | None], list[Swept]] = {}
    for run in runs:
        facts = run.facts
        groups.setdefault((facts.project, facts.framework, facts.algorithm), []).append(run)
    found = []
    for (project, _, _), mine in groups.items():
        if len(mine) < MIN_RUNS:
            continue
        name = metric or shared_outcome([list(run.ends) for run in mine])
        made = sweep_of([_trial(run, name) for run in mine], name, direction(name))
        if made.settings:
            found.append((project, made))
    return sorted(found, key=lambda one: -len(one[1].trials))


def _trial(run: Swept, metric: str) -> Trial:
    facts = run.facts
    return Trial(
        id=facts.path or facts.id,
        name=facts.name,
        settings=facts.settings,
        verdict=facts.verdict,
        rules=run.rules,
        outcome=run.ends.get(metric),
    )
