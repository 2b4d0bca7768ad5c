from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runvitals import metrics
from runvitals.model import ConfigError


def test_window_forgets_and_ema_remembers():
    tracker = metrics.EpisodeTracker(window=2, decay=0.5)
    for ret, win in ((0.0, 0), (10.0, 1), (20.0, 1)):
        tracker.add(ret, 5, win=win)

    found = tracker.metrics()

    assert found["outcome/return_mean"] == 15
    assert found["outcome/return_best"] == 15
    assert found["outcome/win_rate"] == 1
    assert found["outcome/win_rate{smoothing=ema}"] == pytest.approx(1.5 / 1.75)
    assert found["outcome/episode_count"] == 2
    assert found["progress/episodes"] == 3
    assert tracker.metrics("seed")["win_rate_ema"] == pytest.approx(1.5 / 1.75)
    assert tracker.metrics("sb3")["rollout/ep_rew_mean"] == 15


def test_before_the_first_episode_everything_is_nan():
    found = metrics.EpisodeTracker().metrics()

    assert math.isnan(found["outcome/return_mean"])
    assert "outcome/success_rate" not in found


def test_steps_of_a_vector_of_environments():
    tracker = metrics.EpisodeTracker(gamma=0.5)
    assert tracker.step([1.0, 1.0], [0, 0], [0, 0]) == 0
    assert tracker.step([1.0, 2.0], [1, 0], [0, 0], success=[1, 0]) == 1
    assert tracker.step([5.0, 3.0], [0, 0], [0, 1], success=[1, 0]) == 1

    found = tracker.metrics()

    assert found["outcome/return_max"] == 6
    assert found["outcome/return_min"] == 2
    assert found["outcome/episode_length_max"] == 3
    assert found["outcome/termination_rate"] == 0.5
    assert found["outcome/success_rate"] == 0.5
    assert found["outcome/return_discounted_mean"] == pytest.approx((1.5 + 2.75) / 2)
    with pytest.raises(ValueError, match=r"rewards has shape \(3,\), but earlier steps"):
        tracker.step([0.0] * 3, [0] * 3)
    with pytest.raises(ValueError, match=r"terminated has shape \(1,\), but rewards"):
        tracker.step([0.0] * 2, [0])


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.floats(0, 0.999))
def test_ema_is_the_debiased_weighted_mean(values, decay):
    ema = metrics.Ema(decay=decay)
    for x in values:
        ema.update(x)
    weights = decay ** np.arange(len(values))[::-1]

    want = np.average(values, weights=weights)

    assert ema.value == pytest.approx(want, rel=1e-9, abs=1e-6)


def test_plain_ema_starts_at_the_first_value_and_skips_nan():
    ema = metrics.Ema(decay=0.9, debias=False)
    assert math.isnan(ema.value)
    for x in (2.0, math.nan, 4.0):
        ema.update(x)

    assert ema.value == pytest.approx(0.9 * 2 + 0.1 * 4)
    with pytest.raises(ConfigError, match="decay"):
        metrics.Ema(decay=1.0)


def test_epochs():
    epoch = metrics.EpochTracker()
    epoch.update(reward=[1.0, 3.0], loss=1.0, api_tokens=7)
    first = epoch.end()
    epoch.update(reward=[4.0], loss=2.0)

    second = epoch.end()

    assert first["Epoch/RewardVariance"] == 2
    assert first["Epoch/APITokens"] == 7
    assert "Epoch/RewardTrend" not in first
    assert second["Epoch/RewardTrend"] == 2
    assert second["Epoch/LossTrend"] == -1
    assert second["Epoch/NumSamples"] == 1


def test_rates_without_time_are_nan():
    assert math.isnan(metrics.steps_per_second(10, 0.0))
    assert math.isnan(metrics.per_token_ms(1.0, 0))
    assert metrics.tokens_per_second(100, 2.0, devices=5) == 10


def test_speed_tracker():
    speed = metrics.SpeedTracker()
    for i in range(1, 101):
        speed.add(i, 1.0)

    found = speed.metrics("throughput/generation_tokens_per_s")

    assert found["throughput/generation_tokens_per_s"] == 100
    assert found["throughput/generation_tokens_per_s{stat=mean}"] == 50.5
    assert found["throughput/generation_tokens_per_s{stat=p99}"] == pytest.approx(
        np.percentile(np.arange(1, 101), 99)
    )
    named = metrics.rename(found, "seed")
    assert named["Performance/Generation_P99TokensPerSec"] == pytest.approx(99.01)
    assert math.isnan(metrics.SpeedTracker().percentile())


def test_timing_names():
    found = metrics.rename(
        metrics.timing_stats({"step": 9.0, "gen": 3.0, "adv": 1.0}, tokens=1000), "verl"
    )

    assert found["timing_s/gen"] == 3
    assert found["timing_per_token_ms/adv"] == 1
    assert found["timing_s/step"] == 9
    assert "timing_per_token_ms/step" not in found


def test_throughput():
    found = metrics.throughput_stats(
        seconds=2.0, tokens=800, steps=100, updates=4, samples=8, devices=4
    )

    assert found["throughput/tokens_per_s_per_device"] == 100
    assert found["throughput/updates_per_s"] == 2


def test_dense_flops_by_hand():
    shape = metrics.TransformerShape(layers=3, hidden=64, heads=4, kv_heads=2, ffn=128, vocab=1000)
    per_layer = 64 * (64 + 32 + 32 + 64) + 3 * 64 * 128
    n = 3 * per_layer

    assert shape.parameters == n + 2 * 64 * 1000
    assert shape.flops_per_token(100, convention="verl") == 6 * (n + 128_000) + 6 * 100 * 64 * 3
    assert shape.flops_per_token(100, convention="palm") == 6 * (n + 64_000) + 12 * 100 * 64 * 3
    assert shape.flops_per_token(100) == 6 * (n + 64_000) + 6 * 100 * 64 * 3
    assert shape.flops_per_token(100, training=False) == shape.flops_per_token(100) / 3


def test_experts_count_only_where_a_token_meets_them():
    dense = metrics.TransformerShape(layers=2, hidden=64, heads=4, ffn=256, vocab=1000)
    moe = metrics.TransformerShape(
        layers=2,
        hidden=64,
        heads=4,
        ffn=256,
        vocab=1000,
        experts=16,
        experts_per_token=2,
        expert_ffn=128,
    )

    extra = moe.flops_per_token(10) - dense.flops_per_token(10)

    assert extra == 6 * 2 * 64 * 16  # the router; 2 experts of half width cost what one ffn does
    assert moe.parameters > 4 * dense.parameters - 4 * 2 * 64 * 1000


@given(st.integers(1, 5000), st.integers(1, 5000))
def test_longer_sequences_cost_more_and_forward_is_a_third(a, b):
    shape = metrics.TransformerShape(layers=2, hidden=64, heads=4, ffn=256, vocab=1000)

    assert (shape.flops_per_token(a) < shape.flops_per_token(b)) == (a < b)
    assert metrics.batch_flops(shape, [a], training=False) * 3 == pytest.approx(
        metrics.batch_flops(shape, [a])
    )


def test_config_of_a_mixture():
    config = {
        "hidden_size": 2048,
        "num_hidden_layers": 48,
        "num_attention_heads": 32,
        "num_key_value_heads": 4,
        "head_dim": 128,
        "intermediate_size": 6144,
        "moe_intermediate_size": 768,
        "num_experts": 128,
        "num_experts_per_tok": 8,
        "vocab_size": 151936,
    }

    shape = metrics.TransformerShape.from_config(config)

    assert shape.parameters == pytest.approx(30.5e9, rel=0.01)  # Qwen3-30B-A3B
    assert shape.active_parameters == pytest.approx(3.3e9, rel=0.05)
    with pytest.raises(ConfigError, match="vocab_size"):
        metrics.TransformerShape.from_config({k: config[k] for k in list(config)[:6]})


def test_peaks_and_mfu():
    assert metrics.peak_flops("NVIDIA H100 80GB HBM3") == 989e12
    assert metrics.peak_flops("NVIDIA H100 PCIe") == 756e12
    assert metrics.peak_flops("NVIDIA H200") == 989e12
    assert metrics.peak_flops("NVIDIA L4") == 121e12
    assert metrics.peak_flops("NVIDIA L40S") == 362e12
    assert math.isnan(metrics.peak_flops("abacus"))
    assert math.isnan(metrics.mfu(1e12, 1.0, device="abacus"))
    assert metrics.mfu(4e12, 2.0, devices=2, peak=2e12) == 0.5
    with pytest.raises(ConfigError, match="peak"):
        metrics.mfu(1e12, 1.0)
    shape = metrics.TransformerShape(layers=2, hidden=64, heads=4, ffn=256, vocab=1000)
    both = metrics.mfu_stats(
        shape, [10, 20], training_seconds=3.0, inference_seconds=1.0, peak=1e12
    )
    assert both["throughput/mfu"] == pytest.approx(both["throughput/mfu_inference"])
