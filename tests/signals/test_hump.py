"""The best fit that goes up and then down."""

import numpy as np
import pytest

from runvitals.signals.hump import hump


@pytest.mark.parametrize("seed", range(20))
def test_no_other_unimodal_curve_of_pooled_means_fits_better(seed):
    values = np.random.default_rng(seed).standard_normal(9)
    best = min(_squares_with_top(values, top) for top in range(10))

    fitted = hump(values)

    assert np.square(values - fitted.curve).sum() == pytest.approx(best)
    steps = np.sign(np.diff(fitted.curve))
    assert (np.diff(steps[steps != 0]) <= 0).all()


def _squares_with_top(values, top):
    """By trying all ways to cut each side into blocks, which is what pooling does faster."""
    return _rising(tuple(values[:top])) + _rising(tuple(values[top:][::-1]))


def _rising(values, least=-np.inf):
    if not values:
        return 0.0
    found = np.inf
    for size in range(1, len(values) + 1):
        block = np.array(values[:size])
        if block.mean() >= least:
            rest = _rising(values[size:], float(block.mean()))
            found = min(found, float(np.square(block - block.mean()).sum()) + rest)
    return found


def test_noise_is_measured_beside_the_curve():
    rng = np.random.default_rng(1)
    x = np.linspace(0, 1, 200)
    fitted = hump(np.where(x < 0.6, x, 1.2 - x) + 0.05 * rng.standard_normal(200))

    assert fitted.noise == pytest.approx(0.05, rel=0.25)
    assert fitted.rise == pytest.approx(0.6, abs=0.2)
    assert fitted.fall == pytest.approx(0.4, abs=0.2)


def test_points_that_lie_on_such_a_curve_leave_none_to_spare():
    fitted = hump(np.array([1.0, 3.0, 5.0, 2.0]))

    assert (fitted.spare, fitted.noise, fitted.after) == (0, 0.0, 1)
