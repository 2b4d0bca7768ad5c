from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runvitals.model import PointTable, RowBlock
from runvitals.model.points.thin import MAX_ODD, MAX_POINTS, ThinSeries, kept


def series_of(count: int, odd: set[int]) -> np.ndarray:
    values = np.arange(count, dtype=np.float64)
    values[[i for i in odd if i < count]] = np.nan
    return values


def fed(values: np.ndarray, sizes: list[int]) -> ThinSeries:
    thin = ThinSeries()
    steps, at, i = np.arange(len(values)), 0, 0
    while at < len(values):
        now = slice(at, at + sizes[i % len(sizes)])
        thin.add(steps[now], steps[now] / 10, values[now])
        at, i = now.stop, i + 1
    return thin


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(1, 40_000),
    sizes=st.lists(st.integers(1, 3000), min_size=1, max_size=5),
    odd=st.sets(st.integers(0, 40_000), max_size=50),
    dead_from=st.integers(0, 80_000),
)
def test_what_is_kept_does_not_depend_on_how_the_points_came(count, sizes, odd, dead_from):
    values = series_of(count, odd)
    values[dead_from:] = np.inf

    places, steps, times, found = fed(values, sizes).columns()

    assert places.tolist() == kept(values).tolist()
    np.testing.assert_array_equal(found, values[places])
    np.testing.assert_array_equal(steps, places)
    np.testing.assert_array_equal(times, places / 10)


def test_the_number_of_points_is_bounded_even_if_all_are_nan():
    thin = fed(np.full(100_000, np.nan), [999])

    assert len(thin.columns()[0]) <= MAX_POINTS + MAX_ODD + 1
    assert len(thin.columns()[0]) == len(kept(np.full(100_000, np.nan)))


def test_single_values_that_are_no_numbers_are_never_lost():
    values = series_of(50_001, {7, 12_345, 49_999})

    found = fed(values, [100]).columns()[3]

    assert np.isnan(found).sum() == 3
    assert found[-1] == 50_000


def block(name: str, steps: np.ndarray, values: np.ndarray) -> RowBlock:
    return RowBlock((name,), steps, steps / 10, values[:, None])


def test_a_table_of_short_series_stays_as_it_is():
    table = PointTable()
    table.add(block("loss", np.arange(MAX_POINTS), np.zeros(MAX_POINTS)))

    assert table.thinned() is table


@pytest.mark.parametrize("order", [1, -1], ids=["in order", "parts in another order"])
def test_a_long_series_is_thinned_over_all_its_lives_and_keeps_them(order):
    table = PointTable()
    parts = [(1, 0, 6000), (2, 5000, 9000), (2, 9000, 12_000)]
    for segment, first, end in parts[::order]:
        steps = np.arange(first, end)
        table.add(block("loss", steps, steps.astype(float)), segment)
    table.add(block("rare", np.arange(3), np.ones(3)))

    thin = table.thinned()

    steps, _, values = thin.column("loss")
    assert len(steps) <= MAX_POINTS
    assert (steps[0], steps[-1]) == (0, 11_999)
    assert (np.diff(steps) > 0).all()
    np.testing.assert_array_equal(steps, values)
    assert [life[0] for life in thin.lives("loss")] == [0, 5000]
    assert thin.column("rare")[0].tolist() == [0, 1, 2]
