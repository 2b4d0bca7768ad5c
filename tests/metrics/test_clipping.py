from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runvitals import metrics
from runvitals.model import ConfigError


def brute_loss(new, old, adv, low, high, dual):
    losses = []
    for n, o, a in zip(new, old, adv, strict=True):
        r = np.exp(n - o)
        loss = max(-a * r, -a * min(max(r, 1 - low), 1 + high))
        if dual is not None and a < 0:
            loss = min(loss, -a * dual)
        losses.append(loss)
    return np.mean(losses)


@given(
    st.lists(
        st.tuples(st.floats(-3, 0), st.floats(-3, 0), st.floats(-5, 5)), min_size=1, max_size=40
    ),
    st.floats(0.05, 0.5),
    st.floats(0.05, 0.5),
    st.sampled_from([None, 3.0, 5.0]),
)
def test_loss_is_the_textbook_one(rows, low, high, dual):
    new, old, adv = np.array(rows).T

    found = metrics.ppo_loss(new, old, adv, clip_low=low, clip_high=high, dual_clip=dual)

    assert found == pytest.approx(brute_loss(new, old, adv, low, high, dual), rel=1e-9, abs=1e-12)


@given(
    st.lists(
        st.tuples(st.floats(-3, 0), st.floats(-3, 0), st.floats(-5, 5)), min_size=1, max_size=40
    )
)
def test_low_and_high_add_up_and_the_sign_blind_share_is_the_largest(rows):
    new, old, adv = np.array(rows).T

    aware = metrics.clip_fractions(new, old, adv)
    blind = metrics.clip_fractions(new, old)

    assert aware.total == pytest.approx(aware.low + aware.high)
    assert aware.total <= blind.total + 1e-12
    assert 0 <= blind.total <= 1


def test_a_huge_ratio_with_negative_advantage_is_dual_clipped_only():
    found = metrics.clip_fractions([np.log(5.0)], [0.0], [-1.0], dual_clip=3.0)

    assert (found.total, found.dual) == (0.0, 1.0)
    assert metrics.ppo_loss([np.log(5.0)], [0.0], [-1.0], dual_clip=3.0) == pytest.approx(3.0)


def test_zero_advantage_never_counts():
    assert metrics.clip_fraction([2.0], [0.0], [0.0]) == 0.0


def test_advantages_may_be_one_per_sequence(rng):
    new, old = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))
    adv = rng.normal(size=3)
    wide = np.tile(adv[:, None], (1, 5))

    for given_adv in (adv, adv[:, None]):
        assert metrics.clip_fractions(new, old, given_adv)[:3] == pytest.approx(
            metrics.clip_fractions(new, old, wide)[:3]
        )
        assert metrics.ppo_loss(new, old, given_adv) == pytest.approx(
            metrics.ppo_loss(new, old, wide)
        )


def test_asymmetric_bounds():
    new = np.log([1.25, 0.75, 1.0])

    found = metrics.clip_fractions(new, [0.0] * 3, [1.0, -1.0, 1.0], clip_low=0.2, clip_high=0.3)

    assert (found.high, found.low) == (0.0, pytest.approx(1 / 3))


def test_a_negative_clip_is_refused():
    with pytest.raises(ConfigError, match="negative"):
        metrics.clip_fraction([0.0], [0.0], clip=-0.1)
