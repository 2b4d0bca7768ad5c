"""Rivals and simple judges next to the rules, on the same runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from benchmarks.judging.baselines import BASELINES
from benchmarks.judging.runs import Judgement
from benchmarks.judging.statistics import share
from benchmarks.judging.tables import Table, shown
from benchmarks.rivals.asking import Answer, Rival

LABELS = ("sick", "healthy", "benign")


def baseline_table(judged: list[Judgement]) -> Table:
    """What judges that anyone could write would have said about all runs."""
    table = Table(
        "Simple judges on the same runs",
        ("judge", "half", "detected", "healthy alarmed", "benign alarmed"),
        remark="They see the outcome that runvitals finds in the log, and nothing else.",
    )
    for half in ("tune", "held out"):
        mine = [one for one in judged if one.run.half == half]
        table.rows.append(("runvitals", half, *_alarmed(mine, lambda one: one.alarmed)))
        for name in BASELINES:
            table.rows.append((name, half, *_alarmed(mine, partial(_says, name))))
    return table


def _says(baseline: str, one: Judgement) -> bool:
    return baseline in one.baselines


def rival_table(
    title: str,
    judged: list[Judgement],
    rivals: list[Rival],
    counts: Callable[[Answer], bool],
    remark: str = "",
) -> Table:
    """Each rival on the runs that count for it, next to the rules on just those runs."""
    table = Table(
        title,
        (
            "tool",
            "for",
            "runs: sick, healthy, benign",
            "detected",
            "healthy alarmed",
            "benign alarmed",
            "runvitals there: detected",
            "healthy alarmed",
            "benign alarmed",
        ),
        remark=remark,
    )
    by_path = {one.run.path: one for one in judged}
    for rival in rivals:
        name = f"{rival.name} {rival.version}"
        if rival.absent:
            table.rows.append((name, rival.absent, *["-"] * (len(table.head) - 2)))
            continue
        answers = [one for one in rival.answers if one.run.path in by_path and counts(one)]
        ours = [by_path[one.run.path] for one in answers]
        failed = f"; failed on {rival.failed}" if rival.failed else ""
        table.rows.append(
            (
                name,
                rival.scope + failed,
                ", ".join(str(sum(a.run.label == label for a in answers)) for label in LABELS),
                *_alarmed(answers, lambda one: one.alarmed),
                *_alarmed(ours, lambda one: one.alarmed),
            )
        )
    return table


def rival_tables(judged: list[Judgement], rivals: list[Rival]) -> list[Table]:
    """Where a rival says it is at home, on the half nobody tuned on and on both; then anywhere."""
    return [
        rival_table(
            "Rivals where they are at home, untouched half",
            judged,
            rivals,
            lambda one: one.in_scope and one.run.half == "held out",
        ),
        rival_table(
            "Rivals where they are at home, both halves",
            judged,
            rivals,
            lambda one: one.in_scope,
            remark="One half of these runs is the one that the rules of runvitals were tuned on.",
        ),
        rival_table(
            "Rivals on every run that they can read, both halves",
            judged,
            rivals,
            lambda _: True,
            remark="Many of these runs are of a kind that the tool does not claim to judge.",
        ),
    ]


def _alarmed(found: Iterable[Any], alarmed: Callable[[Any], bool]) -> tuple[str, str, str]:
    found = list(found)
    sick, healthy, benign = (
        shown(share([one for one in found if one.run.label == label], alarmed)) for label in LABELS
    )
    return sick, healthy, benign
