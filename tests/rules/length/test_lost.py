"""Shares of few things."""

import numpy as np
import pytest

from runvitals.rules.length import as_rate, is_share


def test_rows_of_one_thing_become_shares_of_ten():
    rates = as_rate(np.tile([1.0, 1.0, 0.0, 1.0, 0.0], 10))

    assert np.allclose(rates[10:-10], 0.6)


def test_shares_of_many_things_stay_as_they_are():
    shares = np.linspace(0.1, 0.9, 30)

    assert as_rate(shares) is shares


def test_what_is_always_the_same_stays_as_it_is():
    assert as_rate(np.ones(20)).tolist() == [1.0] * 20
    assert as_rate(np.array([0.0, 1.0])).tolist() == [0.0, 1.0]


def test_a_switch_stays_near_its_place():
    rates = as_rate(np.repeat([0.0, 1.0], 30))

    assert rates[24] == 0
    assert rates[36] == 1


@pytest.mark.parametrize(
    ("values", "expected"),
    [([0.0, 1.0], True), ([0.2, 1.0005], True), ([-0.1, 0.5], False), ([0.5, 40.0], False)],
    ids=["full range", "rounded sum", "negative", "percent"],
)
def test_a_share_lies_between_0_and_1(values, expected):
    assert is_share(np.array(values)) is expected
