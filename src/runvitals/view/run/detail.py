"""All of a run but its points, for its page."""

from __future__ import annotations

import time

from runvitals.view.json_safe import json_safe, scalars
from runvitals.view.points.axis_series import axes_of
from runvitals.view.run.charts import charts_of
from runvitals.view.run.console import console_file
from runvitals.view.run.judgement import JudgedRun
from runvitals.view.run.lives import eta_of, lives_of
from runvitals.view.run.open_run import OpenRun
from runvitals.view.run.row import row_of
from runvitals.view.run.vital_signs import vital_signs
from runvitals.view.schemas import RunDetail


def detail_of(opened: OpenRun, known: JudgedRun | None) -> RunDetail:
    """The page of a run; `known` is what was said about it, if it was judged already."""
    run = opened.run
    judged = None if known is None else known.judgement
    outcome = None if judged is None else judged.verdict.outcome
    levels = None if judged is None else judged.verdict.levels
    row = row_of(run, opened.place, opened.index, opened.stamp, outcome, levels)
    row.age_seconds = None if row.started is None else max(0.0, time.time() - row.started)
    if known is not None:
        row.alarms = known.row.alarms
    findings = [] if judged is None else judged.findings
    return RunDetail(
        **row.model_dump(exclude={"verdict"}),
        verdict=None if judged is None else judged.verdict,
        judging=judged is None,
        nothing_to_judge=None if judged is None else judged.nothing_to_judge,
        notes=run.notes,
        full_config=json_safe(run.config),
        settings=scalars(run.settings),
        provenance=json_safe(run.provenance),
        progress=json_safe(run.progress),
        lives=lives_of(run),
        eta_seconds=eta_of(row),
        summary=json_safe(run.summary),
        warnings=list(map(str, run.warnings)),
        findings=findings,
        not_checked=[] if judged is None else judged.not_checked,
        clear=[] if judged is None else judged.clear,
        problems=[] if judged is None else judged.problems,
        vitals=vital_signs(run, findings),
        not_understood=[] if judged is None else judged.not_understood,
        settings_file=None if judged is None else judged.settings_file,
        charts=charts_of(run, opened.events, findings, outcome),
        has_samples=opened.events.has_samples,
        has_console=console_file(opened.place) is not None,
        x_axes=axes_of(run),
    )
