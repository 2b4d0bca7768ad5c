"""Any metric as a column of the list of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from runvitals import catalog
from runvitals.view.run.figures import FiguresOfRun
from runvitals.view.schemas import ListedMetrics, MetricColumn, MetricInRuns, RunColumns

MAX_LISTED = 2_000
MAX_NAMES = 4  # under which a metric was logged


def columns_of(runs: Mapping[str, FiguresOfRun], asked: Sequence[str], curve: str) -> RunColumns:
    """The figures of some metrics, and the curves of one."""
    found = RunColumns(columns=[MetricColumn(asked=one, title=one) for one in asked])
    for id, figures in runs.items():
        for column in found.columns:
            if (mine := figures.find(column.asked)) is not None:
                metric, of = mine
                column.metric = column.metric or metric
                column.runs[id] = [of.last, of.end, of.low, of.high]
        if curve and (mine := figures.find(curve)) is not None and mine[1].curve is not None:
            found.curves[id] = mine[1].curve
    for column in found.columns:
        known = catalog.metric(column.metric or "")
        if known is not None:
            column.title, column.unit = known.title or known.id, known.unit
            column.direction = known.direction
    return found


def metrics_of(runs: Mapping[str, FiguresOfRun]) -> ListedMetrics:
    """All metrics of some runs, those that most runs have first."""
    counts: Counter[str] = Counter()
    names: dict[str, Counter[str]] = {}
    curves: set[str] = set()
    for figures in runs.values():
        for metric, one in figures.metrics.items():
            counts[metric] += 1
            names.setdefault(metric, Counter())[one.name] += 1
            if one.curve is not None:
                curves.add(metric)
    listed = []
    for metric, count in counts.most_common(MAX_LISTED):
        known = catalog.metric(metric)
        listed.append(
            MetricInRuns(
                metric=metric,
                title=metric if known is None else known.title or known.id,
                names=[name for name, _ in names[metric].most_common(MAX_NAMES)],
                runs=count,
                curve=metric in curves,
            )
        )
    return ListedMetrics(runs=len(runs), metrics=listed)
