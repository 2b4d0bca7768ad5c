"""The few numbers of a run that a person looks at first, each beside what is healthy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from runvitals import catalog
from runvitals.exporters.formatting import number
from runvitals.model import Band, FloatArray, Metric, Run, Series

GROUPS = ("outcome", "eval", "health", "data", "speed")
SHARES = {"outcome": 3, "eval": 2, "health": 6, "data": 2, "speed": 2}  # rows, at the usual height
UNLISTED = catalog.reading_place("")  # the place of what nobody looks at first
LATEST = 5  # points whose median is held against the band


@dataclass(frozen=True)
class Healthy:
    """A range that is usual for this kind of run. Open ends are None."""

    low: float | None
    high: float | None

    def place(self, value: float) -> str:
        """Where a value lies: `inside`, `above` or `below`."""
        if self.low is not None and value < self.low:
            return "below"
        return "above" if self.high is not None and value > self.high else "inside"

    def __str__(self) -> str:
        if self.low is None:
            return "" if self.high is None else f"<= {number(self.high)}"
        if self.high is None:
            return f">= {number(self.low)}"
        return f"{number(self.low)} to {number(self.high)}"


@dataclass(frozen=True)
class Vital:
    """One metric: the name it was logged under, its curve, and its healthy range if there is one."""

    group: str
    name: str
    values: FloatArray
    healthy: Healthy | None

    @property
    def last(self) -> float:
        """The newest value."""
        return float(self.values[-1])

    @property
    def place(self) -> str | None:
        """Where its latest level lies in the healthy range; None if there is none."""
        latest = self.values[-LATEST:][np.isfinite(self.values[-LATEST:])]
        if self.healthy is None or not len(latest):
            return None
        return self.healthy.place(float(np.median(latest)))


def vitals(run: Run, outcome: str | None = None, *, rows: int | None = None) -> list[Vital]:
    """The outcome that the verdict rests on, then the most telling metrics of each group."""
    chosen = list(_in_reading_order(run, outcome))
    if rows is None or rows >= sum(SHARES.values()):
        return chosen
    spare = sum(SHARES.values()) - rows
    for group in ("data", "eval", "health", "speed", "outcome"):
        mine = [vital for vital in chosen if vital.group == group]
        for vital in mine[: 0 if group == "data" else 1 : -1][: max(0, spare)]:
            chosen.remove(vital)
            spare -= 1
    return chosen[:rows]


def _in_reading_order(run: Run, outcome: str | None) -> Iterator[Vital]:
    by_group: dict[str, list[tuple[int, str, str]]] = {group: [] for group in GROUPS}
    for metric, names in run.metrics().items():
        group: str = catalog.group_of(metric)
        if group in by_group:
            place = -1 if outcome in (metric, *names) else catalog.reading_place(metric)
            if group != "data" or place < UNLISTED:
                by_group[group].append((place, metric, names[0]))
    first = "eval" if any(place < 0 for place, *_ in by_group["eval"]) else "outcome"
    for group in sorted(GROUPS, key=lambda g: (g != first, GROUPS.index(g))):
        for _, metric, _ in sorted(by_group[group])[: SHARES[group]]:
            series = run.get(metric)
            if series is not None and len(series):
                yield Vital(group, series.name, series.values, healthy_range(run, series))
    if not any(by_group.values()):
        for name in run.names()[: SHARES["health"]]:
            yield Vital("other", name, run[name].values, None)


def healthy_range(run: Run, series: Series) -> Healthy | None:
    """What the run's own settings say, or else all that the catalog calls healthy for its algorithm."""
    known = None if series.metric is None else catalog.metric(series.metric)
    return None if known is None else healthy_for(run, known)


def healthy_for(run: Run, metric: Metric) -> Healthy | None:
    """The same of a metric, whatever its values."""
    own = set_by_run(run, metric)
    if own is not None:
        return _around(*own)
    bands = usual_bands(run, metric)
    return _hull(bands) if bands else None


def set_by_run(run: Run, metric: Metric) -> tuple[Band, float] | None:
    """The band whose number is a setting of this run, and that number; None if there is none.

    An upper limit of 0 or below is switched off.
    """
    for band in metric.healthy:
        value = run.settings.get(band.config_key or "")
        if not isinstance(value, int | float) or isinstance(value, bool):
            continue
        if np.isfinite(value) and (band.high is None or value > 0):
            return band, float(value)
    return None


def _around(band: Band, value: float) -> Healthy:
    """A setting is the one limit there is; where there are two, how far each is from their middle."""
    if band.low is None or band.high is None:
        low, high = (None, value) if band.low is None else (value, None)
        return Healthy(low, high)
    middle = (band.low + band.high) / 2
    return Healthy(middle - value, middle + value)


def usual_bands(run: Run, metric: Metric) -> list[Band]:
    """What the catalog calls healthy for the algorithm of this run, whatever its settings."""
    return [
        band
        for band in metric.healthy
        if band.config_key is None
        and "multiple" not in band.context
        and (not band.algorithms or run.algorithm in band.algorithms)
    ]


def _hull(bands: Sequence[Band]) -> Healthy:
    lows = [band.low for band in bands if band.low is not None]
    highs = [band.high for band in bands if band.high is not None]
    return Healthy(
        min(lows) if len(lows) == len(bands) else None,
        max(highs) if len(highs) == len(bands) else None,
    )
