"""Which range holds for a series of a run: its own settings first, then what is closest to its kind."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from runvitals import catalog
from runvitals.model import Band, BandKind, Run, Series
from runvitals.model.formatting import number
from runvitals.signals.late import early_median
from runvitals.vitals.context import RunContext, setting_number


@dataclass(frozen=True)
class Range:
    """A lower and an upper end, and their source. Open ends are None."""

    low: float | None
    high: float | None
    source: str
    why: str = ""
    kind: BandKind = "range"
    late: bool = False  # counts only in the second half of training
    unless: str = ""  # points at which that metric is not zero do not count
    setting: str | None = None  # of this run that gave the numbers

    def side(self, value: float) -> str:
        """Where a value lies: `inside`, `above` or `below`."""
        if self.low is not None and value < self.low:
            return "below"
        return "above" if self.high is not None and value > self.high else "inside"

    def edge(self, place: str) -> float | None:
        """The end that a value on this side has passed; None if it is inside."""
        return {"below": self.low, "above": self.high}.get(place)

    def __str__(self) -> str:
        if self.low is None:
            return "" if self.high is None else f"<= {number(self.high)}"
        if self.high is None:
            return f">= {number(self.low)}"
        return f"{number(self.low)} to {number(self.high)}"


class Ranges(NamedTuple):
    """The ranges that hold for one series; None where there is none of that kind."""

    range: Range | None = None
    limit: Range | None = None
    usual: Range | None = None

    @property
    def judged(self) -> Range | None:
        """What its level is held against."""
        return self.range or self.limit

    @property
    def healthy(self) -> Range | None:
        """The range to draw as good. A limit is not one, since staying within it proves nothing."""
        return self.range or self.usual


def range_of(
    run: Run, metric: str, *, name: str | None = None, context: RunContext | None = None
) -> Range | None:
    """The range that a metric of this run is held against; None if there is none.

    `name`: of several logged names of the metric, this one.
    """
    return ranges_of(run, metric, name=name, context=context).judged


def ranges_of(
    run: Run, metric: str, *, name: str | None = None, context: RunContext | None = None
) -> Ranges:
    """All ranges that hold for a metric of this run."""
    known = catalog.metric(metric)
    if known is None or not known.healthy:
        return Ranges()
    series = series_of(run, name) if name is not None else run.get(metric)
    if series is None:
        return Ranges()
    return choose(context or RunContext(run), known.healthy, series)


def series_of(run: Run, name: str) -> Series | None:
    """The series logged under a name, in the catalog's unit and sign, with its labels."""
    series, binding = run.get(name), run.bindings.get(name)
    if series is None or binding is None or binding.metric == name:
        return series
    values = series.values if binding.convert is None else binding.convert(series.values)
    return Series(name, series.steps, values, series.times, binding.metric, binding.labels)


def choose(context: RunContext, bands: Iterable[Band], series: Series) -> Ranges:
    """Of each kind the closest band: one with a setting of the run, else the most particular."""
    best: dict[BandKind, tuple[int, Range]] = {}
    for band in bands:
        found = _by_setting(context, band, series) or _as_written(context, band, series)
        if found is None:
            continue
        near = 8 if found.setting else _particular(band)
        if band.kind not in best or near > best[band.kind][0]:
            best[band.kind] = near, found
    return Ranges(**{kind: found for kind, (_, found) in best.items()})


def _particular(band: Band) -> int:
    """How closely a band describes the runs it is for."""
    tool = bool(band.tools or band.names)
    return 4 * tool + 2 * bool(band.kinds) + bool(band.algorithms) + bool(band.actions)


def _by_setting(context: RunContext, band: Band, series: Series) -> Range | None:
    """The range that the run's config sets; an upper limit of 0 or below is switched off."""
    if band.config_key is None or not context.holds(band, series, set_by_run=True):
        return None
    keys = band.config_key.split()
    if len(keys) == 2:
        low, high = (setting_number(context.run, key) for key in keys)
        if low is None and high is None:
            return None
        told = [
            f"{key} {value:g}"
            for key, value in zip(keys, (low, high), strict=True)
            if value is not None
        ]
        if low is None:
            low = band.low
        if high is None:
            high = band.high
        return _made(band, low, high, f"this run's {' and '.join(told)}", band.config_key)
    value = setting_number(context.run, keys[0])
    if value is None or (band.high is not None and value <= 0):
        return None
    source = f"this run's {keys[0]} {value:g}"
    if band.low is None:
        return _made(band, None, value, source, keys[0])
    return _made(band, value, None, source, keys[0])


def _as_written(context: RunContext, band: Band, series: Series) -> Range | None:
    """The band's own numbers, or this many times what is usual for this series."""
    if not context.holds(band, series):
        return None
    if not band.times:
        return _made(band, band.low, band.high, band.source)
    values = series.finite().values
    if not len(values):
        return None
    own = float(np.median(values)) if band.times == "its median" else early_median(values)
    if not own > 0:
        return None
    low, high = (None if end is None else end * own for end in (band.low, band.high))
    factor = band.low if band.high is None else band.high
    return _made(band, low, high, f"{factor:g} x {band.times}, {band.source}")


def _made(
    band: Band, low: float | None, high: float | None, source: str, setting: str | None = None
) -> Range:
    return Range(low, high, source, band.why, band.kind, band.late, band.unless, setting)
