from __future__ import annotations

import numpy as np
import pytest

from runvitals.comparison.resampling import over_pairs, over_runs, within_runs


@pytest.mark.parametrize("runs", [3, 5, 10])
def test_an_interval_over_runs_holds_the_truth_about_as_often_as_it_claims(runs):
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(300):
        base, other = rng.normal(0.0, 1.0, runs), rng.normal(2.0, 1.0, runs)
        interval = over_runs(base, other)
        hits += interval.low <= 2.0 <= interval.high

    assert hits / 300 >= 0.92


def test_pairs_see_a_small_difference_that_seeds_hide():
    rng = np.random.default_rng(0)
    seeds = rng.normal(100.0, 20.0, 8)
    base, other = seeds, seeds + 3.0 + rng.normal(0.0, 0.5, 8)

    assert over_pairs(base, other).excludes_zero
    assert not over_runs(base, other).excludes_zero


def test_two_runs_a_side_are_hardly_enough_for_anything():
    interval = over_runs(np.array([1.0, 2.0]), np.array([3.0, 4.0]))

    assert not interval.excludes_zero


def test_noise_within_runs_is_wider_when_neighbours_are_alike():
    rng = np.random.default_rng(0)
    white = rng.normal(size=400)
    slow = np.zeros(400)
    for i in range(1, 400):
        slow[i] = 0.9 * slow[i - 1] + np.sqrt(1 - 0.81) * white[i]
    quick = within_runs(0.0, white, white)
    lazy = within_runs(0.0, slow, slow)

    assert quick is not None
    assert lazy is not None
    assert lazy.high - lazy.low > 2.0 * (quick.high - quick.low)
    assert lazy.kind == "within"


def test_a_few_points_say_nothing_about_noise():
    assert within_runs(1.0, np.ones(5), np.ones(50)) is None
