"""Each metric of a run in a few figures: the columns of the list, and the ends of a comparison."""

from __future__ import annotations

import math

import numpy as np
from pydantic import BaseModel

from runvitals import catalog
from runvitals.model import FloatArray, Run, Series
from runvitals.rules.outcome import ROLES
from runvitals.rules.outcome.course import course
from runvitals.view.json_safe import number
from runvitals.view.schemas import OutcomeSpark
from runvitals.view.visible import visible

MAX_METRICS = 200  # of a run, those that people read first
MAX_CURVES = 20  # of these are kept as a sparkline too
SPARK = 40  # values of a sparkline
TAIL = 0.1  # the share of its points whose mean is the level at the end, of what is not an outcome
SIGNS = {role.metric: -1.0 if role.lower_is_better else 1.0 for role in ROLES}


class Figures(BaseModel):
    """One metric of a run. `end` is its level at the end, `curve` a few means over the whole run."""

    name: str
    last: float | None
    end: float | None
    low: float | None
    high: float | None
    curve: list[float | None] | None = None


class FiguresOfRun(BaseModel):
    """The figures of a run by metric, or by name for what no metric stands for."""

    metrics: dict[str, Figures] = {}

    def find(self, wanted: str) -> tuple[str, Figures] | None:
        """A metric by its id or by the name that it was logged under."""
        found = self.metrics.get(wanted)
        if found is not None:
            return wanted, found
        return next((one for one in self.metrics.items() if one[1].name == wanted), None)


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


def figures_of(run: Run, told: OutcomeSpark | None) -> FiguresOfRun:
    """The figures of a run; `told` is the outcome that its verdict rests on."""
    outcomes = dict.fromkeys(outcomes_of(run))
    names = [*outcomes, *sorted((n for n in names_of(run) if n not in outcomes), key=reading_order)]
    found: dict[str, Figures] = {}
    for name in names[:MAX_METRICS]:
        series = run.get(name)
        values = np.empty(0) if series is None else series.finite().values
        if series is None or not len(values):
            continue
        found[visible(name)] = Figures(
            name=visible(series.name),
            last=_tidy(float(values[-1])),
            end=_tidy(level(series, values, told)),
            low=_tidy(float(values.min())),
            high=_tidy(float(values.max())),
            curve=means(values) if len(found) < MAX_CURVES else None,
        )
    return FiguresOfRun(metrics=found)


def level(series: Series, values: FloatArray, told: OutcomeSpark | None) -> float:
    """Where it is now: an outcome as the verdict reads it, all else as the mean of its last tenth."""
    if told is not None and told.name == visible(series.name) and told.levels is not None:
        return math.nan if told.levels.now is None else told.levels.now
    sign = SIGNS.get(series.metric or "")
    if sign is not None:
        return sign * course(sign * values).now
    with np.errstate(over="ignore"):
        return float(values[-max(1, round(TAIL * len(values))) :].mean())


def means(finite: FloatArray) -> list[float | None]:
    """A series as a few means, for a line as high as a letter."""
    parts = np.array_split(finite, SPARK) if len(finite) > SPARK else finite.reshape(-1, 1)
    with np.errstate(over="ignore"):
        return [number(float(f"{part.mean():.5g}")) for part in parts]


def _tidy(value: float) -> float | None:
    return number(float(f"{value:.7g}"))
