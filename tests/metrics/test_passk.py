from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runvitals import metrics
from runvitals.metrics.validation_bundle import sample_sizes
from runvitals.model import ConfigError


@pytest.mark.parametrize(("n", "c"), [(1, 0), (1, 1), (5, 2), (8, 1), (6, 6), (7, 0)])
def test_pass_at_k_counts_all_subsets(n, c):
    tries = [1] * c + [0] * (n - c)
    for k in range(1, n + 1):
        subsets = list(itertools.combinations(tries, k))

        assert metrics.pass_at_k(n, c, k) == pytest.approx(np.mean([max(s) for s in subsets]))
        assert metrics.pass_hat_k(n, c, k) == pytest.approx(np.mean([min(s) for s in subsets]))


@given(st.integers(1, 400), st.data())
def test_pass_at_k_is_monotone_in_k_and_c_and_stays_in_range(n, data):
    c = data.draw(st.integers(0, n))
    k = data.draw(st.integers(1, n))
    found = metrics.pass_at_k(n, c, k)

    assert -1e-12 <= found <= 1 + 1e-12
    assert metrics.pass_hat_k(n, c, k) <= found + 1e-9
    if k < n:
        assert metrics.pass_at_k(n, c, k + 1) >= found - 1e-12
    if c < n:
        assert metrics.pass_at_k(n, c + 1, k) >= found - 1e-12


def test_too_few_tries_are_nan_and_impossible_counts_an_error():
    assert math.isnan(metrics.pass_at_k(4, 2, 5))
    with pytest.raises(ConfigError, match="correct tries"):
        metrics.pass_at_k(4, 5, 1)
    with pytest.raises(ConfigError, match="k must be"):
        metrics.pass_at_k(4, 1, 0)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=8), st.integers(1, 4))
@settings(max_examples=50, deadline=None)
def test_exact_best_and_worst_enumerate_all_draws(scores, n):
    scores = scores[:4]
    drawn = list(itertools.product(scores, repeat=n))
    best, worst = [max(d) for d in drawn], [min(d) for d in drawn]

    found = metrics.best_at_n(scores, n, method="exact")
    low = metrics.worst_at_n(scores, n, method="exact")

    assert found.mean == pytest.approx(np.mean(best), abs=1e-9)
    assert found.std == pytest.approx(np.std(best), abs=1e-6)
    assert low.mean == pytest.approx(np.mean(worst), abs=1e-9)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=2, max_size=8))
@settings(max_examples=30, deadline=None)
def test_bootstrap_is_near_its_expectation_and_ordered(scores):
    for n in (2, 4):
        boot, exact = metrics.best_at_n(scores, n), metrics.best_at_n(scores, n, method="exact")

        assert boot.mean == pytest.approx(exact.mean, abs=6 * exact.std / math.sqrt(1000) + 1e-9)
        assert metrics.worst_at_n(scores, n).mean <= boot.mean + 1e-12


def test_the_numbers_of_the_reference_table():
    scores = [1, 0, 0, 0, 0, 0, 0, 0]

    assert [round(metrics.best_at_n(scores, n).mean, 3) for n in (2, 4, 8)] == [0.252, 0.412, 0.651]
    assert [round(metrics.pass_at_k(8, 1, k), 3) for k in (2, 4, 8)] == [0.25, 0.5, 1.0]


def test_a_clear_majority_wins_more_often_with_more_votes():
    scores, answers = [1, 1, 1, 0, 0], ["a", "a", "a", "b", "c"]

    one = metrics.maj_at_n(scores, answers, 1).mean
    five = metrics.maj_at_n(scores, answers, 5).mean

    assert one == pytest.approx(0.6, abs=0.06)
    assert five > one
    with pytest.raises(ValueError, match=r"answers\[0\] has shape \(2,\)"):
        metrics.maj_at_n([1, 0, 1], ["a", "b"], 2)


def test_means_over_problems_of_different_sizes():
    assert metrics.mean_at_n([[1, 0], [1, 1, 1, 1]]) == 0.75
    assert math.isnan(metrics.mean_at_n([]))
    assert sample_sizes(1) == []
    assert sample_sizes(16) == [2, 4, 8, 16]


def test_core_is_accuracy_over_all_tries_and_the_rest_is_auxiliary():
    found = metrics.validation(
        ["math"] * 4 + ["code"] * 2,
        ["a", "a", "b", "b", "c", "c"],
        {"acc": [1, 0, 1, 1, 0, 0], "reward": [0.5] * 6, "text": ["x"] * 6},
        answers=["1", "2", "3", "3", "4", "5"],
        turns=[1, 2, 3, 4, 5, 6],
        names="verl",
    )

    assert found["val-core/math/acc/mean@2"] == 0.75
    assert found["val-core/code/acc/mean@2"] == 0
    assert "val-core/math/acc/best@2/mean" in found
    assert "val-core/math/acc/maj@2/mean" in found
    assert "val-aux/math/acc/worst@2/mean" in found
    assert found["val-aux/math/reward/mean@2"] == 0.5
    assert found["val-aux/num_turns/max"] == 6
    assert not any("text" in name for name in found)


def test_fewer_tries_than_all_are_auxiliary():
    found = metrics.validation(["m"] * 4, ["a"] * 4, {"acc": [1, 0, 0, 1]}, names="verl")

    core = {name for name in found if name.startswith("val-core/")}

    assert core == {f"val-core/m/acc/{x}" for x in ("mean@4", "best@4/mean", "best@4/std")}
    assert "val-aux/m/acc/best@2/mean" in found


def test_canonical_names_carry_labels_and_pass_at_k_comes_on_request():
    found = metrics.validation(["math"] * 2, ["a", "a"], {"acc": [1, 0]}, correct_at=1.0)

    assert found["eval/mean_at_n{dataset=math,metric=acc,n=2}"] == 0.5
    assert found["eval/pass_at_k{dataset=math,metric=acc,k=2}"] == 1.0


def test_columns_of_different_length_are_named():
    with pytest.raises(ValueError, match=r"scores\['acc'\] has shape \(1,\)"):
        metrics.validation(["m", "m"], ["a", "a"], {"acc": [1]})
