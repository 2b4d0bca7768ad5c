"""Phantom clipping, experts that disagree, and weights or queues that lag."""

from __future__ import annotations

import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
NOISE = 1 + 0.05 * RNG.standard_normal(60)
FLAT = 0.3 + 0.01 * RNG.standard_normal(60)
ONE_UPDATE = {"num_iterations": 1, "steps_per_generation": 4, "gradient_accumulation_steps": 4,
              "num_generations": 8}  # fmt: skip


def run(config=None, **series):
    named = {name.replace("__", "/"): values for name, values in series.items()}
    return make_run({"reward/score_mean": FLAT, **named}, algorithm="GRPO", config=config or {})


def test_clipping_before_the_first_update_is_told():
    [finding] = check(run(ONE_UPDATE, policy__clip_fraction=0.02 * NOISE), "MIS004")

    assert finding.message == "2.0% of the tokens are clipped before the first update"


@pytest.mark.parametrize(
    ("config", "clipped"),
    [(ONE_UPDATE, 0 * NOISE), ({**ONE_UPDATE, "steps_per_generation": 8}, 0.02 * NOISE),
     ({}, 0.02 * NOISE)],
    ids=["nothing clipped", "two updates per batch", "settings unknown"],
)  # fmt: skip
def test_clipping_that_may_be_right_is_not(config, clipped):
    assert check(run(config, policy__clip_fraction=clipped), "MIS004") == []


def test_experts_that_differ_between_engines_are_told():
    [finding] = check(run(moe__routing_disagreement=0.25 * NOISE), "MIS005")

    assert finding.message.startswith("25% of the tokens go to other experts")


def test_experts_that_agree_but_for_rounding_are_not():
    assert check(run(moe__routing_disagreement=0.03 * NOISE), "MIS005") == []


def test_weights_that_take_half_of_the_step_are_told():
    slow = run(time__weight_sync_s=10 * NOISE, time__step_s=20 * NOISE)

    [finding] = check(slow, "MIS006")

    assert finding.message == "synchronising weights takes 50% of the step"


def test_a_queue_that_grows_with_the_age_of_its_samples_is_told():
    growing = np.linspace(10, 100, 60) * NOISE
    [finding] = check(run(async__queue_size=growing, async__staleness_max=growing / 10), "MIS006")

    assert "the queue of samples has grown" in finding.message


def test_a_full_queue_of_fresh_samples_and_quick_weights_are_not():
    sound = run(
        async__queue_size=np.linspace(10, 100, 60) * NOISE,
        async__staleness_max=2 * NOISE,
        time__weight_sync_s=NOISE,
        time__step_s=20 * NOISE,
    )

    assert check(sound, "MIS006") == []


def test_weights_are_not_blamed_where_log_probabilities_agree():
    agreeing = run(mismatch__is_weight_std=3 * NOISE, mismatch__logprob_diff_mean=0.004 * NOISE)

    assert check(agreeing, "MIS002") == []


def test_the_settings_of_the_weights_are_named():
    config = {"vllm_importance_sampling_mode": "token_truncate", "top_p": 0.9}

    [finding] = check(run(config, mismatch__is_weight_std=3 * NOISE), "MIS002")

    assert "(importance_sampling_mode token_truncate, top_p 0.9)" in finding.message


def test_tokens_far_apart_or_not_finite_are_told():
    assert check(run(mismatch__outside_fraction=0.05 * NOISE), "MIS002")
    assert check(run(mismatch__nonfinite_fraction=0.01 * NOISE), "MIS002")
