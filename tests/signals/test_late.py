"""The early and the late part of a series."""

import math

import numpy as np
import pytest

from runvitals.signals.late import (
    FIFTH,
    HALF,
    QUARTER,
    TENTH,
    THIRD,
    early,
    early_mean,
    early_median,
    late,
    late_mean,
    late_median,
    start_median,
)


@pytest.mark.parametrize("parts", [2, 3, 4, 5, 10])
def test_a_share_is_so_many_whole_points_at_any_length(parts):
    share = {2: HALF, 3: THIRD, 4: QUARTER, 5: FIFTH, 10: TENTH}[parts]
    for points in range(parts, 3000):
        values = np.arange(float(points))
        assert len(late(values, share, 1)) == len(early(values, share, 1)) == points // parts


def test_a_short_series_gives_the_least_points_and_one_shorter_than_that_all():
    assert late(np.arange(9.0), FIFTH, 4).tolist() == [5.0, 6.0, 7.0, 8.0]
    assert early(np.arange(9.0), FIFTH, 4).tolist() == [0.0, 1.0, 2.0, 3.0]
    assert late(np.arange(2.0), FIFTH, 4).tolist() == [0.0, 1.0]


def test_a_median_does_not_heed_a_wild_point_and_a_mean_counts_successes():
    values = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1e6])
    assert (early_median(values), late_median(values)) == (0.0, 1.0)
    tries = np.array([0.0, 1.0, 0.0, 0.0] * 5 + [1.0, 0.0, 1.0, 1.0] * 5)
    assert (early_mean(tries, HALF), late_mean(tries, HALF)) == (0.25, 0.75)


def test_the_start_is_the_first_points_however_long_the_series():
    falling = np.concatenate([[9.0, 2.0, 3.0], np.zeros(97)])
    assert start_median(falling) == 3.0
    assert start_median(falling, 5) == 2.0


@pytest.mark.parametrize("level", [early_mean, early_median, late_mean, late_median, start_median])
def test_nothing_has_no_level(level):
    assert math.isnan(level(np.empty(0)))
