"""What the rules said about a run, as the records that its pages show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import BaseModel

from runvitals.model import Diagnosis, Run
from runvitals.render.json_ import as_json
from runvitals.render.judged import judged
from runvitals.view.places import Place, Stamp
from runvitals.view.run.row import alarms_of, row_of
from runvitals.view.schemas import (
    FindingCard,
    RunRow,
    Severity,
    SkippedRule,
    VerdictCard,
    VerdictWord,
    Words,
)

MAX_NAMES = 20  # that were not understood; `runvitals names` has them all


class Judgement(BaseModel):
    """What the doctor says about one run, as plain data."""

    verdict: VerdictCard
    findings: list[FindingCard]
    not_checked: list[SkippedRule]
    clear: list[str]
    problems: list[Words]
    nothing_to_judge: Words | None
    not_understood: list[Words] = []
    settings_file: Words | None = None


@dataclass(frozen=True)
class BriefFinding:
    """A finding as far as pages about many runs speak of it; `first` is its first step."""

    code: str
    name: str
    severity: Severity
    message: str
    first: int
    about_log: bool


def brief_findings(judgement: str) -> list[BriefFinding]:
    """Findings of a judgement that was written as JSON, each before its consequences.

    A thousand runs are compared in the time that checking the whole of each would take for fifty.
    """
    return list(_brief(orjson.loads(judgement)["findings"]))


def _brief(findings: Sequence[dict[str, Any]]) -> Iterator[BriefFinding]:
    for one in findings:
        yield BriefFinding(
            code=one["code"],
            name=one["name"],
            severity=one["severity"],
            message=one["message"],
            first=one["span"]["first"],
            about_log=one["about_log"],
        )
        yield from _brief(one["follows"])


@dataclass(frozen=True)
class JudgedRun:
    """The line of a run in the list, and what was said about it."""

    row: RunRow
    judgement: Judgement


def judged_run(run: Run, diagnosis: Diagnosis, place: Place, index: int, stamp: Stamp) -> JudgedRun:
    """What pages show of a run that was judged."""
    one = judged(run, diagnosis, place.shown)
    told = as_json([one])["runs"][0]
    verdict = VerdictCard(**told["verdict"])
    row = row_of(run, place, index, stamp, diagnosis.verdict.outcome, verdict.levels)
    row.verdict = VerdictWord(word=diagnosis.verdict.word, reason=diagnosis.verdict.reason)
    row.alarms = alarms_of(diagnosis.findings)
    judgement = Judgement(
        verdict=verdict,
        findings=[*told["findings"], *told["telemetry"]],
        not_checked=told["not_checked"],
        clear=told["clear"],
        problems=told["problems"],
        nothing_to_judge=told["nothing_to_judge"],
        not_understood=told["names"]["not_understood"][:MAX_NAMES],
        settings_file=told["settings_file"],
    )
    return JudgedRun(row, judgement)
