"""What a monitoring system is told of a run: where it stands now, its verdict, and what is open."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from runvitals import catalog
from runvitals.model import Run, all_findings
from runvitals.model.finding import SEVERITIES, VerdictWord
from runvitals.view.json_safe import visible
from runvitals.view.schemas.judgement import FindingCard, Judgement, VerdictCard
from runvitals.view.schemas.run import RunRow
from runvitals.vitals import vitals_of

MAX_SERIES = 300  # of a run; each is a time series in the monitoring system, for good
LEVELS = ("start", "best", "now")
GAUGES = {
    "runvitals_run_info": "What a run is; always 1.",
    "runvitals_last_step": "The newest step that a run logged.",
    "runvitals_planned_steps": "How many steps a run is to take, if it says so.",
    "runvitals_steps_per_second": "How fast a run goes, by its newest points.",
    "runvitals_last_write_timestamp_seconds": "When a run was last written to, in Unix time.",
    "runvitals_verdict": "1 for the word of a run's verdict, 0 for all others.",
    "runvitals_outcome": "The outcome that the verdict rests on: level at the start, best, now.",
    "runvitals_open_findings": "How many findings are open, by severity.",
    "runvitals_finding": "1 for each open finding, those that follow from others included.",
    "runvitals_value": "The newest value of a series, in the catalog's units if it is known there.",
    "runvitals_out_of_range": "1 if a metric has surely left the range for such a run, else 0.",
    "runvitals_series_left_out": "Series of a run that are left out because there are too many.",
    "runvitals_runs": "How many runs were found.",
    "runvitals_runs_left_out": "Running runs that are left out because there are too many.",
}


@dataclass(frozen=True)
class GaugeValue:
    """One value of a gauge."""

    gauge: str
    value: float
    labels: Mapping[str, str]


def readings_of(row: RunRow, said: Judgement, run: Run | None) -> Iterator[GaugeValue]:
    """All that is told of one run; what is not known yet is left out."""
    mine = {"run": row.id, "run_name": _line(row.name), "project": _line(row.project)}
    info = {
        "path": _line(row.path),
        "status": row.status,
        "framework": row.framework or "",
        "algorithm": row.algorithm or "",
    }
    yield GaugeValue("runvitals_run_info", 1.0, {**mine, **info})
    for gauge, value in (
        ("runvitals_last_step", row.last_step),
        ("runvitals_planned_steps", row.planned_steps),
        ("runvitals_steps_per_second", row.steps_per_second),
        ("runvitals_last_write_timestamp_seconds", row.updated),
    ):
        if value is not None:
            yield GaugeValue(gauge, float(value), mine)
    if said.verdict is not None:
        yield from _judged(row, said.verdict, said.findings, mine)
    if run is not None:
        yield from _values(run, mine)


def _judged(
    row: RunRow, verdict: VerdictCard, findings: Sequence[FindingCard], mine: Mapping[str, str]
) -> Iterator[GaugeValue]:
    for word in get_args(VerdictWord):
        said = float(word == verdict.word)
        yield GaugeValue("runvitals_verdict", said, {**mine, "verdict": word})
    levels = verdict.levels
    if levels is not None and row.outcome is not None:
        outcome = {"series": _line(row.outcome.name), "metric": row.outcome.metric or ""}
        for level in LEVELS:
            if (value := getattr(levels, level)) is not None:
                yield GaugeValue("runvitals_outcome", value, {**mine, **outcome, "level": level})
    for severity in SEVERITIES:
        count = getattr(row.alarms, severity)
        yield GaugeValue("runvitals_open_findings", float(count), {**mine, "severity": severity})
    told: dict[tuple[str, str], str] = {}
    for one in all_findings([one for one in findings if not one.about_log]):
        told.setdefault((one.code, one.severity), one.name)
    for (code, grave), name in told.items():
        labels = {"code": code, "severity": grave, "finding": name}
        yield GaugeValue("runvitals_finding", 1.0, {**mine, **labels})


def _values(run: Run, mine: Mapping[str, str]) -> Iterator[GaugeValue]:
    places = {name: catalog.reading_position(bound.metric) for name, bound in run.bindings.items()}
    names = sorted(run.names(), key=lambda name: (name not in places, places.get(name, 0)))
    for name in names[:MAX_SERIES]:
        series = run.get(name)
        if series is not None and len(series):
            labels = {"series": _line(name), "metric": series.metric or ""}
            yield GaugeValue("runvitals_value", series.last, {**mine, **labels})
    kept = set(names[:MAX_SERIES])
    for vital in vitals_of(run):
        if vital.range is not None and vital.name in kept and math.isfinite(vital.level):
            labels = {"series": _line(vital.name), "metric": vital.metric}
            yield GaugeValue(
                "runvitals_out_of_range", float(vital.out_of_range), {**mine, **labels}
            )
    left = max(0, len(names) - MAX_SERIES)
    yield GaugeValue("runvitals_series_left_out", float(left), mine)


def _line(text: str) -> str:
    """A label on one line: the `.*` of a query does not match a line break."""
    return " ".join(visible(text).split())
