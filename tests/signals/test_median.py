import numpy as np
import pytest

from runvitals.signals.robust import median


@pytest.mark.parametrize("n", [1, 2, 5, 6, 500, 501, 1_000])
@pytest.mark.parametrize("odd", [None, np.nan, np.inf, -np.inf])
def test_the_median_is_that_of_numpy(n, odd):
    values = np.random.default_rng(n).normal(size=n)
    if odd is not None:
        values[n // 3] = odd
    before = values.copy()

    assert np.array_equal(median(values), np.median(values), equal_nan=True)
    assert np.array_equal(values, before, equal_nan=True)


def test_the_median_of_nothing_is_nan():
    assert np.isnan(median(np.empty(0)))
