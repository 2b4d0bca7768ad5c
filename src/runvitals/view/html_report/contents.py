"""What a report says: the answers of the API that its page asks for, and the points."""

import gzip
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import Any

import numpy as np
from pydantic import BaseModel

from runvitals import __version__
from runvitals.diagnosis.judge import Settings, judge
from runvitals.model import Diagnosis, FloatArray, IntArray, Run
from runvitals.model.atomic import HIDDEN
from runvitals.model.secrets import redacted as without_secrets
from runvitals.render.judged import judged
from runvitals.store.files import dumps
from runvitals.view.events.heatmap import heatmap_of
from runvitals.view.events.shelf import EventShelf, embedded_media
from runvitals.view.knowledge.metrics_and_rules import metric_detail, rule_detail
from runvitals.view.places import Place
from runvitals.view.points.axis_series import (
    AxisSeries,
    AxisSeriesCache,
    Which,
    split_key,
    start_of,
)
from runvitals.view.points.buckets import MAX_ODD, reduced
from runvitals.view.points.wire import Payload
from runvitals.view.run.detail import detail_of
from runvitals.view.run.kept import judgement_of
from runvitals.view.run.open_run import OpenRun
from runvitals.view.schemas.run import RunMedia

MAX_CELLS = 60_000  # of all heatmaps together
MAX_COLUMNS, MIN_COLUMNS = 150, 20  # of one heatmap
MAX_MEDIA_BYTES = 4 * 2**20  # of all images, sounds and videos: a report is sent by mail


Json = dict[str, Any]


@dataclass(frozen=True)
class Contents:
    """A judged run with all that its page shows. `page` holds what the page is told about the run.

    `answers` (with that page) and `points` are compressed.
    """

    diagnosis: Diagnosis
    page: Json
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
    detail = detail_of(opened, judgement_of(judged(run, diagnosis, place.shown)))
    detail.has_samples = detail.has_console = False  # they stay where they are
    if place.is_ours:
        detail.summary = {}  # first, last and extremes of all series: the charts say it better
    page = redacted(detail.model_dump(), redact)
    lines = [chart for chart in page["charts"] if chart["kind"] != "heatmap"]
    keys = dict.fromkeys(name["key"] for chart in lines for name in chart["names"])
    answers: Json = {f"runs/{detail.id}": page}
    if detail.has_media:
        shown = RunMedia(items=embedded_media(events, MAX_MEDIA_BYTES))
        answers[f"runs/{detail.id}/media"] = shown.model_dump()
    for path, answer in (*_heatmaps(page, events), *_knowledge(page, diagnosis)):
        answers[path] = answer.model_dump()
    said = {
        "run": detail.id,
        "made": time.time(),
        "version": __version__,
        "start": start_of(run),
        "answers": answers,
    }
    points = packed(run, axis_series, keys)
    return Contents(diagnosis, page, gzip.compress(dumps(said), mtime=0), points)


def _heatmaps(page: Json, events: EventShelf) -> Iterator[tuple[str, BaseModel]]:
    charts = [chart for chart in page["charts"] if chart["kind"] == "heatmap"]
    room = MAX_CELLS // (64 * max(1, len(charts)))
    columns = max(MIN_COLUMNS, min(MAX_COLUMNS, room))
    for chart in charts:
        name = chart["names"][0]["name"]
        found = heatmap_of(name, events.histograms(name), columns, digits=3)
        yield f"runs/{page['id']}/histograms?name={name}", found


def _knowledge(page: Json, found: Diagnosis) -> Iterator[tuple[str, BaseModel]]:
    """The pages of all rules and metrics that the report links to, so that no link is dead."""
    codes = {*found.clear, *(rule.code for rule in found.not_checked)}
    codes.update(finding.code for finding in found.all_findings)
    metrics = {chart["metric"] for chart in page["charts"]}
    for code in sorted(codes):
        rule = rule_detail(code)
        if rule is not None:
            yield f"rules/{code}", rule
            metrics.update(metric for need in rule.needs for metric in need.split("|"))
    for id in sorted(metric for metric in metrics if metric):
        metric = metric_detail(id)
        if metric is not None:
            yield f"metrics/{id}", metric


LEFT_OUT = HIDDEN
KINDS = ("host", "paths", "argv")
_PATH = re.compile(r"(?<![\w/.:])(~?/|[A-Za-z]:\\)[^\s\"':,;)\]]+")
_HOST_FACTS = ("host", "pid", "cpu", "memory_gb", "gpus", "platform", "environment")


def redacted(page: Json, what: Sequence[str]) -> Json:
    """Without the host, paths, the command line, or settings whose names match; `all` is everything.

    Secrets are never in a report, also where another tool wrote them into its log.
    """
    kinds = {*KINDS, "*"} if "all" in what else set(what)
    content = dict(page)
    for key in ("full_config", "settings", "config", "provenance", "progress"):
        content[key] = without_secrets(content[key])
    provenance = dict(content["provenance"])
    host = str(provenance.get("host") or "")
    if "host" in kinds:
        provenance = {k: LEFT_OUT if k in _HOST_FACTS else v for k, v in provenance.items()}
    if "argv" in kinds and "argv" in provenance:
        provenance["argv"] = LEFT_OUT
    content["provenance"] = provenance
    patterns = [kind for kind in kinds if kind not in KINDS]
    for key in ("full_config", "settings", "config"):
        content[key] = {
            name: LEFT_OUT if _matches(name, patterns) else value
            for name, value in content[key].items()
        }
    if "paths" in kinds:
        content["path"], content["root"] = PurePath(content["path"]).name, LEFT_OUT
        if content["settings_file"] is not None:
            content["settings_file"] = PurePath(content["settings_file"]).name
        for key in ("provenance", "full_config", "settings", "config", "progress", "warnings"):
            content[key] = _each(content[key], lambda text: _PATH.sub(LEFT_OUT, text))
    if "host" in kinds and len(host) > 2:
        content = _each(content, lambda text: text.replace(host, LEFT_OUT))
    return content


def _matches(name: str, patterns: Sequence[str]) -> bool:
    last = name.rpartition(".")[2]
    return any(fnmatchcase(name, p) or fnmatchcase(last, p) for p in patterns)


def _each(value: Any, change: Any) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _each(inner, change) for key, inner in value.items()}
    return [_each(inner, change) for inner in value] if isinstance(value, list) else value


ENOUGH = 800_000  # bytes, compressed
FINEST, COARSEST = 4096, 32  # buckets of a series
RAW_SHARE = 3  # this many points a bucket are no more bytes than the bucket itself


def packed(run: Run, axis_series: AxisSeriesCache, keys: Iterable[str]) -> bytes:
    """The series in the form of the server's binary answer, compressed.

    Beside x, which is the step, each has `time` in seconds since the start. Those with too many points
    have buckets of equally many points, with lowest, highest and mean.
    """
    wanted = [(key, found) for key in keys if (found := split_key(run, key)) is not None]
    buckets = FINEST
    while True:
        payload = Payload()
        headers = [
            _series(run, axis_series, key, *found, buckets, payload) for key, found in wanted
        ]
        data = gzip.compress(payload.behind(dumps({"series": headers})), mtime=0)
        if len(data) <= ENOUGH or buckets <= COARSEST:
            return data
        buckets //= 2


def _series(
    run: Run,
    axis_series: AxisSeriesCache,
    key: str,
    name: str,
    rank: Which,
    buckets: int,
    payload: Payload,
) -> dict[str, object]:
    series = axis_series.get(name, rank, "step")
    seconds = axis_series.times(name, rank) - start_of(run)
    raw = len(series.x) <= RAW_SHARE * buckets
    arrays = _whole(series, seconds) if raw else _coarse(series, seconds, buckets)
    return {
        "name": key,
        "count": len(series.x),
        "raw": raw,
        "nonfinite": series.x[series.odd[:MAX_ODD]].tolist(),
        "arrays": [_array(role, values, payload) for role, values in arrays.items()],
    }


def _array(role: str, values: FloatArray, payload: Payload) -> dict[str, object]:
    kind = "float64" if role == "x" else "float32"
    return {"key": role, "dtype": kind, "offset": payload.put(values, kind), "length": len(values)}


def _whole(series: AxisSeries, seconds: FloatArray) -> dict[str, FloatArray]:
    return {"x": series.x, "time": seconds, "value": np.asarray(series.values)}


def _coarse(series: AxisSeries, seconds: FloatArray, buckets: int) -> dict[str, FloatArray]:
    count = len(series.x)
    starts = np.linspace(0, count, buckets, endpoint=False).astype(np.int64)
    lasts = np.append(starts[1:], count) - 1
    with np.errstate(over="ignore", invalid="ignore"):
        low, high, mean = reduced(np.asarray(series.values), starts, count)
    return {
        "x": _middle(series.x, starts, lasts),
        "time": _middle(seconds, starts, lasts),
        "low": low,
        "high": high,
        "mean": mean,
    }


def _middle(x: FloatArray, starts: IntArray, lasts: IntArray) -> FloatArray:
    return x[starts] + (x[lasts] - x[starts]) / 2
