"""What the rules said about a run, as the records that its pages show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from runvitals.model import Diagnosis, Run
from runvitals.render.json_ import run_json
from runvitals.render.judged import Judged, judged
from runvitals.view.places import Place, Stamp
from runvitals.view.run.row import alarms_of, row_of
from runvitals.view.schemas.judgement import Judgement, LevelsCard, Severity, VerdictWord
from runvitals.view.schemas.run import RunRow

MAX_NAMES = 20  # that were not understood; `runvitals names` has them all


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


def judged_row(run: Run, diagnosis: Diagnosis, place: Place, index: int, stamp: Stamp) -> RunRow:
    """The line of a run that was judged."""
    verdict = diagnosis.verdict
    levels = None if verdict.levels is None else LevelsCard(**asdict(verdict.levels))
    row = row_of(run, place, index, stamp, verdict.outcome, levels)
    row.verdict = VerdictWord(word=verdict.word, reason=verdict.reason)
    row.alarms = alarms_of(diagnosis.findings)
    return row


def judgement_of(run: Run, diagnosis: Diagnosis, place: Place) -> Judgement:
    """What was said about a run, as `check --format json` says it."""
    told = run_json(judged(run, diagnosis, place.shown))
    return Judgement.model_validate(
        {
            **told,
            "findings": [*told["findings"], *told["telemetry"]],
            "not_understood": told["names"]["not_understood"][:MAX_NAMES],
        }
    )


def judged_again(said: Judgement, found: Diagnosis, metric: str | None) -> Judgement:
    """A judgement with what further rules say of one metric, who could not be asked before."""
    told = run_json(Judged(shown="", name="", diagnosis=found))
    added = Judgement.model_validate({**told, "not_understood": []})
    for finding in added.findings:
        finding.metric = metric
    found_by = {one.code for one in added.findings}
    asked = {*added.clear, *found_by, *(one.code for one in added.not_checked)}
    before = [one for one in said.not_checked if one.code not in asked]
    return said.model_copy(
        update={
            "findings": [*said.findings, *added.findings],
            "not_checked": [*before, *added.not_checked],
            "clear": [*said.clear, *added.clear],
        }
    )
