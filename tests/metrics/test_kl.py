from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import trapezoid
from scipy.special import log_softmax, softmax

from runvitals import metrics
from runvitals.model import ConfigError


def categorical(seed: int, distance: float, actions: int = 8) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = rng.normal(size=actions)
    return p, p + distance * rng.normal(size=actions)


@given(seed=st.integers(0, 10_000), distance=st.floats(0.01, 0.6))
@settings(max_examples=40, deadline=None)
def test_k1_and_k3_are_unbiased_within_their_error(seed, distance):
    p, q = categorical(seed, distance)
    exact = metrics.kl_categorical(p[None], q[None])
    draw = np.random.default_rng(seed + 1).choice(len(p), size=20_000, p=softmax(p))
    lp, lq = log_softmax(p)[draw], log_softmax(q)[draw]
    for estimator in ("k1", "k3"):
        terms = metrics.kl_terms(lp, lq, estimator=estimator)
        error = terms.std() / np.sqrt(len(terms))

        found = metrics.sampled_kl(lp, lq, estimator=estimator)

        assert abs(found - exact) < 6 * error + 1e-12


@given(
    st.lists(st.tuples(st.floats(-60, 0), st.floats(-60, 0)), min_size=1, max_size=50),
    st.sampled_from(["k2", "k3", "abs"]),
)
def test_these_estimators_are_never_negative_and_zero_only_for_equals(pairs, estimator):
    new, old = np.array(pairs).T

    found = metrics.approx_kl(new, old, estimator=estimator)

    assert found >= 0
    assert metrics.approx_kl(new, new, estimator=estimator) == 0


def test_each_estimator_is_its_formula(rng):
    new, old = rng.normal(size=(2, 40))
    change = new - old
    want = {
        "k1": -change,
        "k2": change**2 / 2,
        "k3": np.exp(change) - 1 - change,
        "abs": np.abs(change),
    }

    for estimator, terms in want.items():
        found = metrics.approx_kl(new, old, estimator=estimator)

        assert found == pytest.approx(terms.mean())


def test_exact_categorical_agrees_with_scipy(rng):
    p, q = rng.normal(size=(5, 7)), rng.normal(size=(5, 7))
    want = np.mean([stats.entropy(softmax(a), softmax(b)) for a, b in zip(p, q, strict=True)])

    assert metrics.kl_categorical(p, q) == pytest.approx(want, rel=1e-12)


def test_a_forbidden_action_adds_nothing_or_makes_it_infinite():
    p, q = np.array([[0.0, -np.inf]]), np.array([[0.0, 0.0]])

    assert metrics.kl_categorical(p, q) == pytest.approx(np.log(2))
    assert metrics.kl_categorical(q, p) == np.inf


def test_gaussian_agrees_with_numerical_integration():
    x = np.linspace(-30, 30, 200_001)
    p, q = stats.norm(0.3, 0.8), stats.norm(-0.5, 1.7)
    want = trapezoid(p.pdf(x) * (p.logpdf(x) - q.logpdf(x)), x)

    found = metrics.kl_gaussian([[0.3]], [[0.8]], [[-0.5]], [[1.7]])

    assert found == pytest.approx(want, rel=1e-8)


def test_a_shared_std_serves_all_states(rng):
    mean, other = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    std = np.array([0.5, 1.0, 2.0])
    tiled = np.tile(std, (4, 1))

    assert metrics.kl_gaussian(mean, std, other, std) == pytest.approx(
        metrics.kl_gaussian(mean, tiled, other, tiled)
    )


def test_reductions_weigh_tokens_and_sequences_as_they_say():
    p = np.array([[-1.0, -1.0, 7.0], [-2.0, 7.0, 7.0]])
    q = np.array([[-2.0, -3.0, 7.0], [-6.0, 7.0, 7.0]])
    mask = np.array([[1, 1, 0], [1, 0, 0]])

    def found(reduce):
        return metrics.kl_ref(p, q, mask, estimator="k1", reduce=reduce)

    assert found("token") == pytest.approx((1 + 2 + 4) / 3)
    assert found("sequence") == pytest.approx((1.5 + 4) / 2)
    assert found("sequence_sum") == pytest.approx((3 + 4) / 2)


def test_rows_without_tokens_do_not_count_as_sequences():
    p, q = np.full((3, 2), -1.0), np.full((3, 2), -2.0)
    mask = np.array([[1, 1], [0, 0], [1, 0]])

    assert metrics.kl_ref(p, q, mask, estimator="k1", reduce="sequence_sum") == 1.5


def test_small_steps_keep_their_digits_in_single_precision():
    old = np.full(1000, -1.0, dtype=np.float32)
    new = (old + np.float32(1e-3)).astype(np.float32)
    step = float(new[0]) - float(old[0])

    found = metrics.approx_kl(new, old)

    assert found == pytest.approx(np.expm1(step) - step, rel=1e-3)


def test_clamp_bounds_the_ratio():
    assert metrics.approx_kl([80.0], [0.0], clamp=20.0) == pytest.approx(np.exp(20) - 21)
    assert np.isfinite(metrics.approx_kl([-80.0], [0.0]))


def test_unknown_estimators_and_reductions_are_named():
    with pytest.raises(ConfigError, match="k9"):
        metrics.approx_kl([0.0], [0.0], estimator="k9")
    with pytest.raises(ConfigError, match="word"):
        metrics.approx_kl([[0.0]], [[0.0]], reduce="word")
    with pytest.raises(ValueError, match="sequences as rows"):
        metrics.approx_kl([0.0], [0.0], reduce="sequence")
