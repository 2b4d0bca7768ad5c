"""What detectors say about series in which something does happen."""

from __future__ import annotations

import math

import numpy as np
import pytest

from runvitals.model.row import FloatArray
from runvitals.model.series import Series
from runvitals.signals.change import level_shift
from runvitals.signals.pairs import aligned, aligned_all, rank_correlation
from runvitals.signals.robust import (
    autocorrelation_time,
    finite,
    median,
    monotone,
    noise,
    running_median,
    spread,
    wander,
)

RNG = np.random.default_rng(0)
TIME = np.linspace(0, 1, 100)
NOISE = RNG.standard_t(3, 100)
CURVES = {
    "straight": TIME,
    "sigmoid": 1 / (1 + np.exp(-10 * (TIME - 0.4))),
    "saturating": 1 - np.exp(-5 * TIME),
    "step": (TIME > 0.6).astype(float),
}


def series(values: FloatArray, every: int = 10) -> Series:
    steps = np.arange(len(values)) * every
    return Series("x", steps, np.asarray(values, float), steps.astype(float))


# level, spread, noise


def test_wild_points_move_neither_level_nor_spread() -> None:
    values = RNG.standard_normal(1000)
    wild = values.copy()
    wild[:100] = 1e9

    assert median(wild) == pytest.approx(median(values), abs=0.2)
    assert spread(wild) == pytest.approx(1.0, abs=0.25)


def test_a_trend_does_not_look_like_noise() -> None:
    values = 0.1 * RNG.standard_normal(500) + np.linspace(0, 100, 500)

    assert noise(values) == pytest.approx(0.1, rel=0.3)
    assert spread(values) > 20


def test_values_that_are_not_numbers_are_left_out() -> None:
    values = np.array([1.0, math.nan, 2.0, math.inf, 3.0])

    assert median(finite(values)) == 2.0
    assert math.isnan(median(finite(np.array([math.nan]))))
    assert math.isnan(spread(np.array([])))


def test_autocorrelation_time_grows_with_wandering_and_not_with_learning() -> None:
    white = RNG.standard_normal(2000)
    slow = np.convolve(white, np.ones(10) / 10, "valid")

    assert autocorrelation_time(white) < 1.3
    assert autocorrelation_time(slow) > 5
    assert autocorrelation_time(CURVES["sigmoid"] + 0.02 * NOISE) < 3


def test_wander_lies_between_noise_and_spread() -> None:
    walk = np.cumsum(RNG.standard_normal(400))

    assert noise(walk) <= wander(walk) < spread(walk)


def test_the_running_median_looks_back_only() -> None:
    values = np.array([1.0, 1.0, 1.0, 9.0, 9.0, 9.0])

    assert running_median(values, 3).tolist() == [1.0, 1.0, 1.0, 1.0, 9.0, 9.0]
    assert running_median(np.array([]), 3).tolist() == []


def test_the_monotone_curve_follows_the_way_the_series_goes() -> None:
    assert (np.diff(monotone(CURVES["sigmoid"] + 0.1 * NOISE)) >= 0).all()
    assert (np.diff(monotone(-CURVES["sigmoid"] + 0.1 * NOISE)) <= 0).all()


# spikes and shifts


def test_a_level_shift_is_found_where_it_is() -> None:
    found = level_shift(np.where(TIME < 0.6, 1.0, 3.0) + 0.1 * NOISE)

    assert found is not None
    assert found.at == pytest.approx(60, abs=1)
    assert (found.before, found.after) == pytest.approx((1.0, 3.0), abs=0.1)


def test_a_slope_and_a_spike_are_no_level_shifts() -> None:
    spike = np.where(np.arange(100) == 50, 100.0, 0.0)

    assert level_shift(10 * TIME + 0.1 * NOISE) is None
    assert level_shift(spike + 0.1 * NOISE) is None


# falls


# rhythm


# pairs


def test_series_of_different_cadence_are_aligned_at_the_sparser_steps() -> None:
    often = series(np.arange(10.0), every=1)
    seldom = Series("y", np.array([2, 7, 20]), np.array([1.0, 2.0, 3.0]), np.zeros(3))

    steps, mine, theirs = aligned(often, seldom)

    assert steps.tolist() == [2, 7, 20]
    assert mine.tolist() == [2.0, 7.0, 9.0]
    assert theirs.tolist() == [1.0, 2.0, 3.0]


def test_three_series_are_aligned_at_the_steps_of_the_sparsest_where_all_have_begun() -> None:
    often = series(np.arange(10.0), every=1)
    seldom = Series("y", np.array([2, 7, 20]), np.array([1.0, 2.0, 3.0]), np.zeros(3))
    late = Series("z", np.array([5, 6, 7, 8]), np.array([5.0, 6.0, 7.0, 8.0]), np.zeros(4))

    steps, mine, theirs, latest = aligned_all(often, seldom, late)

    assert steps.tolist() == [7, 20]
    assert mine.tolist() == [7.0, 9.0]
    assert theirs.tolist() == [2.0, 3.0]
    assert latest.tolist() == [7.0, 8.0]


def test_rank_correlation_agrees_with_scipy() -> None:
    from scipy.stats import spearmanr

    a, b = np.round(NOISE), np.round(NOISE + RNG.standard_normal(100))

    assert rank_correlation(a, b) == pytest.approx(spearmanr(a, b).statistic)


# against the own past
