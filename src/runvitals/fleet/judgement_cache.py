"""How judgements are written into the cache, and read from there to the last bit."""

from __future__ import annotations

import base64
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from runvitals.fleet.cache import RunCache, is_over, moved
from runvitals.fleet.facts import RunFacts
from runvitals.fleet.fingerprint import newest_change
from runvitals.model import Diagnosis, NotChecked, Series
from runvitals.readers.discovery.files import Found
from runvitals.render.judged import Evidence, Judged
from runvitals.vitals import Vital

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


_RUNS = TypeAdapter(list[_Run])
Known = list[tuple[Judged, RunFacts]]
_USE = "judged"


def load(cache: RunCache, found: Found, settings: str, files: str) -> Known | None:
    """The judgement of this place as it is now, by these settings, if it is known."""
    kept = cache.load(_USE, found, settings, files)
    if kept is None:
        return None
    given, content = kept
    try:
        runs = _RUNS.validate_json(content)
    except ValidationError:
        return None  # written by a version that the stamp of the code does not tell apart
    return [_judged(run, given, str(found.path)) for run in runs]


def save(cache: RunCache, found: Found, settings: str, files: str, known: Known) -> None:
    """Keep a judgement, unless its run may go on. `files` is the fingerprint from before reading."""
    if any(judged.diagnosis.problems for judged, _ in known):
        return  # a rule took too long or failed: the next time may be better
    if is_over(found, (judged.status for judged, _ in known), newest_change):
        runs = [_run(judged, facts) for judged, facts in known]
        cache.save(_USE, found, settings, files, _RUNS.dump_json(runs))


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
    as_is["shown"] = moved(kept.shown, given, now)
    return Judged(**as_is), replace(kept.facts, path=moved(kept.facts.path, given, now))


@lru_cache(maxsize=MAX_LISTS)
def _not_checked(text: str) -> tuple[NotChecked, ...]:
    return _NOT_CHECKED.validate_json(text)


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
