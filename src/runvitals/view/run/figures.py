"""Each metric of a run in a few figures: the columns of the list, and the ends of a comparison."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runvitals import catalog
from runvitals.model import FloatArray, Run, Series
from runvitals.render.judged import means
from runvitals.rules.outcome.course import course
from runvitals.rules.outcome.roles import ROLES
from runvitals.view.json_safe import number, visible
from runvitals.view.schemas.run import (
    ListedMetrics,
    MetricColumn,
    MetricInRuns,
    OutcomeSpark,
    RunColumns,
)

MAX_METRICS = 200  # of a run, those that people read first
MAX_CURVES = 20  # of these are kept as a sparkline too
TAIL = 0.1  # the share of its points whose mean is the level at the end, of what is not an outcome
SIGNS = {role.metric: -1.0 if role.lower_is_better else 1.0 for role in ROLES}


class FiguresOfRun:
    """The metrics of a run by their ids, or by name where no metric stands for it, in figures each.

    These are `name`, `last`, `end` (the level at the end), `low` and `high`; of the first also `curve`,
    a few means over equal parts of its steps, whose first and last are `steps`. They are plain data:
    of a thousand runs, records would take too long.
    """

    def __init__(self, metrics: Mapping[str, Mapping[str, Any]]) -> None:
        self.metrics = metrics

    def called(self, wanted: str) -> str | None:
        """The metric or name that is meant, by its id or by the name that it was logged under."""
        if wanted in self.metrics:
            return wanted
        return next((key for key, one in self.metrics.items() if one["name"] == wanted), None)

    def lacks(self, wanted: str) -> bool:
        """Whether the run surely has no such metric: all that it has are kept."""
        return len(self.metrics) < MAX_METRICS and self.called(wanted) is None

    def ends(self) -> dict[str, tuple[float | None, float | None]]:
        """Of each metric the level at the end, and the last value."""
        return {key: (one.get("end"), one.get("last")) for key, one in self.metrics.items()}

    def curve(self, wanted: str) -> tuple[FloatArray, FloatArray] | None:
        """Steps and means of a metric; None if no curve of it is kept."""
        one = self.metrics.get(self.called(wanted) or "", {})
        if "steps" not in one or "curve" not in one:
            return None
        values = np.array(one["curve"], np.float64)
        first, last = one["steps"]
        return np.linspace(first, last, len(values)), values


def names_of(run: Run) -> list[str]:
    """Metrics of a run by their ids, then names that mean none of them."""
    return [*run.metrics(), *(name for name in run.names() if name not in run.bindings)]


def outcomes_of(run: Run) -> list[str]:
    """Metrics of a run that a verdict may rest on, the most trustworthy first."""
    mine = run.metrics()
    return [metric for metric in SIGNS if metric in mine]


def reading_order(name: str) -> tuple[bool, int]:
    """Sorts metrics as people read them, and behind them names that mean none."""
    known = catalog.metric(name) is not None
    return not known, catalog.reading_position(name) if known else 0


def figures_of(run: Run, told: OutcomeSpark | None) -> dict[str, dict[str, Any]]:
    """The figures of `FiguresOfRun`; `told` is the outcome that the verdict rests on."""
    outcomes = dict.fromkeys(outcomes_of(run))
    names = [*outcomes, *sorted((n for n in names_of(run) if n not in outcomes), key=reading_order)]
    found: dict[str, dict[str, Any]] = {}
    for name in names[:MAX_METRICS]:
        series = run.get(name)
        finite = None if series is None else series.finite()
        if series is None or finite is None or not len(finite):
            continue
        values = finite.values
        figures: dict[str, Any] = {
            "name": visible(series.name),
            "last": _tidy(float(values[-1])),
            "end": _tidy(level(series, values, told)),
            "low": _tidy(float(values.min())),
            "high": _tidy(float(values.max())),
        }
        if len(found) < MAX_CURVES:
            figures["curve"] = means(finite)
            figures["steps"] = int(finite.steps.min()), int(finite.steps.max())
        found[visible(name)] = figures
    return found


def level(series: Series, values: FloatArray, told: OutcomeSpark | None) -> float:
    """Where it is now: an outcome as the verdict reads it, all else as the mean of its last tenth."""
    if told is not None and told.name == visible(series.name) and told.levels is not None:
        return math.nan if told.levels.now is None else told.levels.now
    sign = SIGNS.get(series.metric or "")
    if sign is not None:
        return sign * course(sign * values).now
    with np.errstate(over="ignore"):
        return float(values[-max(1, round(TAIL * len(values))) :].mean())


def _tidy(value: float) -> float | None:
    return number(float(f"{value:.7g}"))


MAX_LISTED = 2_000
MAX_NAMES = 4  # under which a metric was logged


def columns_of(runs: Mapping[str, FiguresOfRun], asked: Sequence[str], curve: str) -> RunColumns:
    """The figures of some metrics, and the curves of one."""
    found = RunColumns(columns=[MetricColumn(asked=one, title=one) for one in asked])
    for id, figures in runs.items():
        for column in found.columns:
            if (metric := figures.called(column.asked)) is not None:
                of = figures.metrics[metric]
                column.metric = column.metric or metric
                column.runs[id] = [of[one] for one in ("last", "end", "low", "high")]
        if curve and (metric := figures.called(curve)) is not None:
            drawn = figures.metrics[metric].get("curve")
            if drawn is not None:
                found.curves[id] = drawn
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
            names.setdefault(metric, Counter())[one["name"]] += 1
            if "curve" in one:
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
