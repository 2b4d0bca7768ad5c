"""Reads and judges the runs of a place. Sent to other processes, so that the server stays quick."""

import os
import pickle
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache

from runvitals.diagnosis.judge import Settings, judge, settings_for
from runvitals.fleet.cache import RunCache
from runvitals.fleet.fingerprint import settings_stamp, strict_fingerprint
from runvitals.fleet.kept import load_runs, save
from runvitals.model import ReadError, Run
from runvitals.readers.follow import opened
from runvitals.readers.log import one_run
from runvitals.readers.options import ReadOptions
from runvitals.readers.settings_file import SettingsFile
from runvitals.server.work.memory import begin_humbly, give_back
from runvitals.view.places import Place, Stamp, leads_out, stay_inside
from runvitals.view.run.kept import KeptRun, kept_run
from runvitals.view.run.row import failed_row, located


@dataclass
class JudgedPlace:
    """All runs of a place as they were when its files had this stamp."""

    stamp: Stamp
    runs: list[KeptRun]
    seconds: float = 0.0


def known_place(
    cache: RunCache, place: Place, file: SettingsFile | None = None
) -> JudgedPlace | None:
    """The judgement of a place as its files are now, if it was kept."""
    stamp = place.stamp()
    kept = load_runs(cache, place.found, _settings_stamp(file), strict_fingerprint(place.found))
    if kept is None or leads_out(place) is not None:
        return None
    return _shown(place, stamp, kept)


def open_place(place: Place, options: ReadOptions) -> list[Run]:
    """The runs of a place; raises `ReadError`."""
    stay_inside(place)
    runs = opened(place.found, options, aside=True)
    give_back()
    return runs


def judge_place(
    place: Place, file: SettingsFile | None = None, cache: RunCache | None = None
) -> JudgedPlace:
    """Read and judge all runs of a place by the settings in a file, and keep that in the cache.

    What cannot be read is a row that says so.
    """
    began = time.monotonic()
    stamp, files = place.stamp(), strict_fingerprint(place.found)
    settings = settings_from(file)
    try:
        with one_run(place.path):
            found = [(run, judge(run, settings)) for run in open_place(place, settings.reading)]
            runs = [kept_run(*one) for one in found]
    except ReadError as error:
        return JudgedPlace(
            stamp, [KeptRun(failed_row(place, error, stamp))], time.monotonic() - began
        )
    # a rule that took too long or failed may do better the next time
    if cache is not None and not any(one.problems for _, one in found):
        save(cache, place.found, _settings_stamp(file), files, runs)
    runs = [replace(one, evidence="{}") for one in runs]
    return _shown(place, stamp, runs, time.monotonic() - began)


def answer_places() -> None:
    """Judge the places that come on standard input, in a process for this alone."""
    begin_humbly()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a plugin prints is not an answer
    with suppress(EOFError, BrokenPipeError):  # the server has ended
        while True:
            asked = pickle.load(sys.stdin.buffer)
            try:
                made: JudgedPlace | str = judge_place(*asked)
            except Exception as error:  # noqa: BLE001  one odd log must not end it for all others
                made = f"{type(error).__name__}: {error}"
            answers.write(pickle.dumps(made))
            answers.flush()
            give_back(cycles=True)  # it lives on, and keeps nothing of what it read


def _shown(place: Place, stamp: Stamp, runs: list[KeptRun], seconds: float = 0.0) -> JudgedPlace:
    for index, one in enumerate(runs):
        located(one.row, place, index, stamp)
    return JudgedPlace(stamp, runs, seconds)


@cache
def _settings_stamp(file: SettingsFile | None) -> str:
    return settings_stamp(settings_from(file))


@cache  # once in each process
def settings_from(file: SettingsFile | None) -> Settings:
    """The settings that runs are judged by."""
    return Settings(plugins=True) if file is None else settings_for(file)
