"""Groups, rewards, lengths, turns, balance: numbers per sample."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runvitals import metrics
from runvitals.model import ConfigError


def test_group_stats_of_known_groups():
    found = metrics.group_stats([[1, 1], [0, 0], [1, 0], [0.5, 0.5]])

    assert found["reward/zero_std_fraction"] == 0.75
    assert found["reward/group_all_correct_fraction"] == 0.25
    assert found["reward/group_all_wrong_fraction"] == 0.5
    assert found["reward/group_mixed_fraction"] == 0.25
    assert found["reward/group_any_correct_fraction"] == 0.5
    assert found["reward/group_std_mean"] == pytest.approx(np.std([1, 0], ddof=1) / 4)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=24), st.data())
@settings(deadline=None)
def test_groups_by_id_equal_groups_by_hand(rewards, data):
    ids = data.draw(st.lists(st.sampled_from("abc"), min_size=len(rewards), max_size=len(rewards)))
    members = {k: [r for r, i in zip(rewards, ids, strict=True) if i == k] for k in set(ids)}
    flat = np.mean([len(set(m)) == 1 for m in members.values()])

    stats = metrics.group_stats(rewards, groups=ids)
    adv = metrics.group_advantages(rewards, groups=ids)

    assert stats["reward/zero_std_fraction"] == pytest.approx(flat)
    for reward, key, a in zip(rewards, ids, adv, strict=True):
        group = members[key]
        std = np.std(group, ddof=1) if len(group) > 1 else 0.0
        want = 0.0 if std == 0 else (reward - np.mean(group)) / (std + 1e-4)
        assert a == pytest.approx(want, abs=1e-9)


@given(st.integers(0, 1000), st.integers(2, 6))
def test_group_advantages_sum_to_zero_and_rloo_is_a_scaled_copy(seed, size):
    r = np.random.default_rng(seed).normal(size=(4, size))

    plain = metrics.group_advantages(r, scale="none")
    loo = metrics.rloo_advantages(r)

    np.testing.assert_allclose(plain.sum(1), 0, atol=1e-9)
    np.testing.assert_allclose(loo, plain * size / (size - 1), atol=1e-9)


def test_batch_scale_and_singletons():
    r = [1.0, 0.0, 3.0]

    found = metrics.group_advantages(r, group_size=3, scale="batch", eps=0.0)

    np.testing.assert_allclose(found, (np.array(r) - np.mean(r)) / np.std(r, ddof=1))
    assert np.isnan(metrics.rloo_advantages([1.0], group_size=1)).all()
    assert metrics.group_advantages([1.0], group_size=1).tolist() == [0.0]


def test_group_arguments_are_checked():
    with pytest.raises(ValueError, match="group_size 2"):
        metrics.group_stats([1, 0, 1], group_size=2)
    with pytest.raises(ValueError, match=r"groups has shape \(2,\), but rewards has shape \(3,\)"):
        metrics.group_stats([1, 0, 1], groups=["a", "b"])
    with pytest.raises(ConfigError, match="either group_size or groups"):
        metrics.group_stats([1, 0, 1])


def test_reward_breakdown_adds_up(rng):
    parts = {"score": rng.normal(size=8), "penalty": -rng.random(8)}

    found = metrics.reward_breakdown(parts, weights={"penalty": 2.0})

    total = parts["score"] + 2 * parts["penalty"]
    assert found["reward/mean"] == pytest.approx(total.mean())
    assert found["reward/component_mean{component=penalty}"] == pytest.approx(
        parts["penalty"].mean()
    )
    with pytest.raises(ValueError, match=r"components\['b'\] has shape \(2,\)"):
        metrics.reward_breakdown({"a": [1.0], "b": [1.0, 2.0]})


def test_penalised_rewards_put_the_score_on_the_last_token(rng):
    lp, ref = rng.normal(size=(3, 4)), rng.normal(size=(3, 4))
    mask = np.array([[1, 1, 1, 0], [1, 0, 1, 0], [0, 0, 0, 0]], dtype=bool)
    lp[~mask] = np.nan

    found = metrics.penalised_rewards([5.0, 7.0, 9.0], lp, ref, mask, kl_coef=0.1)

    want = np.where(mask, -0.1 * (lp - ref), 0.0)
    want[0, 2] += 5.0
    want[1, 2] += 7.0
    np.testing.assert_allclose(found, want)
    assert metrics.kl_penalty_mean(lp, ref, mask, kl_coef=0.1) == pytest.approx(
        (want[:2].sum() - 12) / 2
    )


def test_length_stats():
    found = metrics.length_stats(
        [10, 20, 0, 20], finished=[1, 0, 1, 1], correct=[1, 0, 0, 1], max_length=20
    )

    assert found["length/response_clip_ratio"] == 0.25
    assert found["length/response_terminated_mean"] == 10
    assert found["length/response_terminated_max"] == 20
    assert found["length/aborted_ratio"] == 0.25
    assert found["length/response_nonaborted_mean"] == pytest.approx(50 / 3)
    assert found["length/response_correct_mean"] == 15
    assert found["length/response_incorrect_mean"] == 10
    assert found["length/stop_rate"] == 0.75
    prompt = metrics.length_stats([3, 5], kind="prompt", max_length=5)
    assert prompt["length/prompt_clip_ratio"] == 0.5
    assert "length/aborted_ratio" not in prompt


def test_turn_stats():
    found = metrics.turn_stats(
        [1, 3], limit=3, tool_calls=[0, 4], tool_failures=[0, 1], tokens=[10, 30]
    )

    assert found["agent/turns_max"] == 3
    assert found["agent/turn_limit_rate"] == 0.5
    assert found["agent/tool_failure_rate"] == 0.25
    assert found["agent/tokens_per_turn_mean"] == 10
    none = metrics.turn_stats([1], tool_calls=[0], tool_failures=[0])
    assert math.isnan(none["agent/tool_failure_rate"])


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=40), st.integers(1, 8))
@settings(deadline=None)
def test_partitions_hold_every_sequence_once(lengths, ranks):
    parts = metrics.balanced_partition(lengths, ranks)
    assert sorted(itertools.chain(*parts)) == list(range(len(lengths)))
    assert len(parts) == ranks

    equal = lengths * ranks
    parts = metrics.balanced_partition(equal, ranks, equal_size=True)

    assert sorted(itertools.chain(*parts)) == list(range(len(equal)))
    assert {len(p) for p in parts} == {len(lengths)}


@given(st.lists(st.integers(1, 1000), min_size=16, max_size=64))
@settings(deadline=None)
def test_balancing_leaves_at_most_one_sequence_of_difference(lengths):
    loads = [sum(lengths[i] for i in p) for p in metrics.balanced_partition(lengths, 4)]

    assert max(loads) - min(loads) <= max(lengths)


def test_the_example_of_the_reference():
    found = metrics.seqlen_balance([10, 200, 30, 40, 50, 60, 70, 80], 4)

    assert [found[f"balance/seqlen_{k}"] for k in ("min", "max", "diff", "mean")] == [
        70,
        210,
        140,
        135,
    ]
    assert (found["balance/seqlen_balanced_min"], found["balance/seqlen_balanced_max"]) == (
        110,
        210,
    )


def test_load_penalties():
    assert metrics.load_balance_penalty([2.0, 2.0]) == 0
    assert metrics.load_balance_penalty([0.0, 0.0]) == 0
    assert metrics.load_balance_penalty([0.0, 4.0], weight=0.5) == -0.5
    assert metrics.load_imbalance([2.0, 2.0]) == 0
    assert math.isnan(metrics.load_imbalance([0.0]))
