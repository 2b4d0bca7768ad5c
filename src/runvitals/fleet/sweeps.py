"""Sweeps among many judged runs: runs of one project and algorithm that differ in some settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runvitals.comparison.sweep import (
    MIN_RUNS,
    Sweep,
    Trial,
    direction,
    shared_outcome,
    sweep_of,
)
from runvitals.fleet.facts import RunFacts


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
