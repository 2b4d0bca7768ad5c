"""A chart of many ranks: the range over all of them, and the ranks that matter."""

import numpy as np
import pytest

from runvitals.model import PointTable, RowBlock, Run
from runvitals.view.points.axis_series import AxisSeriesCache, series_key, split_key
from runvitals.view.points.ranks import MANY_RANKS, MAX_CHOSEN, by_interest, spread_of
from runvitals.view.run.charts import series_names

RANKS, ROWS, SICK, LOW = 100, 50, 57, 93
NAME = "time/step_s"


def a_run(values, steps=None):
    points = PointTable()
    for rank, mine in enumerate(values):
        at = np.arange(len(mine)) if steps is None else steps[rank]
        points.add(RowBlock((NAME,), at, 1e9 + at, np.asarray(mine, float)[:, None], rank))
    return Run(id="r", points=points)


@pytest.fixture
def many():
    values = np.random.default_rng(0).normal(1.0, 0.01, (RANKS, ROWS))
    values[SICK] += 1.0
    values[LOW] -= 0.5
    return a_run(values), values


def test_the_ranks_farthest_out_are_among_the_few_that_are_shown(many):
    names = series_names(many[0], NAME)

    assert [one.of_ranks for one in names[:3]] == ["lowest", "median", "highest"]
    assert {one.rank for one in names[3:5]} == {SICK, LOW}
    assert len(names) == 3 + MAX_CHOSEN


def test_a_rank_that_a_finding_names_is_shown_wherever_it_lies(many):
    names = series_names(many[0], NAME, {NAME: {12}})

    assert [(one.rank, one.told) for one in names[3:5]] == [(12, True), (SICK, False)]


def test_few_ranks_are_all_shown():
    names = series_names(a_run(np.arange(MANY_RANKS * 4.0).reshape(MANY_RANKS, 4)), NAME)

    assert sorted(one.rank for one in names) == list(range(MANY_RANKS))


def test_ranks_that_agree_are_one_series():
    assert [one.rank for one in series_names(a_run(np.ones((RANKS, 5))), NAME)] == [None]


def test_the_range_is_that_of_all_ranks(many):
    run, values = many
    axis_series = AxisSeriesCache(run)
    found = {}
    for which in ("lowest", "median", "highest"):
        key = series_key(NAME, which)
        found[which] = axis_series.get(*split_key(run, key), "step").values

    np.testing.assert_allclose(found["lowest"], values.min(axis=0))
    np.testing.assert_allclose(found["median"], np.median(values, axis=0))
    np.testing.assert_allclose(found["highest"], values.max(axis=0))


def test_ranks_that_miss_steps_or_log_nan_count_where_they_have_a_value():
    steps = [np.array([0, 1, 2]), np.array([0, 2]), np.array([1, 2])]
    run = a_run([[1, np.nan, 3], [5, 7], [4, np.inf]], steps)

    spread = spread_of(run, NAME)

    np.testing.assert_array_equal(spread.steps, [0, 1, 2])
    np.testing.assert_array_equal(spread.lowest, [1, 4, 3])
    np.testing.assert_array_equal(spread.median, [3, 4, 5])
    np.testing.assert_array_equal(spread.highest, [5, 4, 7])


def test_a_long_run_loses_no_peak(many, monkeypatch):
    run, values = many
    monkeypatch.setattr("runvitals.view.points.ranks.MAX_CELLS", RANKS * 10)

    spread = spread_of(run, NAME)

    np.testing.assert_allclose(spread.highest, values.max(axis=0).reshape(10, 5).max(axis=1))
    np.testing.assert_allclose(spread.median, np.median(values, axis=0)[::5])


def test_a_rank_without_a_number_comes_first():
    run = a_run([[1.0, 1.0], [np.nan, np.nan], [1.1, 1.1]])

    assert by_interest(run.points, NAME, [0, 1, 2], set())[0] == 1
