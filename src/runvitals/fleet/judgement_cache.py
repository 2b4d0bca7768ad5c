"""Judgements that are kept with the runs: what has not changed is not read again.

A judgement holds as long as the files of its run, the code that judges and the user's settings are
the same. It lies in the run's own folder (`.judgement.json`); those of other tools' logs, and of
folders that may not be written to, lie in the user's cache.
"""

from __future__ import annotations

import base64
import hashlib
import os
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from runvitals.fleet.facts import RunFacts
from runvitals.fleet.fingerprint import fingerprint, newest_change
from runvitals.model import Diagnosis, NotChecked, Series
from runvitals.model.atomic import replacing
from runvitals.model.references import cache_folder
from runvitals.model.run import ENDED
from runvitals.readers.discovery.files import Found
from runvitals.render.judged import Evidence, Judged
from runvitals.rules.performance.perf006_run_stalled import MAY_BE_LIVE
from runvitals.store.files import is_intact, with_checksum
from runvitals.vitals import Vital

FILE = ".judgement.json"
_FORMAT = "runvitals-judgement/3"
MAX_LISTS = 1_000  # of rules that were not checked, read once for all runs that share one
_NOT_CHECKED = TypeAdapter(tuple[NotChecked, ...])
_EXACT = ConfigDict(ser_json_inf_nan="strings")


class _Series(BaseModel):
    """A series that a finding points at; its numbers byte by byte."""

    name: str
    metric: str | None
    labels: dict[str, str]
    bound: str | None
    tool: str | None
    steps: str
    times: str
    values: str


class _Run(BaseModel):
    """`Judged`, as it is written down."""

    model_config = _EXACT

    facts: RunFacts
    shown: str
    name: str
    diagnosis: Diagnosis  # without what was not checked
    not_checked: str  # as JSON: runs of one tool share it, and it is longer than all the rest
    framework: str | None
    algorithm: str | None
    status: str
    exit_code: int | None
    last_step: int | None
    names: tuple[str, ...]
    known: int
    not_understood: tuple[str, ...]
    rows: int
    vitals: tuple[Vital, ...]
    warnings: tuple[str, ...]
    partial: bool
    evidence: dict[str, _Series]


class _Kept(BaseModel):
    model_config = _EXACT

    format: str = _FORMAT
    files: str
    settings: str
    path: str
    given: str  # the same path as the user said it
    runs: list[_Run]


Known = list[tuple[Judged, RunFacts]]


def load(found: Found, settings: str) -> Known | None:
    """The judgement of this place as it is now, by these settings, if it is known."""
    for file in _homes(found):
        try:
            content = file.read_bytes()
            kept = _Kept.model_validate_json(content)
        except (OSError, ValidationError):
            continue  # not judged yet, or by another version
        if not is_intact(content):
            continue
        now = _FORMAT, fingerprint(found), settings
        if (kept.format, kept.files, kept.settings) != now:
            continue
        if kept.path != _path(found):
            continue  # names of folders say something about a run: a copy is judged again
        return [_judged(run, kept.given, str(found.path)) for run in kept.runs]
    return None


def save(found: Found, settings: str, known: Known, files: str) -> None:
    """Keep a judgement, unless its run may go on. `files` is the fingerprint from before reading.

    A folder that cannot be written to keeps nothing: then the run is judged again the next time.
    """
    if not _is_over(found, known):
        return
    kept = _Kept(
        files=files,
        settings=settings,
        path=_path(found),
        given=str(found.path),
        runs=[_run(judged, facts) for judged, facts in known],
    )
    content = with_checksum(kept.model_dump_json().encode())
    for file in _homes(found):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with replacing(file) as new:
                new.write(content)
        except OSError:
            continue
        return


def _is_over(found: Found, known: Known) -> bool:
    """Whether time alone cannot change the judgement: some rules ask how long ago a row came."""
    if any(judged.diagnosis.problems for judged, _ in known):
        return False  # a rule took too long or failed: the next time may be better
    if not found.files and all(judged.status in ENDED for judged, _ in known):
        return True
    running = any(judged.status == "running" for judged, _ in known)
    return not running and time.time() - newest_change(found) > MAY_BE_LIVE


def _homes(found: Found) -> Iterator[Path]:
    """Where a judgement may lie, the usual place first."""
    if not found.files:
        yield found.path / FILE
    digest = hashlib.blake2b(_path(found).encode(errors="replace"), digest_size=12).hexdigest()
    yield cache_folder() / "judgements" / digest[:2] / f"{digest}.json"


def _path(found: Found) -> str:
    return os.fsencode(found.path.absolute()).decode("utf-8", "replace")


def _run(judged: Judged, facts: RunFacts) -> _Run:
    as_is = {field.name: getattr(judged, field.name) for field in fields(Judged)}
    as_is["evidence"] = {name: _series(one) for name, one in judged.evidence.items()}
    as_is["diagnosis"] = replace(judged.diagnosis, not_checked=())
    as_is["not_checked"] = _NOT_CHECKED.dump_json(judged.diagnosis.not_checked).decode()
    return _Run.model_construct(facts=facts, **as_is)


def _judged(kept: _Run, given: str, now: str) -> tuple[Judged, RunFacts]:
    """With the path as it is said now, which may be relative to another folder."""
    as_is: dict[str, Any] = {field.name: getattr(kept, field.name) for field in fields(Judged)}
    as_is["evidence"] = {name: _evidence(one) for name, one in kept.evidence.items()}
    not_checked = _not_checked(kept.not_checked)
    as_is["diagnosis"] = replace(kept.diagnosis, not_checked=not_checked)
    as_is["shown"] = _moved(kept.shown, given, now)
    return Judged(**as_is), replace(kept.facts, path=_moved(kept.facts.path, given, now))


@lru_cache(maxsize=MAX_LISTS)
def _not_checked(text: str) -> tuple[NotChecked, ...]:
    return _NOT_CHECKED.validate_json(text)


def _moved(path: str, before: str, now: str) -> str:
    """A path below one folder as it is called below another."""
    return f"{now}{path[len(before) :]}" if path.startswith(before) else path


def _series(one: Evidence) -> _Series:
    series = one.series
    return _Series(
        name=series.name,
        metric=series.metric,
        labels=dict(series.labels),
        bound=one.metric,
        tool=one.tool,
        steps=_written(series.steps, "<i8"),
        times=_written(series.times, "<f8"),
        values=_written(series.values, "<f8"),
    )


def _evidence(kept: _Series) -> Evidence:
    series = Series(
        kept.name,
        _read(kept.steps, "<i8"),
        _read(kept.values, "<f8"),
        _read(kept.times, "<f8"),
        kept.metric,
        kept.labels,
    )
    return Evidence(series, kept.bound, kept.tool)


def _written(numbers: Any, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers, dtype=kind).tobytes()).decode()


def _read(text: str, kind: str) -> Any:
    return np.frombuffer(base64.b64decode(text), dtype=kind)
