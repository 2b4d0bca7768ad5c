"""The posterior over the level of a series: what it shows, how often noise fools it, what it costs."""

import numpy as np
import pytest

from runvitals.signals.level import DRAWS, MAX_BLOCKS, read_level

T = np.linspace(0, 1, 200)


def noise(rows: int, seed: int, lag_1: float = 0.0) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=rows + 50)
    for i in range(1, len(values)):
        values[i] += lag_1 * values[i - 1]
    return values[50:] * np.sqrt(1 - lag_1**2)


def test_a_rise_in_noise_is_read_with_its_error():
    level = read_level(10 * T + noise(200, 0))

    assert level.rose(by=5.0) > 0.99
    assert level.rose(by=15.0) < 0.01
    assert np.median(level.end) == pytest.approx(9.5, abs=1.0)
    assert 0.05 < level.end.std() < 1.0
    assert level.noise == pytest.approx(1.0, abs=0.25)


def test_a_slow_rise_and_a_sudden_end_are_both_seen():
    level = read_level(np.where(T < 0.7, 300 * T, 10.0) + noise(200, 1))

    assert level.lost(0.6, by=50.0) > 0.99
    assert np.median(level.best) == pytest.approx(200, abs=15)
    assert np.median(level.end) == pytest.approx(10, abs=10)


def test_one_step_is_a_jump_and_not_slow_noise():
    level = read_level(np.r_[np.full(60, 0.1), np.full(40, 0.5)])

    assert np.allclose((level.paths > 0.3) @ level.rows, 40)


@pytest.mark.parametrize(("rows", "lag_1"), [(20, 0.0), (60, 0.0), (60, 0.5), (200, 0.7)])
def test_noise_seldom_rises(rows, lag_1):
    sure = [read_level(noise(rows, seed, lag_1)).rose(by=0.5) > 0.9 for seed in range(100)]

    assert sum(sure) <= 6


@pytest.mark.parametrize("row", [30, 59], ids=["in the middle", "last"])
def test_a_lone_outlier_is_not_read(row):
    values = noise(60, 2)
    values[row] += 1000.0

    level = read_level(values)

    assert np.abs(level.paths).max() < 5


def test_a_first_row_far_off_is_where_the_run_began():
    level = read_level(np.r_[1000.0, noise(60, 2)])

    assert np.median(level.start) > 500


def test_rare_successes_are_not_outliers():
    level = read_level(np.array([1.0, 0.0, 0.0, 1.0, 0.0] * 12))

    assert np.median(level.end) == pytest.approx(0.4, abs=0.1)


def test_noise_that_is_louder_late_does_not_hide_a_quiet_rise():
    values = np.r_[2 * T[:100] + 0.02 * noise(100, 3), 1.0 + noise(100, 4)]

    assert read_level(values[:100]).rose(by=0.5) > 0.99
    assert read_level(values).at(0.5).std() < 0.4


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 71, 72, 73, 100, 5_000, 100_000])
def test_any_number_of_rows_is_read_as_a_bounded_number_of_blocks(rows):
    level = read_level(np.arange(rows, dtype=float))

    assert level.paths.shape == (DRAWS, len(level.rows))
    assert len(level.rows) <= MAX_BLOCKS
    assert level.rows.sum() == level.points == rows
    assert len(level.curve) == rows


def test_the_same_rows_give_the_same_answer():
    values = noise(50, 5)

    assert (read_level(values).paths == read_level(values.copy()).paths).all()


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_units_do_not_matter(scale):
    values = T + 0.3 * noise(200, 6)

    assert read_level(scale * values).rose(by=scale * 0.5) == read_level(values).rose(by=0.5)


def test_a_constant_has_no_uncertainty():
    level = read_level(np.full(30, 7.0))

    assert (level.paths == 7.0).all()
    assert level.noise == 0.0


def test_steps_whose_squares_are_0_divide_nothing_by_0():
    """As in a loss that falls to nothing at once."""
    values = np.r_[0.7, 0.7, 0.7, 1e-170 * (2 + np.sin(np.arange(60.0)))]

    with np.errstate(divide="raise", invalid="raise"):
        level = read_level(values)

    assert abs(np.median(level.end)) < 0.1


def window_means(rows: int, episodes: int, seed: int) -> np.ndarray:
    """Means over the last 100 episodes of an untrained policy, after each few of them."""
    returns = np.random.default_rng(seed).exponential(20.0, rows * episodes)
    total = np.cumsum(np.r_[0.0, returns])
    ends = np.arange(1, rows + 1) * episodes
    first = np.maximum(ends - 100, 0)
    return (total[ends] - total[first]) / (ends - first)


def test_the_first_rows_of_a_running_mean_are_loud_and_prove_nothing():
    sure = [read_level(window_means(200, 10, seed)).rose(by=1.0) > 0.9 for seed in range(100)]

    assert sum(sure) <= 5


def test_no_level_lies_outside_what_was_logged():
    for seed in range(20):
        values = np.cumsum(noise(80, seed))

        paths = read_level(values).paths

        assert values.min() <= paths.min() <= paths.max() <= values.max()


def test_a_large_clean_jump_is_not_shrunk():
    level = read_level(np.r_[np.full(50, 10.0), np.full(6, 100.0)] + 0.1 * noise(56, 7))

    assert np.median(level.end) == pytest.approx(100.0, rel=0.01)
    assert np.median(level.start) == pytest.approx(10.0, abs=1.0)


def test_a_loss_of_twice_the_best_counts_though_the_first_rows_were_far_worse():
    """From -30 to -4, and back to -9: a fifth of the gain, and twice the cost."""
    rng = np.random.default_rng(0)
    costs = np.concatenate([np.linspace(-30, -4, 40), np.linspace(-4, -9.5, 60)])
    level = read_level(costs + 0.2 * rng.standard_normal(100))

    assert level.lost(0.25, by=0.5) > 0.9
    assert read_level(costs + 100).lost(0.25, by=0.5) < 0.1
