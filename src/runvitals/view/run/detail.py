"""All of a run but its points, for its page."""

import math
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from runvitals.model import Run
from runvitals.view.json_safe import json_safe, scalars
from runvitals.view.points.axis_series import axes_of
from runvitals.view.run.charts import charts_of
from runvitals.view.run.console import console_file
from runvitals.view.run.open_run import OpenRun
from runvitals.view.run.row import alarms_of, located, row_of
from runvitals.view.run.timeline import eta_of, lives_of
from runvitals.view.schemas.judgement import FindingCard, Judgement
from runvitals.view.schemas.run import ChangedSetting, FrameworkDefaults, RunDetail, VitalSign
from runvitals.vitals import vitals_of


def vital_signs(run: Run, findings: Sequence[FindingCard]) -> list[VitalSign]:
    """Level, range and whose range it is, of each metric that has one."""
    found = [
        VitalSign(
            name=vital.shown_name,
            metric=vital.metric,
            level=vital.level if math.isfinite(vital.level) else None,
            low=vital.low,
            high=vital.high,
            range=str(vital.range),
            source=vital.range.source,
            why=vital.range.why,
            state=vital.state,
            place=vital.side,
            since=vital.since,
            all_along=vital.all_along,
            alarm=vital.alarm,
        )
        for vital in vitals_of(run, findings)
        if vital.range is not None and vital.state != "no range"
    ]
    return sorted(found, key=lambda one: (one.state != "out of range", one.alarm is None))


# made by `python -m benchmarks.reading.framework_defaults`
_TABLES = Path(__file__).with_name("framework_defaults.json")
# they say where and how a run is made, not what is trained
_NOT_TRAINING = {"_init_setup_model", "device", "verbose", "output_dir", "run_name", "seed"}


def detail_of(opened: OpenRun, said: Judgement) -> RunDetail:
    """The page of a run and what was said about it, if it was judged already."""
    run = opened.run
    outcome = None if said.verdict is None else said.verdict.outcome
    levels = None if said.verdict is None else said.verdict.levels
    row = located(row_of(run, outcome, levels), opened.place, opened.index, opened.stamp)
    row.age_seconds = None if row.started is None else max(0.0, time.time() - row.started)
    row.alarms = alarms_of(said.findings)
    return RunDetail(
        **row.model_dump(exclude={"verdict"}),
        **dict(said),
        judging=said.verdict is None,
        notes=run.notes,
        full_config=json_safe(run.config),
        settings=scalars(run.settings),
        defaults=defaults_of(run),
        provenance=json_safe(run.provenance),
        progress=json_safe(run.progress),
        lives=lives_of(run),
        eta_seconds=eta_of(row),
        summary=json_safe(run.summary),
        warnings=list(map(str, run.warnings)),
        # what is out of range counts with what was found, and reading levels takes long
        vitals=[] if said.verdict is None else vital_signs(run, said.findings),
        charts=charts_of(run, opened.events, said.findings, outcome),
        has_samples=opened.events.has_samples,
        has_media=opened.events.has_media,
        has_console=console_file(opened.place) is not None,
        x_axes=axes_of(run),
    )


@cache
def _tables() -> dict[str, Any]:
    loaded: dict[str, Any] = orjson.loads(_TABLES.read_bytes())
    return loaded


def defaults_of(run: Run) -> FrameworkDefaults | None:
    """The settings that differ from the defaults; None if these are not known or none is logged."""
    table = _tables().get(run.framework or "")
    algorithm = (run.algorithm or "").lower().replace("-", "_")
    known = None if table is None else table["algorithms"].get(algorithm)
    if table is None or known is None:
        return None
    shared = 0
    changed = []
    for key, value in json_safe(run.config).items():
        name = key.rpartition(".")[2]
        if name not in known or name in _NOT_TRAINING or isinstance(value, dict | list):
            continue
        shared += 1
        if value is not None and not _same(value, known[name]):
            changed.append(ChangedSetting(key=key, value=value, default=known[name]))
    if not shared:
        return None
    return FrameworkDefaults(
        framework=run.framework or "",
        version=table["versions"][algorithm],
        algorithm=algorithm,
        compared=shared,
        changed=changed,
    )


def _same(value: Any, default: Any) -> bool:
    """True if two settings are equal, numbers up to rounding; YAML reads 1e-4 as a text.

    >>> _same("1e-4", 0.0001), _same(True, 1), _same(0.3, 0.2)
    (True, False, False)
    """
    if isinstance(value, bool) or isinstance(default, bool):
        return value is default or str(value).lower() == str(default).lower()
    try:
        return math.isclose(float(value), float(default), rel_tol=1e-6)
    except ValueError:
        return str(value) == str(default)
