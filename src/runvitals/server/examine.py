"""Reads and judges the runs of a place. Sent to other processes, so that the server stays quick."""

from __future__ import annotations

import time
from functools import cache

from pydantic import BaseModel

from runvitals.diagnosis.judge import Settings, judge, settings_for
from runvitals.model import Diagnosis, ReadError, Run
from runvitals.readers.live import opened
from runvitals.readers.options import ReadOptions
from runvitals.readers.settings_file import SettingsFile
from runvitals.render.json_ import as_json
from runvitals.render.judged import judged
from runvitals.server.outside import stay_inside
from runvitals.server.places import Place, Stamp
from runvitals.server.rows import alarms_of, failed_row, row_of
from runvitals.server.schemas import Finding, NotChecked, RunRow, Verdict, VerdictWord, Words

MOST_NAMES = 20  # that were not understood; `runvitals names` has them all


class Judgement(BaseModel):
    """What the doctor says about one run, as plain data."""

    verdict: Verdict
    findings: list[Finding]
    not_checked: list[NotChecked]
    clear: list[str]
    problems: list[Words]
    nothing_to_judge: Words | None
    not_understood: list[Words] = []
    settings_file: Words | None = None


class Examined(BaseModel):
    """One run that was read, and judged if it could be. The judgement is kept as JSON: it is long."""

    row: RunRow
    written: str | None = None

    @property
    def judgement(self) -> Judgement | None:
        """What the doctor says; None if nothing was said yet."""
        return None if self.written is None else Judgement.model_validate_json(self.written)


class Examination(BaseModel):
    """All runs of a place as they were when its files had this stamp."""

    stamp: Stamp
    runs: list[Examined]
    seconds: float


def open_place(place: Place, options: ReadOptions) -> list[Run]:
    """The runs of a place; raises `ReadError`."""
    stay_inside(place)
    try:
        return opened(place.found, options)
    except OSError as error:
        raise ReadError(place.path, error.strerror or str(error)) from error


def examine(place: Place, file: SettingsFile | None = None) -> Examination:
    """Read and judge all runs of a place, by the settings in a file.

    What cannot be read is a row that says so.
    """
    began = time.monotonic()
    stamp = place.stamp()
    settings = _settings(file)
    try:
        runs = [
            examined(run, judge(run, settings), place, i, stamp)
            for i, run in enumerate(open_place(place, settings.reading))
        ]
    except ReadError as error:
        runs = [Examined(row=failed_row(place, error, stamp))]
    return Examination(stamp=stamp, runs=runs, seconds=time.monotonic() - began)


def examined(run: Run, diagnosis: Diagnosis, place: Place, index: int, stamp: Stamp) -> Examined:
    """What is to be kept of a run that was judged."""
    one = judged(run, diagnosis, place.shown)
    told = as_json([one])["runs"][0]
    verdict = Verdict(**told["verdict"])
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
        not_understood=told["names"]["not_understood"][:MOST_NAMES],
        settings_file=told["settings_file"],
    )
    return Examined(row=row, written=judgement.model_dump_json())


@cache  # once in each process
def _settings(file: SettingsFile | None) -> Settings:
    return Settings(plugins=True) if file is None else settings_for(file)
