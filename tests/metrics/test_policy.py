"""Ratio, entropy, log-probabilities, mismatch, gradients, controllers, actions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import log_softmax, softmax

from runvitals import metrics
from runvitals.model import ConfigError


def test_ratio_stats_against_numpy(rng):
    new, old = rng.normal(size=200), rng.normal(size=200)
    r = np.exp(new - old)

    found = metrics.ratio_stats(new, old)

    assert found["policy/ratio_mean"] == pytest.approx(r.mean())
    assert found["policy/ratio_std"] == pytest.approx(r.std(ddof=1))
    assert found["policy/ratio_var"] == pytest.approx(r.var(ddof=1))
    assert found["policy/ratio_min"] == pytest.approx(r.min())
    assert found["policy/ratio_max"] == pytest.approx(r.max())
    assert found["policy/ratio_abs_dev"] == pytest.approx(np.abs(r - 1).mean())


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=30), st.floats(-100, 100))
def test_effective_sample_size_ignores_scale_and_stays_in_range(log_w, shift):
    found = metrics.effective_sample_size(np.array(log_w))

    assert 1 / len(log_w) - 1e-9 <= found <= 1 + 1e-9
    assert metrics.effective_sample_size(np.array(log_w) + shift) == pytest.approx(found, rel=1e-6)


def test_one_heavy_weight_leaves_one_sample():
    assert metrics.effective_sample_size([80.0] + [-80.0] * 9) == pytest.approx(0.1)
    assert metrics.effective_sample_size([-np.inf, 0.0]) == 0.5


def test_entropies_against_scipy(rng):
    z = rng.normal(size=(6, 5))
    want = np.mean([stats.entropy(softmax(row)) for row in z])

    assert metrics.entropy_from_logits(z) == pytest.approx(want)
    assert metrics.entropy_from_probs(softmax(z, axis=-1)) == pytest.approx(want)
    assert metrics.entropy_from_logits(z + 1e4) == pytest.approx(want, rel=1e-9)
    std = rng.uniform(0.1, 2.0, size=(6, 3))
    want = np.mean([stats.norm(0, s).entropy().sum() for s in std])
    assert metrics.entropy_gaussian(std) == pytest.approx(want)


@given(st.integers(1, 50), st.floats(0.1, 10.0))
def test_entropy_of_uniform_logits_is_log_n_at_any_temperature(n, temperature):
    assert metrics.entropy_from_logits(np.zeros((1, n)), temperature=temperature) == pytest.approx(
        math.log(n)
    )


def test_forbidden_actions_and_certain_policies():
    assert metrics.entropy_from_logits([[0.0, -np.inf, 0.0]]) == pytest.approx(math.log(2))
    assert metrics.entropy_from_probs([[1.0, 0.0]]) == 0.0
    assert metrics.entropy_gaussian([[0.0]]) == -np.inf
    assert math.isnan(metrics.entropy_from_logits([[np.nan, 0.0]]))


def test_sampled_entropy_meets_the_exact_one(rng):
    z = rng.normal(size=6)
    lp = log_softmax(z)
    draw = rng.choice(6, size=100_000, p=softmax(z))

    found = metrics.entropy_sampled(lp[draw])

    assert found == pytest.approx(metrics.entropy_from_logits(z[None]), rel=0.02)


def test_token_logprobs_gather_and_refuse_to_invent(rng):
    z = rng.normal(size=(2, 3, 5))
    tokens = np.array([[0, 4, 2], [1, -100, 3]])
    want = np.take_along_axis(log_softmax(z, axis=-1), np.maximum(tokens, 0)[..., None], -1)[..., 0]

    found = metrics.token_logprobs(z, tokens)

    assert np.isnan(found[1, 1])
    known = tokens >= 0
    np.testing.assert_allclose(found[known], want[known], rtol=1e-12)


def test_sequence_logprobs_sum_and_average():
    lp, mask = [[-1.0, -3.0, np.nan], [np.nan] * 3], [[1, 1, 0], [0, 0, 0]]

    np.testing.assert_array_equal(metrics.sequence_logprobs(lp, mask), [-4.0, 0.0])
    np.testing.assert_array_equal(metrics.sequence_logprobs(lp, mask, average=True), [-2.0, np.nan])


def test_mismatch_of_equal_engines_is_perfect(rng):
    lp = -rng.exponential(size=(3, 6))

    found = metrics.rollout_mismatch(lp, lp, low=0.5, high=2.0)

    for name in ("kl", "k3_kl", "logprob_diff_max", "prob_diff_mean", "masked_fraction"):
        assert found[f"mismatch/{name}"] == 0
    for name in ("is_weight_mean", "effective_sample_size", "mult_prob_error", "ppl_ratio"):
        assert found[f"mismatch/{name}"] == pytest.approx(1)
    assert found["mismatch/prob_correlation"] == pytest.approx(1)


def test_mismatch_numbers_against_numpy(rng):
    train, rollout = -rng.exponential(size=(4, 6)), -rng.exponential(size=(4, 6))
    e = train - rollout

    found = metrics.rollout_mismatch(train, rollout, low=0.5, high=2.0)

    assert found["mismatch/kl"] == pytest.approx(np.mean(rollout - train))
    assert found["mismatch/k3_kl"] == pytest.approx(np.mean(np.exp(e) - 1 - e))
    assert found["mismatch/logprob_diff_max"] == pytest.approx(np.abs(e).max())
    p, q = np.exp(train).ravel(), np.exp(rollout).ravel()
    assert found["mismatch/prob_correlation"] == pytest.approx(np.corrcoef(p, q)[0, 1])
    assert found["mismatch/is_weight_fraction_high"] == np.mean(np.exp(e) > 2)
    assert found["mismatch/is_weight_fraction_low"] == np.mean(np.exp(e) < 0.5)
    assert found["mismatch/effective_sample_size"] == pytest.approx(
        metrics.effective_sample_size(e)
    )
    assert found["mismatch/chi2_sequence"] == pytest.approx(
        np.mean(np.exp(2 * e.sum(1))) - 1, rel=1e-9
    )


def test_flat_input_has_no_sequence_numbers():
    assert "mismatch/ppl_train" not in metrics.rollout_mismatch([-1.0], [-1.0])


def test_norms(rng):
    arrays = {"w": rng.normal(size=(3, 4)), "b": rng.normal(size=4)}
    flat = np.concatenate([a.ravel() for a in arrays.values()])

    assert metrics.global_norm(arrays) == pytest.approx(np.linalg.norm(flat))
    assert metrics.global_norm([None, arrays["w"], None]) == pytest.approx(
        np.linalg.norm(arrays["w"])
    )
    assert math.isnan(metrics.global_norm([]))
    assert metrics.global_norm([np.full(4, 1e4, dtype=np.float16)]) == pytest.approx(2e4)


def test_update_ratio(rng):
    before = [rng.normal(size=(3, 4)), rng.normal(size=4)]
    after = [x * 1.01 for x in before]

    assert metrics.update_ratio(before, after) == pytest.approx(0.01)
    assert math.isnan(metrics.update_ratio([np.zeros(3)], [np.ones(3)]))
    with pytest.raises(ValueError, match=r"after\[0\] has shape \(2,\), but before\[0\]"):
        metrics.update_ratio([np.zeros(3)], [np.zeros(2)])
    with pytest.raises(ConfigError, match="different arrays: a, b"):
        metrics.update_ratio({"a": [1.0]}, {"b": [1.0]})


def test_dead_and_dormant_units():
    h = np.array([[0.0, 1.0, 0.001, 2.0], [0.0, 1.0, 0.001, 2.0]])

    assert metrics.dead_unit_fraction(h) == 0.25
    assert metrics.dormant_unit_fraction(h) == 0.5
    assert metrics.dormant_unit_fraction(1000 * h) == 0.5
    assert metrics.dormant_unit_fraction(h, tau=2.0) == 0.75
    assert metrics.dormant_unit_fraction(np.zeros((3, 4))) == 1.0
    masked = np.vstack([h, [[9.0, np.nan, 9.0, 9.0]]])
    assert metrics.dead_unit_fraction(masked, [1, 1, 0]) == 0.25
    assert math.isnan(metrics.dead_unit_fraction(h, [0, 0]))
    with pytest.raises(ValueError, match=r"mask has shape \(3,\), but activations"):
        metrics.dead_unit_fraction(h, [1, 1, 1])


def test_adaptive_controller_follows_its_formula_and_ignores_nan():
    control = metrics.AdaptiveKL(0.2, target=6.0, horizon=1000)

    assert control.update(math.nan, 64) == 0.2
    assert control.update(600.0, 64) == pytest.approx(0.2 * (1 + 0.2 * 64 / 1000))
    assert control.update(math.inf, 64) > 0.2
    with pytest.raises(ConfigError, match="target"):
        metrics.AdaptiveKL(0.2, target=0.0)


@given(st.lists(st.floats(0, 100), max_size=50))
def test_the_coefficient_stays_positive(kls):
    control = metrics.AdaptiveKL(0.2, target=1.0, horizon=100)

    for kl in kls:
        assert control.update(kl, samples=10) > 0


def test_action_shares(rng):
    actions = rng.integers(0, 4, size=(5, 20))
    mask = rng.random((5, 20)) < 0.5
    want = [np.mean(actions[mask] == i) for i in range(4)]

    np.testing.assert_allclose(metrics.action_shares(actions, 4, mask), want)
    found = metrics.action_distribution(actions, 4, mask)
    assert found["policy/action_share{action=2}"] == pytest.approx(want[2])


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=10).filter(lambda x: sum(x) > 0.1))
def test_distances_from_uniform_are_in_their_ranges(weights):
    p = np.array(weights) / sum(weights)
    n = len(p)

    assert -1e-12 <= metrics.distance_from_uniform(p) <= 1 - 1 / n + 1e-9
    assert -1e-12 <= metrics.distance_from_uniform(p, kind="kl") <= math.log(n) + 1e-9
    assert -1e-12 <= metrics.distance_from_uniform(p, kind="chi2") <= n - 1 + 1e-9
    uniform = np.full(n, 1 / n)
    for kind in ("tv", "kl", "chi2", "max"):
        assert metrics.distance_from_uniform(uniform, kind=kind) == pytest.approx(0, abs=1e-12)


def test_kl_from_uniform_agrees_with_scipy(rng):
    p = rng.dirichlet(np.ones(6))

    assert metrics.distance_from_uniform(p, kind="kl") == pytest.approx(
        stats.entropy(p, np.full(6, 1 / 6))
    )
