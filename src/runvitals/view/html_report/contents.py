"""What a report says: the answers of the API that its page asks for, and the points."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from runvitals import __version__
from runvitals.diagnosis.judge import Settings, judge
from runvitals.model import Diagnosis, Run, all_findings
from runvitals.store.files import dumps
from runvitals.view.events.heatmap import heatmap_of
from runvitals.view.events.shelf import EventShelf, embedded_media
from runvitals.view.html_report.points import packed
from runvitals.view.html_report.redacting import redacted
from runvitals.view.knowledge.metrics_and_rules import metric_detail, rule_detail
from runvitals.view.places import Place
from runvitals.view.points.axis_series import AxisSeriesCache, start_of
from runvitals.view.run.detail import detail_of
from runvitals.view.run.judgement import judgement_of
from runvitals.view.run.open_run import OpenRun
from runvitals.view.schemas import Chart, RunDetail, RunMedia

MAX_CELLS = 60_000  # of all heatmaps together
MAX_COLUMNS, MIN_COLUMNS = 150, 20  # of one heatmap
MAX_MEDIA_BYTES = 4 * 2**20  # of all images, sounds and videos: a report is sent by mail


@dataclass(frozen=True)
class Contents:
    """A run, judged, ready to be put on a page. `answers` and `points` are compressed."""

    diagnosis: Diagnosis
    detail: RunDetail
    answers: bytes
    points: bytes


def contents_of(
    run: Run, place: Place, index: int, settings: Settings, redact: Sequence[str] = ()
) -> Contents:
    """Judge one run of a place and gather all that its page needs, but for what is to be left out."""
    stamp = place.stamp()
    axis_series, events = AxisSeriesCache(run), EventShelf(run, place)
    diagnosis = judge(run, settings)
    opened = OpenRun(place.run_id(index), run, axis_series, events, place, index, stamp)
    detail = detail_of(opened, judgement_of(run, diagnosis, place))
    detail.has_samples = detail.has_console = False  # they stay where they are
    if place.is_ours:
        detail.summary = {}  # first, last and extremes of all series: the charts say it better
    detail = redacted(detail, redact)
    lines = [chart for chart in detail.charts if chart.kind != "heatmap"]
    keys = dict.fromkeys(name.key for chart in lines for name in chart.names)
    answers: dict[str, object] = {f"runs/{detail.id}": detail.model_dump()}
    if detail.has_media:
        shown = RunMedia(items=embedded_media(events, MAX_MEDIA_BYTES))
        answers[f"runs/{detail.id}/media"] = shown.model_dump()
    for path, answer in (*_heatmaps(detail, events), *_knowledge(detail)):
        answers[path] = answer.model_dump()
    said = {
        "run": detail.id,
        "made": time.time(),
        "version": __version__,
        "start": start_of(run),
        "answers": answers,
    }
    points = packed(run, axis_series, keys)
    return Contents(diagnosis, detail, gzip.compress(dumps(said), mtime=0), points)


def _heatmaps(detail: RunDetail, events: EventShelf) -> Iterator[tuple[str, BaseModel]]:
    charts: list[Chart] = [chart for chart in detail.charts if chart.kind == "heatmap"]
    room = MAX_CELLS // (64 * max(1, len(charts)))
    columns = max(MIN_COLUMNS, min(MAX_COLUMNS, room))
    for chart in charts:
        name = chart.names[0].name
        found = heatmap_of(name, events.histograms(name), columns, digits=3)
        yield f"runs/{detail.id}/histograms?name={name}", found


def _knowledge(detail: RunDetail) -> Iterator[tuple[str, BaseModel]]:
    """The pages of all rules and metrics that the report links to, so that no link is dead."""
    codes = {*detail.clear, *(rule.code for rule in detail.not_checked)}
    codes.update(finding.code for finding in all_findings(detail.findings))
    metrics = {chart.metric for chart in detail.charts}
    for code in sorted(codes):
        rule = rule_detail(code)
        if rule is not None:
            yield f"rules/{code}", rule
            metrics.update(metric for need in rule.needs for metric in need.split("|"))
    for id in sorted(metric for metric in metrics if metric):
        metric = metric_detail(id)
        if metric is not None:
            yield f"metrics/{id}", metric
