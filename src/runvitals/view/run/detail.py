"""All of a run but its points, for its page."""

from __future__ import annotations

import time

from runvitals.view.json_safe import json_safe, scalars
from runvitals.view.points.axis_series import axes_of
from runvitals.view.run.charts import charts_of
from runvitals.view.run.console import console_file
from runvitals.view.run.defaults import defaults_of
from runvitals.view.run.lives import eta_of, lives_of
from runvitals.view.run.open_run import OpenRun
from runvitals.view.run.row import alarms_of, row_of
from runvitals.view.run.vital_signs import vital_signs
from runvitals.view.schemas import Judgement, RunDetail


def detail_of(opened: OpenRun, said: Judgement) -> RunDetail:
    """The page of a run and what was said about it, if it was judged already."""
    run = opened.run
    outcome = None if said.verdict is None else said.verdict.outcome
    levels = None if said.verdict is None else said.verdict.levels
    row = row_of(run, opened.place, opened.index, opened.stamp, outcome, levels)
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
        vitals=vital_signs(run, said.findings),
        charts=charts_of(run, opened.events, said.findings, outcome),
        has_samples=opened.events.has_samples,
        has_media=opened.events.has_media,
        has_console=console_file(opened.place) is not None,
        x_axes=axes_of(run),
    )
