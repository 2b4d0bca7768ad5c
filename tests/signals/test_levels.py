import numpy as np
import pytest
from tests.rules.reward.curves import collapsing, solved, wandering

from runvitals.signals.levels import (
    deviation,
    error_of_mean,
    errors_of_means,
    is_two_valued,
    levels,
    turns,
)
from runvitals.signals.roughness import wander_of


def alike(n, lag_1, seed):
    """Noise of unit variance in which neighbours are alike."""
    values = np.random.default_rng(seed).normal(size=n + 50)
    for i in range(1, len(values)):
        values[i] += lag_1 * values[i - 1]
    return values[50:] * np.sqrt(1 - lag_1**2)


@pytest.mark.parametrize("width", [1, 4, 16])
def test_the_error_of_a_mean_of_noise_is_that_of_the_textbook(width):
    found = [error_of_mean(errors_of_means(alike(400, 0.0, seed)).far, width) for seed in range(20)]

    assert np.mean(found) == pytest.approx(1 / np.sqrt(width), rel=0.2)


def test_slow_wandering_makes_means_less_sure():
    rough, slow = (
        np.mean([error_of_mean(errors_of_means(alike(200, r, s)).far, 16) for s in range(20)])
        for r in (0.0, 0.8)
    )

    assert slow > 1.8 * rough


@pytest.mark.parametrize("n", [40, 100, 400])
def test_a_step_is_no_slow_wandering(n):
    steps = np.where(np.arange(n) < n // 4, -40.0, np.where(np.arange(n) < n // 2, -25.0, -33.0))
    noise = alike(n, 0.0, 1)

    flat, stepped = (errors_of_means(one).far for one in (noise, steps + noise))

    assert error_of_mean(stepped, n // 5) < 2.5 * error_of_mean(flat, n // 5) + 0.1


def test_a_steady_rise_adds_no_error():
    noise = alike(100, 0.0, 2)

    flat, rising = (errors_of_means(one).far for one in (noise, noise + np.arange(100.0)))

    assert rising == pytest.approx(flat, rel=0.3)


def test_likeness_of_neighbours_is_told_by_how_bends_grow():
    found = [np.mean([wander_of(alike(300, r, s)).alike for s in range(10)]) for r in (0, 0.5, 0.9)]

    assert found == pytest.approx([0.0, 0.5, 0.9], abs=0.12)


def test_start_best_and_now_are_means_of_what_was_logged():
    read = levels(collapsing())

    assert read.start.value == pytest.approx(20, abs=40)
    assert read.best.value == pytest.approx(400, abs=30)
    assert read.now.value == pytest.approx(10, abs=3)
    assert 44 <= read.best_index <= 48


def test_long_series_begin_and_end_where_they_do():
    t = np.linspace(0, 1, 2400)
    read = levels(0.948 + 0.001 * t + 0.2 * np.random.default_rng(0).normal(size=2400))

    assert read.start.value == pytest.approx(0.948, abs=0.04)
    assert read.now.value == pytest.approx(0.949, abs=0.04)
    assert len(read.curve) == 2400


def test_an_untrained_first_point_is_the_start():
    assert levels(np.r_[22.0, 480 + 8 * wandering(79)]).start.value < 60


def test_fast_learners_keep_their_start():
    assert levels(solved()).start.value < 60


def test_a_wild_first_point_is_not():
    assert levels(np.r_[5000.0, 480 + 8 * wandering(79)]).start.value == pytest.approx(480, abs=15)


def test_a_single_wild_point_moves_nothing():
    calm = 100 + alike(80, 0.0, 3)
    wild = np.where(np.arange(80) == 70, -1e4, calm)

    for mine, other in zip(levels(calm)[:3], levels(wild)[:3], strict=True):
        assert mine.value == pytest.approx(other.value, abs=1.0)


def test_hits_and_misses_are_read_as_their_share():
    rng = np.random.default_rng(0)
    read = levels((rng.random(400) < np.where(np.arange(400) < 200, 0.95, 0.55)).astype(float))

    assert read.start.value == pytest.approx(0.95, abs=0.06)
    assert read.now.value == pytest.approx(0.55, abs=0.12)
    assert 0.03 < read.now.error < 0.12


@pytest.mark.parametrize(
    ("values", "two"),
    [([0, 1, 1, 0], True), ([0, 0, 0], False), ([0, 1, 2], False), ([3, 5, 5], True)],
)
def test_knows_hits_and_misses(values, two):
    assert is_two_valued(np.array(values, float)) is two


@pytest.mark.parametrize(
    ("curve", "count"),
    [([0, 1], 0), ([0, 1, 0], 1), ([0, 1, 0, 1], 2), ([1, 1, 1], 0), ([0, 1, 0.9, 1.1], 0)],
)
def test_counts_turns(curve, count):
    assert turns(np.array(curve, float)) == count


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 11])
@pytest.mark.parametrize("of", [np.zeros, np.ones, np.arange], ids=["zeros", "ones", "line"])
def test_survives_few_points(n, of):
    read = levels(of(n).astype(float))

    assert np.isfinite([*read.start, *read.best, *read.now, read.noise]).all()
    assert len(read.curve) == n


def test_the_deviation_is_that_of_numpy():
    values = np.random.default_rng(0).normal(3.0, 2.0, size=777)

    assert deviation(values) == values.std()


def test_a_series_that_begins_with_two_values_is_not_taken_for_hits_and_misses():
    assert not is_two_valued(np.array([0.0, 1.0] * 10 + [0.5]))
    assert not is_two_valued(np.array([0.0, 1.0, 2.0]))
    assert is_two_valued(np.array([0.0, 1.0] * 10))
