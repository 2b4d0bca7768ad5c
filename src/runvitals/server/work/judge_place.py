"""Reads and judges the runs of a place. Sent to other processes, so that the server stays quick."""

from __future__ import annotations

import time
from functools import cache

from pydantic import BaseModel, ValidationError

from runvitals.diagnosis.judge import Settings, judge, settings_for
from runvitals.fleet.cache import RunCache, is_over
from runvitals.fleet.fingerprint import newest_change, settings_stamp
from runvitals.model import Diagnosis, ReadError, Run
from runvitals.readers.follow import opened
from runvitals.readers.isolation import one_run
from runvitals.readers.options import ReadOptions
from runvitals.readers.settings_file import SettingsFile
from runvitals.server.work.memory import give_back
from runvitals.view.places import Place, Stamp, leads_out, stay_inside
from runvitals.view.run.figures import FiguresOfRun, KeptFigures, figures_of
from runvitals.view.run.judgement import BriefFinding, brief_findings, judged_row, judgement_of
from runvitals.view.run.row import failed_row
from runvitals.view.schemas.judgement import Judgement
from runvitals.view.schemas.run import RunRow


class ReadRun(BaseModel):
    """One run that was read, and judged if it could be.

    The judgement and the figures of its metrics are kept as JSON: they are long.
    """

    row: RunRow
    written: str | None = None
    written_figures: str | None = None

    @property
    def judgement(self) -> Judgement:
        """What the doctor says; without a verdict as long as it was not judged."""
        return Judgement.model_validate_json(self.written or "{}")

    @property
    def figures(self) -> FiguresOfRun:
        """Its metrics in a few figures each; none as long as it was not judged."""
        if self.written_figures is None:
            return FiguresOfRun()
        return FiguresOfRun.model_validate_json(self.written_figures)

    @property
    def kept_figures(self) -> KeptFigures:
        """The same for pages about many runs."""
        return KeptFigures(self.written_figures or "{}")

    @property
    def brief(self) -> list[BriefFinding]:
        """Its findings for pages about many runs."""
        return [] if self.written is None else brief_findings(self.written)


class JudgedPlace(BaseModel):
    """All runs of a place as they were when its files had this stamp; `failed`: some rule did."""

    stamp: Stamp
    runs: list[ReadRun]
    seconds: float
    failed: bool = False


_USE = "page"


def load_place(
    cache: RunCache, place: Place, file: SettingsFile | None, files: str
) -> JudgedPlace | None:
    """The judgement of a place whose files have this fingerprint, if it is known."""
    kept = cache.load(_USE, place.found, _settings_stamp(file), files)
    if kept is None or leads_out(place) is not None:
        return None
    try:
        made = JudgedPlace.model_validate_json(kept[1])
    except ValidationError:
        return None  # written by a version that the stamp of the code does not tell apart
    # the same files may be served from another root, which decides how they are shown
    for one in made.runs:
        one.row.path, one.row.root = place.shown, str(place.root)
    return made


def save_place(
    cache: RunCache, place: Place, file: SettingsFile | None, files: str, made: JudgedPlace
) -> None:
    """Keep a judgement, unless its runs may go on; `files` is the fingerprint from before reading."""
    statuses = [one.row.status for one in made.runs]
    if not made.failed and is_over(place.found, statuses, newest_change):
        content = made.model_dump_json().encode()
        cache.save(_USE, place.found, _settings_stamp(file), files, content)


def open_place(place: Place, options: ReadOptions) -> list[Run]:
    """The runs of a place; raises `ReadError`."""
    stay_inside(place)
    runs = opened(place.found, options, aside=True)
    give_back()
    return runs


def judge_place(place: Place, file: SettingsFile | None = None) -> JudgedPlace:
    """Read and judge all runs of a place, by the settings in a file.

    What cannot be read is a row that says so.
    """
    began = time.monotonic()
    stamp = place.stamp()
    settings = settings_from(file)
    try:
        with one_run(place.path):
            found = [(run, judge(run, settings)) for run in open_place(place, settings.reading)]
            runs = [_read_run(*one, place, i, stamp) for i, one in enumerate(found)]
        failed = any(diagnosis.problems for _, diagnosis in found)
    except ReadError as error:
        runs, failed = [ReadRun(row=failed_row(place, error, stamp))], False
    return JudgedPlace(stamp=stamp, runs=runs, seconds=time.monotonic() - began, failed=failed)


def judge_and_clear(place: Place, file: SettingsFile | None = None) -> JudgedPlace:
    """The same in a process that lives as long as the server: it keeps nothing of what it read."""
    try:
        return judge_place(place, file)
    finally:
        give_back(cycles=True)


def _read_run(run: Run, diagnosis: Diagnosis, place: Place, index: int, stamp: Stamp) -> ReadRun:
    """What is kept of a run that was judged, and sent back to the server's process."""
    row = judged_row(run, diagnosis, place, index, stamp)
    figures = figures_of(run, row.outcome)
    return ReadRun(
        row=row,
        written=judgement_of(run, diagnosis, place).model_dump_json(),
        written_figures=figures.model_dump_json(exclude_none=True),
    )


@cache
def _settings_stamp(file: SettingsFile | None) -> str:
    return settings_stamp(settings_from(file))


@cache  # once in each process
def settings_from(file: SettingsFile | None) -> Settings:
    """The settings that runs are judged by."""
    return Settings(plugins=True) if file is None else settings_for(file)
