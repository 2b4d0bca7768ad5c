"""What `runvitals runs` says of each run: read once, then taken from the cache."""

import json  # knows NaN and infinity, which logs hold
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from runvitals.diagnosis.judge import Settings
from runvitals.fleet.cache import is_over, moved, user_cache
from runvitals.fleet.fingerprint import Folders, newest_change, settings_stamp, strict_fingerprint
from runvitals.fleet.judging import spread
from runvitals.model import ReadError, Run
from runvitals.readers.discovery.discover import discover
from runvitals.readers.discovery.files import Found
from runvitals.readers.follow import opened
from runvitals.readers.log import one_run
from runvitals.readers.open import existing, from_stdin
from runvitals.readers.options import ReadOptions
from runvitals.render.judged import fields
from runvitals.rules.patient import Patient

MANY = 40  # runs that are worth processes of their own to read
_USE = "listed"
Listed = list[dict[str, Any]]


def listed(log: Path, options: ReadOptions, problems: list[ReadError]) -> Listed:
    """The runs at or below a path, oldest first; what cannot be read goes into `problems`."""
    if str(log) == "-":
        return [described(from_stdin(options))]
    cache, folders = user_cache(), Folders()
    with cache.remembering(log):
        places = list(discover(existing(log), problems))
    stamp = settings_stamp(Settings(reading=options))
    files = [strict_fingerprint(place, folders) for place in places]
    kept = [cache.load(_USE, place, stamp, one) for place, one in zip(places, files, strict=True)]
    new = [item[:2] for item in zip(places, files, kept, strict=True) if item[2] is None]
    read = partial(_read, options, stamp)
    made = iter(spread(read, new) if len(new) > MANY else map(read, new))
    found: Listed = []
    for place, known in zip(places, kept, strict=True):
        if known is not None:
            found += _as_called_now(json.loads(known[1]), known[0], str(place.path))
        else:
            runs, errors = next(made)
            found += runs
            problems += errors
    if new:
        cache.prune()
    return sorted(found, key=lambda run: (run["started"] or 0.0, run["path"], run["id"]))


def _read(
    options: ReadOptions, stamp: str, item: tuple[Found, str]
) -> tuple[Listed, list[ReadError]]:
    place, files = item  # from before reading: what comes meanwhile makes it another one
    found: Listed = []
    problems: list[ReadError] = []
    try:
        for run in opened(place, options):
            try:
                with one_run(run.path or place.path):
                    found.append(described(run))
            except ReadError as error:
                problems.append(error)
    except ReadError as error:
        problems.append(error)
    if not problems and is_over(place, [run["status"] for run in found], newest_change):
        user_cache().save(_USE, place, stamp, files, json.dumps(found).encode())
    return found, problems


def _as_called_now(runs: Sequence[dict[str, Any]], before: str, now: str) -> Listed:
    return [{**run, "path": moved(run["path"], before, now)} for run in runs]


def described(run: Run) -> dict[str, Any]:
    """A run as one entry of the list."""
    return {
        **fields(run, "id name project"),
        "path": str(run.path),
        **fields(run, "format framework algorithm status exit_code"),
        "series": len(run),
        "points": run.points.count,
        "last_step": run.last_step,
        "outcome": _outcome(run),
        **fields(run, "started ended"),
        "bytes": _size(run.path),
        "warnings": list(map(str, run.warnings)),
        "partial": bool(run.missing),
    }


def _outcome(run: Run) -> dict[str, Any] | None:
    """The outcome that a verdict would rest on: its levels, and its newest value."""
    one = Patient(run).outcome
    if one is None:
        return None
    last = run[one.series.name].last
    return {"metric": one.metric, "name": one.series.name, "last": last, **asdict(one.levels)}


def _size(path: Path | None) -> int:
    if path is None or path.is_file():
        return 0 if path is None else path.stat().st_size
    return sum(map(_file_size, path.rglob("*")))


def _file_size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0  # a run that is being written replaces and removes files
