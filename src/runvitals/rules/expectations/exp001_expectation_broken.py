from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from runvitals.model import Expectation
from runvitals.model.expectation import YOURS
from runvitals.rules.kit import FloatArray, Hit, Limit, Patient, Series, Span, number, rule

Flags = NDArray[np.bool_]
ADVICE = "find out what differs from the runs behind this expectation"


@rule("EXP001", needs=["expectations"], area="expectations")
def expectation_broken(patient: Patient, *, points: int = 3) -> Iterator[Hit | None]:
    """The run does not do what its script said to expect with `run.expect(...)`.

    ## What it looks for
    - With `by_step`: the metric has not stayed within its bounds for `points` points in a row by
      that step (or for all its points, if there are fewer).
    - Otherwise: the metric is out of its bounds for `points` points in a row, counted from
      `after_step` if that was given. NaN is always out of bounds.

    ## Why it matters
    You know this task better than any rule does.

    ## Usual causes
    1. The run is going worse than earlier ones.
    2. The expectation comes from another task, unit or step counter.

    ## What to try
    Compare the run with one that met the expectation. If the expectation is wrong, change it.

    ## When to ignore it
    Never. Remove the expectation from the script instead.

    ## Sources
    Your own script.
    """
    for one in patient.run.expectations:
        if one.metric is not None and one.rule is None:
            yield from _broken(patient, one, one.metric, points)


def _broken(patient: Patient, one: Expectation, metric: str, points: int) -> Iterator[Hit | None]:
    series = patient.raw(metric)
    if one.by_step is not None and patient.last_step >= one.by_step:
        yield _not_reached(series, one, metric, one.by_step, points)
    if series is not None and (one.by_step is None or one.after_step is not None):
        yield _left(series, one, points)


def _not_reached(
    series: Series | None, one: Expectation, metric: str, by: int, points: int
) -> Hit | None:
    until = 0 if series is None else int(np.searchsorted(series.steps, by, side="right"))
    if series is None or not until:
        message = f"expected {metric} {_bounds(one)} by step {by:,}, but it was not logged"
        return _hit(one, metric, Span(by, by, 0), message)
    inside = _inside(series.values[:until], one)
    if not _in_a_row(inside, min(points, until)):
        now = float(series.values[until - 1])
        message = (
            f"expected {series.name} {_bounds(one)} by step {by:,}, but it was {number(now, 4)}"
        )
        return _hit(one, series.name, series.span(0, until - 1), message)
    return None


def _left(series: Series, one: Expectation, points: int) -> Hit | None:
    begin = 0 if one.after_step is None else int(np.searchsorted(series.steps, one.after_step))
    outside = ~_inside(series.values[begin:], one)
    found = _in_a_row(outside, points)
    if found:
        first = begin + int(found[0])
        last = begin + int(np.flatnonzero(outside)[-1])
        now = float(series.values[first])
        since = "" if one.after_step is None else f" from step {one.after_step:,}"
        return _hit(
            one,
            series.name,
            Span(int(series.steps[first]), int(series.steps[last]), int(outside.sum())),
            f"expected {series.name} {_bounds(one)}{since}, but it was {number(now, 4)} at step "
            f"{int(series.steps[first]):,}",
        )
    return None


def _hit(one: Expectation, series: str, span: Span, message: str) -> Hit:
    bound = one.above if one.above is not None else one.below
    return Hit(
        series=series,
        span=span,
        message=f"{message} ({one.reason})" if one.reason else message,
        advice=ADVICE,
        severity=one.severity,
        causes=("the run is going worse than expected", "the expectation is for another setup"),
        limit=None if bound is None else Limit(bound, YOURS, from_run=True),
    )


def _bounds(one: Expectation) -> str:
    if one.above is not None and one.below is not None:
        return f"between {one.above:g} and {one.below:g}"
    return f"above {one.above:g}" if one.above is not None else f"below {one.below:g}"


def _inside(values: FloatArray, one: Expectation) -> Flags:
    inside: Flags = ~np.isnan(values)
    if one.above is not None:
        inside &= values > one.above
    if one.below is not None:
        inside &= values < one.below
    return inside


def _in_a_row(flags: Flags, count: int) -> list[int]:
    """Where the first stretch of this many begins; empty if there is none."""
    if len(flags) < count or count < 1:
        return []
    windows = np.lib.stride_tricks.sliding_window_view(flags, count)
    return [int(begin) for begin in np.flatnonzero(windows.all(axis=1))[:1]]
