"""What a histogram's shape says, whatever its bins."""

import math

import numpy as np
import pytest

from runvitals.signals import shape

RNG = np.random.default_rng(5)
GAUSSIAN = RNG.normal(size=20_000)
LOPSIDED = np.exp(0.6 * RNG.normal(size=20_000))
TAILED = RNG.standard_t(2, size=20_000)


def even(values, bins):
    counts, edges = np.histogram(values, bins=bins)
    return edges, counts.astype(float)


def growing(values):
    """Bins as TensorBoard makes them: each a tenth wider than the one before, to both sides."""
    positive = 1e-6 * 1.1 ** np.arange(250)
    edges = np.concatenate([-positive[::-1], [0.0], positive])
    counts, edges = np.histogram(values, bins=edges)
    return edges, counts.astype(float)


BINNED = {
    "30 bins": lambda x: even(x, 30),
    "200 bins": lambda x: even(x, 200),
    "TensorBoard": growing,
}


@pytest.mark.parametrize("binned", BINNED.values(), ids=BINNED)
def test_the_shape_hardly_depends_on_the_bins(binned):
    assert shape.mean(*binned(LOPSIDED)) == pytest.approx(LOPSIDED.mean(), rel=0.03)
    assert shape.quantile(*binned(GAUSSIAN), 0.9) == pytest.approx(1.28, abs=0.05)
    assert shape.spread(*binned(GAUSSIAN)) == pytest.approx(1.0, abs=0.05)
    assert shape.skew(*binned(GAUSSIAN)) == pytest.approx(0.0, abs=0.1)
    assert shape.skew(*binned(LOPSIDED)) > 1.5
    assert shape.skew(*binned(-LOPSIDED)) < -1.5
    assert shape.tail_share(*binned(GAUSSIAN)) == pytest.approx(shape.TAIL_OF_A_GAUSSIAN, abs=0.015)
    assert shape.excess_kurtosis(*binned(GAUSSIAN)) == pytest.approx(0.0, abs=0.3)
    assert shape.excess_kurtosis(*binned(TAILED)) > 20


@pytest.mark.parametrize("binned", [BINNED["200 bins"], growing], ids=["200 bins", "TensorBoard"])
def test_bins_finer_than_the_bulk_show_what_the_tails_hold(binned):
    assert shape.tail_share(*binned(TAILED)) > 0.25


def test_one_far_outlier_shows_however_coarse_its_bins_leave_the_others():
    values = np.append(GAUSSIAN[:255], 500.0)

    assert shape.skew(*even(values, 30)) > 10
    assert shape.excess_kurtosis(*even(values, 30)) > 100
    assert shape.tail_share(*even(values, 30)) > 0.8


def test_a_reward_that_is_seldom_given_is_all_tail():
    edges, counts = even(np.repeat([0.0, 1.0], [98, 2]), 30)

    assert shape.tail_share(edges, counts) > 0.5


def test_what_does_not_vary_has_no_shape():
    edges, counts = np.array([0.3, 0.3]), np.array([10.0])

    assert math.isnan(shape.skew(edges, counts))
    assert math.isnan(shape.tail_share(edges, counts))
    assert shape.mean(edges, counts) == pytest.approx(0.3)
    assert shape.quantile(edges, counts, 0.5) == pytest.approx(0.3)


def test_samples_of_a_gaussian_stray_as_little_as_said():
    skews = [shape.skew(*even(RNG.normal(size=256), 40)) for _ in range(300)]

    assert np.std(skews) < 0.19
