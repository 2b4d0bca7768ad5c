import numpy as np

from runvitals.signals.held_out import (
    chance_limit,
    drop_from_best,
    evaluation_noise,
    sampling_error,
)


def test_a_clear_fall_is_sure():
    values = np.concatenate([np.linspace(0, 1, 12), np.linspace(0.9, 0.2, 8)])

    drop = drop_from_best(values)

    assert drop is not None
    assert drop.sure
    assert drop.now < 0.35
    assert drop.best > 0.9


def test_a_dip_that_has_come_and_gone_before_is_not_sure():
    values = np.tile([1.0, 1.0, 1.0, 0.4, 0.4, 0.4], 5)

    drop = drop_from_best(values)

    assert drop is not None
    assert not drop.sure


def test_too_few_evaluations_say_nothing():
    assert drop_from_best(np.array([1.0, 0.9, 0.1, 0.0])) is None
    assert drop_from_best(np.full(20, np.nan)) is None


def test_the_size_of_the_set_is_told_from_the_shares():
    shares = np.random.default_rng(0).binomial(40, 0.5, 20) / 40

    assert np.isclose(sampling_error(shares), np.sqrt(0.25 / 40), rtol=0.2)
    assert evaluation_noise(shares, share=True) >= sampling_error(shares)


def test_values_that_are_no_shares_have_no_such_error():
    assert sampling_error(np.array([0.5, 3.0])) == 0.0
    assert sampling_error(np.array([])) == 0.0
    assert sampling_error(np.random.default_rng(0).random(50)) == 0.0


def test_noise_alone_is_seldom_sure():
    rng = np.random.default_rng(1)
    found = [drop_from_best(rng.standard_normal(20)) for _ in range(300)]

    assert sum(drop is not None and drop.sure for drop in found) <= 6


def test_what_is_chance_depends_on_the_size_of_the_set():
    rng = np.random.default_rng(2)
    small, middle, large = (rng.binomial(n, 0.5, 20) / n for n in (20, 128, 997))

    assert np.isclose(chance_limit(middle), 0.588, atol=0.002)
    assert np.isclose(chance_limit(large), 0.532, atol=0.002)
    assert chance_limit(small) == chance_limit(rng.random(20)) == 0.555


def test_a_judge_that_knows_something_is_seldom_held_for_a_guesser():
    rng = np.random.default_rng(3)
    fooled = {
        right: np.mean([share <= 0.588 for share in rng.binomial(128, right, 4000) / 128])
        for right in (0.5, 0.65, 0.7)
    }

    assert fooled[0.5] >= 0.95
    assert fooled[0.65] <= 0.08 + 0.015
    assert fooled[0.7] <= 0.01
