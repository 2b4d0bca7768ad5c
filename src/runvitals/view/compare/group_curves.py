"""Groups of seeds as one curve each, with a band that says how sure it is."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from runvitals import catalog
from runvitals.model import FloatArray
from runvitals.view.json_safe import number
from runvitals.view.points.axis_series import AxisSeries
from runvitals.view.points.buckets import bucketed, cut
from runvitals.view.schemas.comparison import GroupCurve, GroupCurves

DRAWS = 500
LEVEL = 0.95
MOST_RUNS = (0.1, 0.9)  # the share of runs between which the band around a median lies
Center = Literal["mean", "median"]
Stretch = tuple[float | None, float | None]  # the lowest and the highest x, None for the ends


def group_curves(
    metric: str,
    groups: Mapping[str, Sequence[tuple[str, AxisSeries]]],
    *,
    points: int,
    center: Center,
    stretch: Stretch = (None, None),
) -> GroupCurves:
    """Each run as straight lines between its points, over one x; a band where all runs are."""
    every = [series for mine in groups.values() for _, series in mine if len(series.x)]
    known = catalog.metric(metric)
    x = _common_x(every, points, stretch)
    return GroupCurves(
        metric=metric,
        title=metric if known is None else known.title or known.id,
        unit="" if known is None else known.unit,
        x=x.tolist(),
        groups=[_curve(label, mine, x, center) for label, mine in groups.items()],
    )


def _common_x(every: Sequence[AxisSeries], points: int, stretch: Stretch) -> FloatArray:
    if not every:
        return np.empty(0)
    low = min(float(series.x[0]) for series in every)
    high = max(float(series.x[-1]) for series in every)
    low = low if stretch[0] is None else min(max(low, stretch[0]), high)
    high = high if stretch[1] is None else max(min(high, stretch[1]), low)
    return np.linspace(low, high, points) if high > low else np.array([low])


def _curve(
    label: str, runs: Sequence[tuple[str, AxisSeries]], x: FloatArray, center: Center
) -> GroupCurve:
    lines = [_on(series, x) for _, series in runs]
    values = np.array(lines).reshape(len(lines), len(x))
    here = np.isfinite(values)
    low, high = _band(values, center)
    middle = _centre(values, center)
    return GroupCurve(
        label=label,
        runs=[id for id, _ in runs],
        center=[number(v) for v in middle.tolist()],
        low=[number(v) for v in low.tolist()],
        high=[number(v) for v in high.tolist()],
        count=here.sum(axis=0).tolist(),
    )


def _on(series: AxisSeries, x: FloatArray) -> FloatArray:
    """A run at the common x: means of its points around each, NaN where it has none left."""
    if not len(x) or not len(series.x):
        return np.full(len(x), np.nan)
    first, stop = cut(series, float(x[0]), float(x[-1]))
    at, values = series.x[first:stop], np.asarray(series.values[first:stop])
    if len(at) > 2 * len(x):
        made = bucketed(series, first, stop, len(x))
        at, values = made.x, made.mean
    known = np.isfinite(values)
    at, values = at[known], values[known]
    if not len(at):
        return np.full(len(x), np.nan)
    slack = (float(at[-1]) - float(at[0])) / len(at)
    inside = (x >= at[0] - slack) & (x <= at[-1] + slack)
    return np.where(inside, np.interp(x, at, values), np.nan)


def _centre(values: FloatArray, center: Center) -> FloatArray:
    found = np.full(values.shape[1], np.nan)
    here = np.isfinite(values).any(axis=0)
    take = np.nanmean if center == "mean" else np.nanmedian
    if here.any():
        found[here] = take(values[:, here], axis=0)
    return found


def _band(values: FloatArray, center: Center) -> tuple[FloatArray, FloatArray]:
    """The band where all runs are: where one ends, it would jump."""
    low, high = np.full(values.shape[1], np.nan), np.full(values.shape[1], np.nan)
    at = np.isfinite(values).all(axis=0)
    runs = len(values)
    if runs < 2 or not at.any():
        return low, high
    mine = values[:, at]
    if center == "median":
        low[at], high[at] = np.quantile(mine, MOST_RUNS, axis=0)
    else:
        drawn = np.random.default_rng(0).integers(0, runs, (DRAWS, runs))
        times = np.stack([np.bincount(rows, minlength=runs) for rows in drawn])
        centres = times.astype(np.float64) @ mine / runs
        low[at], high[at] = np.quantile(centres, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return low, high
