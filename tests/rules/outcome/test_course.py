"""How one outcome went: which shape it has, and how seldom noise is taken for one."""

from collections import Counter

import numpy as np
import pytest
from tests.rules.reward.curves import (
    collapsing,
    learning,
    solved,
    stuck,
    wandering,
    window_mean,
    worsening,
)

from runvitals.rules.outcome.course import course
from runvitals.rules.patient import Patient
from runvitals.testing import make_run

T = np.linspace(0, 1, 80)
SEEDS = range(8)


def hits(*shares, n=400, seed=0):
    """Hits and misses with these chances, one after the other."""
    chance = np.repeat(shares, n // len(shares))
    return (np.random.default_rng(seed).random(len(chance)) < chance).astype(float)


def steps(*levels, n=100, noise=1.5, seed=0):
    parts = np.repeat(levels, n // len(levels))
    return parts + noise * np.random.default_rng(seed).normal(size=len(parts))


def alike(n, lag_1, seed):
    values = np.random.default_rng(seed).normal(size=n + 50)
    for i in range(1, len(values)):
        values[i] += lag_1 * values[i - 1]
    return values[50:] * np.sqrt(1 - lag_1**2)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("curve", "shape"),
    [(learning, "rose"), (solved, "rose"), (collapsing, "lost"), (worsening, "worse")],
)
def test_plain_curves_are_told(curve, shape, seed):
    assert course(curve(seed=seed)).shape == shape


def test_start_best_and_now_are_what_the_curve_shows():
    way = course(np.interp(T, [0, 0.5, 1], [20, 400, 200]) + wandering())

    assert way.start == pytest.approx(20, abs=10)
    assert way.best == pytest.approx(390, abs=15)
    assert way.now == pytest.approx(215, abs=12)
    assert way.lost == pytest.approx(0.5, abs=0.06)
    assert way.change == way.now - way.start
    assert 38 <= way.best_index <= 46


# few points


def test_ten_evaluations_in_order_are_enough():
    assert course(np.linspace(0.2, 0.4, 10), "rate", ceiling=1.0).shape == "rose"
    assert course(np.linspace(0.4, 0.2, 10), "rate", ceiling=1.0).shape == "worse"


def test_a_fact_needs_no_statistics():
    assert course(np.zeros(5), "rate", ceiling=1.0).shape == "constant"
    assert course(np.ones(5), "rate", ceiling=1.0).shape == "high"
    assert course(np.full(50, -21.0)).shape == "constant"


# rises and falls


@pytest.mark.parametrize(
    ("end", "shape"), [(390, "rose"), (330, "unsure"), (280, "lost"), (60, "lost")]
)
def test_a_quarter_of_the_rise_has_to_be_gone(end, shape):
    values = np.interp(T, [0, 0.5, 0.7, 1], [20, 400, end, end]) + 2 * wandering()

    assert course(values).shape == shape


def test_a_dip_that_recovers_is_no_loss():
    early = np.interp(T, [0, 0.15, 1], [-1000, -1400, -200]) + 20 * wandering()
    later = np.interp(T, [0, 0.4, 0.5, 0.6, 1], [20, 300, 60, 300, 400]) + 5 * wandering()

    assert course(early).shape == "rose"
    assert course(later).shape == "rose"


def test_one_bad_point_at_the_end_is_no_loss():
    assert course(np.append(learning(79), 0.0)).shape == "rose"


def test_a_jump_before_the_second_point_counts_as_a_rise():
    assert course(np.r_[22.0, 480 + 8 * wandering(79)]).shape == "rose"


@pytest.mark.parametrize("kind", ["loss", "rate"])
def test_next_to_no_gain_is_no_rise(kind):
    loss = -np.linspace(1.792, 1.791, 80) if kind == "loss" else np.linspace(0.33, 0.335, 80)

    assert course(loss, kind, ceiling=1.0 if kind == "rate" else None).shape == "flat"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_loss_at_chance_level_does_not_rise(seed):
    noise = 0.02 * np.random.default_rng(seed).normal(size=80)

    assert course(-(np.linspace(3.178, 3.148, 80) + noise), "loss").shape in ("flat", "unsure")


# hits and misses


def test_success_that_rises_and_holds_is_good():
    assert course(hits(0.2, 0.97, 0.97, 0.97), "rate", ceiling=1.0).good


# how often noise is taken for something

FLAT = {
    "independent 20": lambda s: 100 + 10 * alike(20, 0.0, s),
    "independent 80": lambda s: 100 + 10 * alike(80, 0.0, s),
    "independent 300": lambda s: 100 + 10 * alike(300, 0.0, s),
    "alike 40": lambda s: 100 + 10 * alike(40, 0.5, s),
    "alike 80": lambda s: 100 + 10 * alike(80, 0.5, s),
    "alike 300": lambda s: 100 + 10 * alike(300, 0.5, s),
    "windows 200": lambda s: window_mean(np.full(200, 20.0), 10, s),
    "wide windows": lambda s: window_mean(np.full(60, 20.0), 50, s),
}


@pytest.mark.parametrize("noise", FLAT.values(), ids=FLAT)
def test_noise_seldom_rises_and_hardly_ever_falls(noise):
    found = Counter(course(noise(seed)).shape for seed in range(200))

    assert found["rose"] <= 16  # 8 %, of means over windows; else below 3 %
    assert found["lost"] + found["worse"] <= 22  # 11 %, of means over windows; else below 3 %


@pytest.mark.parametrize("kind", ["independent 300", "alike 300", "wide windows"])
def test_a_long_standstill_is_mostly_told(kind):
    found = Counter(course(FLAT[kind](seed)).shape for seed in range(100))

    assert found["flat"] >= 50


@pytest.mark.parametrize(("n", "least"), [(60, 60), (200, 90)])
def test_a_rise_by_two_noises_is_mostly_told(n, least):
    rising = [10 + np.linspace(0, 2, n) + alike(n, 0.0, seed) for seed in range(100)]

    assert sum(course(one).shape == "rose" for one in rising) >= least


def test_stuck_never_rose():
    assert course(stuck()).never_rose
    assert not course(learning()).never_rose


# few points, rare hits, floors


def test_three_rows_of_a_training_loss_are_enough_for_a_large_fall_in_order():
    assert course(-np.array([8.3, 1.3, 0.5, 0.4]), "loss").shape == "rose"
    assert course(-np.array([1.3, 1.25, 1.2]), "loss").shape == "few"
    assert course(-np.array([1.3, 1.5, 0.9]), "loss").shape == "few"
    assert course(np.array([0.4, 1.3, 8.3]), "return").shape == "few"


def test_a_last_stretch_that_strays_more_is_read_as_a_whole():
    calm = np.concatenate([np.full(40, 1.0), np.linspace(1, 10, 20), np.linspace(9, 4, 10)])
    calm += 0.2 * alike(70, 0.0, 0)
    wild = np.array([7.0, 12, 11, 11, 14, 14, 16, 16, 18, 18, 15, 16, 15, 17, 17, 6, 5])

    way = course(np.concatenate([calm, wild]))

    assert way.shape == "rose"
    assert way.now > 10


# hits and misses, swings, and what is too little for a rise


def share_of(shape, make, kind="return", runs=40, **about):
    found = [course(make(np.random.default_rng(seed)), kind, **about) for seed in range(runs)]
    return np.mean([shape(one) if callable(shape) else one.shape == shape for one in found])


def test_a_reward_next_to_nothing_that_gains_too_little_for_a_rise_stands_still():
    values = -0.23 + 0.42 * np.random.default_rng(3).normal(size=1000)

    read = course(values, "reward")

    assert read.shape == "flat"


def of_the_last_hundred(curve, rng, noise=0.6):
    """What a tool logs that means the last hundred episodes, every eighth time."""
    episodes = curve * (1 + noise * rng.normal(size=len(curve)))
    sums = np.concatenate([[0.0], np.cumsum(episodes)])
    at = np.arange(100, len(curve) + 1, 8)
    return (sums[at] - sums[at - 100]) / 100


@pytest.mark.parametrize(
    ("levels", "least", "most"),
    [((7, 7.5, 33, 30, 15.5), 0.9, 1.0), ((7, 7.5, 33, 33, 33), 0.0, 0.0)],
    ids=["falls at last", "holds"],
)
def test_a_fall_at_the_end_of_a_long_hump_is_a_loss(levels, least, most):
    curve = np.interp(np.linspace(0, 1, 9600), [0, 0.3, 0.75, 0.88, 1], levels)

    lost = share_of(lambda one: one.shape == "lost", lambda rng: of_the_last_hundred(curve, rng))

    assert least <= lost <= most


def test_a_last_drop_like_many_before_is_not_a_fall():
    rises = np.geomspace(7, 900, 67)
    rises[-25:] *= np.tile([1.0, 0.9, 0.25, 0.3, 1.0], 5)
    rises[-5:] = [925, 756, 727, 197, 207]

    assert course(rises, "return").shape == "rose"


def test_a_first_row_far_below_noisy_others_leaves_it_open():
    rng = np.random.default_rng(0)
    returns = np.concatenate([[20.0], 120 + 25 * rng.standard_normal(29)])
    run = make_run({"outcome/return_mean": returns}, every=100, algorithm="PPO")

    assert Patient(run).health.word != "stalled"


@pytest.mark.parametrize(
    ("late", "shape"), [(5.9, "lost"), (4.6, "rose")], ids=["left its best", "holds"]
)
def test_a_training_loss_that_stays_above_its_best(late, shape):
    rng = np.random.default_rng(0)
    falls = np.linspace(8.5, 4.6, 12)
    loss = np.concatenate([falls, np.full(9, 4.7), np.full(8, late)])

    assert course(-(loss + 0.15 * rng.standard_normal(29)), "loss").shape == shape
