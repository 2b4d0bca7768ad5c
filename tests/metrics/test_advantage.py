from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runvitals import metrics
from runvitals.model import ConfigError


def loop_gae(r, v, last, terminated, truncated, final, gamma, lam):
    """The recursion as the papers write it, one step at a time."""
    out = np.zeros_like(r)
    trace = np.zeros(r.shape[1:])
    for t in reversed(range(len(r))):
        following = v[t + 1] if t + 1 < len(r) else last
        following = np.where(truncated[t], final[t], following)
        following = np.where(terminated[t], 0.0, following)
        on = ~(terminated[t] | truncated[t])
        trace = r[t] + gamma * following - v[t] + gamma * lam * on * trace
        out[t] = trace
    return out


def rollout(seed: int, steps: int, envs: int):
    rng = np.random.default_rng(seed)
    shape = (steps, envs)
    terminated = rng.random(shape) < 0.15
    truncated = (rng.random(shape) < 0.15) & ~terminated
    return (
        rng.normal(size=shape),
        rng.normal(size=shape),
        rng.normal(size=envs),
        terminated,
        truncated,
        rng.normal(size=shape),
    )


@given(st.integers(0, 10_000), st.integers(1, 40), st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None)
def test_scan_equals_the_step_by_step_recursion(seed, steps, gamma, lam):
    r, v, last, terminated, truncated, final = rollout(seed, steps, 3)

    found = metrics.gae(
        r,
        v,
        last,
        terminated=terminated,
        truncated=truncated,
        final_values=final,
        gamma=gamma,
        lam=lam,
    )

    want = loop_gae(r, v, last, terminated, truncated, final, gamma, lam)
    np.testing.assert_allclose(found.advantages, want, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.returns, want + v, rtol=1e-9, atol=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 40), st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None)
def test_td_lambda_targets_are_gae_plus_value(seed, steps, gamma, lam):
    r, v, last, terminated, truncated, final = rollout(seed, steps, 2)
    options = {
        "terminated": terminated,
        "truncated": truncated,
        "final_values": final,
        "gamma": gamma,
        "lam": lam,
    }

    targets = metrics.td_lambda_returns(r, v, last, **options)

    want = metrics.gae(r, v, last, **options).returns
    np.testing.assert_allclose(targets, want, rtol=1e-9, atol=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 40), st.floats(0, 1))
@settings(deadline=None)
def test_lambda_one_is_the_monte_carlo_return(seed, steps, gamma):
    r, v, last, terminated, _, _ = rollout(seed, steps, 2)

    found = metrics.gae(r, v, last, terminated=terminated, gamma=gamma, lam=1.0)

    want = metrics.discounted_returns(r, last, done=terminated, gamma=gamma)
    np.testing.assert_allclose(found.returns, want, rtol=1e-8, atol=1e-8)


def test_truncation_bootstraps_and_termination_does_not():
    dead = metrics.gae([1.0], [0.0], 9.0, terminated=[1], gamma=0.5)
    cut = metrics.gae([1.0], [0.0], 9.0, truncated=[1], final_values=[4.0], gamma=0.5)

    assert dead.returns.tolist() == [1.0]
    assert cut.returns.tolist() == [3.0]


def test_truncation_without_final_values_is_refused():
    with pytest.raises(ConfigError, match="final_values"):
        metrics.gae([1.0], [0.0], truncated=[1])


def test_garbage_beyond_a_terminal_state_does_not_leak():
    found = metrics.gae([1.0, 1.0], [0.0, 0.0], np.nan, terminated=[0, 1])

    assert np.isfinite(found.advantages).all()


def test_time_may_be_any_axis(rng):
    r, v = rng.normal(size=(3, 7)), rng.normal(size=(3, 7))

    found = metrics.gae(r, v, np.zeros(3), time_axis=1)

    want = metrics.gae(r.T, v.T, np.zeros(3))
    np.testing.assert_allclose(found.advantages, want.advantages.T)


def test_shapes_are_checked():
    with pytest.raises(ValueError, match=r"values has shape \(3,\), but rewards has shape \(4,\)"):
        metrics.gae(np.zeros(4), np.zeros(3))
    with pytest.raises(ValueError, match="last_value"):
        metrics.gae(np.zeros((4, 2)), np.zeros((4, 2)), np.zeros(3))


def test_skipped_tokens_are_as_if_they_were_not_there(rng):
    r, v = rng.normal(size=(1, 6)), rng.normal(size=(1, 6))
    mask = np.array([[1, 0, 1, 1, 0, 0]], dtype=bool)
    r[~mask] = np.nan
    short = metrics.gae_tokens(r[mask][None], v[mask][None], gamma=0.9, lam=0.8)

    found = metrics.gae_tokens(r, v, mask, gamma=0.9, lam=0.8)

    np.testing.assert_allclose(found.advantages[mask], short.advantages[0])
    np.testing.assert_allclose(found.returns[mask], short.returns[0])
    assert (found.advantages[~mask] == 0).all()


@given(
    st.lists(st.floats(-100, 100), min_size=2, max_size=50).filter(lambda x: np.std(x) > 1e-2),
    st.floats(0.5, 20),
    st.floats(-50, 50),
)
def test_whitening_does_not_see_scale_and_shift(values, scale, shift):
    x = np.array(values)

    white = metrics.whiten(x)

    assert white.mean() == pytest.approx(0, abs=1e-6)
    assert white.std(ddof=1) == pytest.approx(1, rel=1e-3)
    np.testing.assert_allclose(metrics.whiten(scale * x + shift), white, rtol=1e-3, atol=1e-3)


def test_whitening_edges():
    assert metrics.whiten([3.0, 3.0]).tolist() == [0.0, 0.0]
    assert np.isnan(metrics.whiten([3.0])).all()
    kept = metrics.whiten([1.0, 2.0, 3.0, np.nan], [1, 1, 1, 0], shift_mean=False)
    assert kept[:3].mean() == pytest.approx(2.0)
    assert kept[3] == 0


def test_statistics(rng):
    a = rng.normal(size=(4, 5))
    a[0, 0] = 0.0

    found = metrics.advantage_stats(a)

    assert found["advantage/std"] == pytest.approx(a.std(ddof=1))
    assert found["advantage/zero_fraction"] == 1 / 20
    assert metrics.return_stats(a)["returns/var"] == pytest.approx(a.var(ddof=1))
