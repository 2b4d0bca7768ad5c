from itertools import permutations

import numpy as np
import pytest

from runvitals.signals import rank
from runvitals.signals.rank import MAX_EXACT, chance_of_order


def test_five_in_order_are_one_in_120():
    rises, falls = chance_of_order(np.arange(5.0))

    assert rises == pytest.approx(1 / 120)
    assert falls == pytest.approx(1.0)


@pytest.mark.parametrize("values", [[1, 3, 2, 5, 4], [5, 1, 4, 2, 3], [2, 1, 3, 4, 5]])
def test_is_the_share_of_all_orders_that_are_as_steady(values):
    def score(order):
        return sum(np.sign(b - a) for i, a in enumerate(order) for b in order[i + 1 :])

    orders = [score(order) for order in permutations(range(5))]

    rises, falls = chance_of_order(np.array(values, float))

    assert rises == pytest.approx(np.mean([one >= score(values) for one in orders]))
    assert falls == pytest.approx(np.mean([one <= score(values) for one in orders]))


@pytest.mark.parametrize("slope", [0.0, 0.02, 0.05])
def test_goes_over_to_the_normal_approximation_without_a_step(slope, monkeypatch):
    values = np.random.default_rng(0).normal(size=MAX_EXACT) + slope * np.arange(MAX_EXACT)
    exact = chance_of_order(values)

    monkeypatch.setattr(rank, "MAX_EXACT", MAX_EXACT - 1)

    assert chance_of_order(values) == pytest.approx(exact, rel=0.2)


@pytest.mark.parametrize("values", [[], [1.0], [3.0] * 20], ids=["none", "one", "all the same"])
def test_nothing_comes_in_order(values):
    rises, falls = chance_of_order(np.array(values))

    assert rises >= 0.4
    assert falls >= 0.4


def test_noise_seldom_comes_in_order():
    rng = np.random.default_rng(0)

    found = [chance_of_order(rng.normal(size=16))[0] <= 0.01 for _ in range(1000)]

    assert np.mean(found) <= 0.015
