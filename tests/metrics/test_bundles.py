from __future__ import annotations

import math

import numpy as np
import pytest
from tests.catalog.seed_names import RL_METRICS

from runvitals import metrics
from runvitals.model import ConfigError


@pytest.fixture
def batch(rng):
    shape = (6, 8)
    old = rng.normal(-1.5, 0.5, shape)
    return {
        "logprobs": old + rng.normal(0, 0.3, shape),
        "old_logprobs": old,
        "advantages": rng.normal(size=shape),
        "mask": np.arange(8) < rng.integers(1, 9, 6)[:, None],
        "ref_logprobs": old + rng.normal(0, 0.2, shape),
        "rollout_logprobs": old + rng.normal(0, 0.01, shape),
        "entropy": rng.random(shape),
        "values": rng.normal(size=shape),
        "old_values": rng.normal(size=shape),
        "returns": rng.normal(size=shape),
        "rewards": rng.normal(size=6),
        "scores": rng.normal(size=6),
        "prompt_lengths": rng.integers(1, 20, 6),
        "turns": rng.integers(1, 5, 6),
    }


SEED_NAMES = """
    env/reward_mean env/reward_std objective/kl objective/kl_coef ppo/mean_non_score_reward
    objective/entropy ppo/policy/entropy ppo/policy/clipfrac ppo/policy/approxkl
    ppo/policy/ratio ppo/policy/advantages_mean ppo/val/mean ppo/val/var ppo/val/error
    ppo/val/var_explained ppo/val/clipfrac ppo/returns/mean ppo/returns/var ppo/loss/policy
    ppo/loss/value ppo/loss/total tokens/queries_len_mean tokens/responses_len_mean
    tokens/responses_len_std objective/logprobs objective/ref_logprobs
    actor/loss actor/pg_loss actor/entropy_loss actor/kl_loss actor/kl_coef actor/grad_norm
    actor/entropy actor/approx_kl actor/pg_clipfrac actor/lr critic/loss critic/value/mean
    critic/advantages/mean critic/advantages/std critic/rewards/mean response_length/mean
    response_length/max response_length/clip_ratio prompt_length/mean prompt_length/clip_ratio
    response/aborted_ratio num_turns/min num_turns/max num_turns/mean global_seqlen/min
    global_seqlen/max global_seqlen/minmax_diff global_seqlen/balanced_min
    global_seqlen/balanced_max global_seqlen/mean approx_kl entropy clipfrac pg_grad_norm
    Train/Loss Train/PolicyLoss Train/KLPenalty Train/AvgReward Train/RewardStd Train/RewardMin
    Train/RewardMax Train/RewardVariance actor/ppo_kl clip_epsilon current_lr
"""

OPTIONS = {
    "dual_clip": 3.0,
    "value_clip": 0.2,
    "kl_coef": 0.1,
    "entropy_coef": 0.01,
    "value_coef": 0.5,
    "max_prompt_length": 20,
    "ranks": 3,
    "grad_norm": 1.5,
    "learning_rate": 1e-6,
}


def test_the_bundle_equals_its_parts(batch):
    found = metrics.ppo_health(**batch, **OPTIONS)

    b, m = batch, batch["mask"]
    new, old, adv = b["logprobs"], b["old_logprobs"], b["advantages"]
    clip = metrics.clip_fractions(new, old, adv, m, dual_clip=3.0)
    want = {
        "policy/approx_kl": metrics.approx_kl(new, old, m),
        "policy/kl_old": metrics.approx_kl(new, old, m, estimator="k1"),
        "policy/clip_fraction": clip.total,
        "policy/clip_fraction_low": clip.low,
        "policy/clip_fraction_high": clip.high,
        "policy/clip_fraction_dual": clip.dual,
        "policy/loss": metrics.ppo_loss(new, old, adv, m, dual_clip=3.0),
        **metrics.ratio_stats(new, old, m),
        **metrics.logprob_stats(new, m, reference=b["ref_logprobs"]),
        **metrics.advantage_stats(adv, m),
        **metrics.return_stats(b["returns"], m),
        **metrics.value_stats(b["old_values"], m),
        **metrics.reward_stats(b["rewards"]),
        **metrics.score_stats(b["scores"]),
        **metrics.rollout_mismatch(old, b["rollout_logprobs"], m),
        **metrics.length_stats(m.sum(1), max_length=8),
        **metrics.turn_stats(b["turns"]),
        **metrics.seqlen_balance(b["prompt_lengths"] + m.sum(1), 3),
        "policy/entropy": metrics.mean_entropy(b["entropy"], m),
        "policy/kl_ref": metrics.kl_ref(new, b["ref_logprobs"], m),
        "policy/kl_ref_sequence": metrics.kl_ref(
            new, b["ref_logprobs"], m, estimator="k1", reduce="sequence_sum"
        ),
        "policy/entropy_sequence": metrics.entropy_sampled(new, m, reduce="sequence_sum"),
        "value/loss": metrics.value_loss(
            b["values"], b["returns"], m, old_values=b["old_values"], clip=0.2
        ),
        "value/error": metrics.value_error(b["values"], b["returns"], m),
        "value/clip_fraction": metrics.value_clip_fraction(
            b["values"], b["old_values"], b["returns"], m
        ),
        "value/explained_variance": metrics.explained_variance(b["old_values"], b["returns"], m),
        "reward/kl_penalty_mean": metrics.kl_penalty_mean(new, b["ref_logprobs"], m, kl_coef=0.1),
    }
    for name, value in want.items():
        assert found[name] == pytest.approx(value, rel=1e-9), name


def test_totals_are_the_sum_of_their_terms(batch):
    found = metrics.ppo_health(**batch, **OPTIONS)

    total = found["policy/loss"] + 0.1 * found["policy/kl_ref"] - 0.01 * found["policy/entropy"]
    assert found["policy/loss_total"] == pytest.approx(total)
    assert found["optim/loss"] == pytest.approx(total + 0.5 * found["value/loss"])


def test_all_values_are_plain_floats(batch):
    assert {type(v) for v in metrics.ppo_health(**batch, **OPTIONS).values()} == {float}


def test_only_what_can_be_computed_appears():
    found = metrics.ppo_health([-1.0, -2.0], [-1.1, -1.9])

    assert "policy/approx_kl" in found
    assert not [k for k in found if k.startswith(("value/", "advantage/", "reward/", "length/"))]


def test_every_name_of_the_guides_tables_comes_out_of_one_call(batch):
    found = metrics.ppo_health(**batch, **OPTIONS, names="seed")

    histograms = {"env/reward_dist", "ppo/policy/advantages"}  # not scalars
    table = [
        *(name for name in RL_METRICS["trl"] if name not in histograms),
        "actor/loss",
        "actor/pg_loss",
        "actor/entropy_loss",
        "actor/kl_loss",
        "actor/kl_coef",
        "actor/grad_norm",
        "actor/entropy",
        "actor/approx_kl",
        "actor/pg_clipfrac",
        "actor/lr",
        "critic/loss",
        "critic/value/mean",
        "critic/advantages/mean",
        "critic/advantages/std",
        "critic/rewards/mean",
        "response_length/mean",
        "response_length/max",
        "response_length/clip_ratio",
        "prompt_length/mean",
        "prompt_length/clip_ratio",
        "response/aborted_ratio",
        "num_turns/min",
        "num_turns/max",
        "num_turns/mean",
        "global_seqlen/min",
        "global_seqlen/max",
        "global_seqlen/minmax_diff",
        "global_seqlen/balanced_min",
        "global_seqlen/balanced_max",
        "global_seqlen/mean",
        "approx_kl",
        "entropy",
        "clipfrac",
        "pg_grad_norm",
        "Train/Loss",
        "Train/PolicyLoss",
        "Train/KLPenalty",
        "Train/AvgReward",
        "Train/RewardStd",
        "Train/RewardMin",
        "Train/RewardMax",
        "Train/RewardVariance",
        "actor/ppo_kl",
        "clip_epsilon",
        "current_lr",
    ]
    assert [name for name in table if name not in found] == []


def test_verl_names(batch):
    found = metrics.ppo_health(**batch, **OPTIONS, names="verl")

    for name in (
        "actor/pg_loss",
        "actor/ppo_kl",
        "actor/pg_clipfrac",
        "actor/pg_clipfrac_lower",
        "critic/vf_loss",
        "critic/vf_explained_var",
        "critic/score/mean",
        "response_length/clip_ratio",
        "global_seqlen/minmax_diff",
        "rollout_corr/kl",
    ):
        assert name in found


def test_sb3_conventions(batch):
    found = metrics.ppo_health(**batch, **OPTIONS, names="sb3")

    new, old, m = batch["logprobs"], batch["old_logprobs"], batch["mask"]
    assert found["train/clip_fraction"] == metrics.clip_fraction(new, old, mask=m)
    assert found["train/entropy_loss"] == -metrics.mean_entropy(batch["entropy"], m)
    ours = metrics.ppo_health(**batch, **OPTIONS)
    assert found["train/value_loss"] == pytest.approx(2 * ours["value/loss"])


def test_trl_uses_k2(batch):
    found = metrics.ppo_health(**batch, **OPTIONS, names="trl")

    want = metrics.approx_kl(
        batch["logprobs"], batch["old_logprobs"], batch["mask"], estimator="k2"
    )
    assert found["policy/approxkl_avg"] == pytest.approx(want)


def test_logits_give_the_entropy(rng):
    logits = rng.normal(size=(2, 3, 5))
    lp = rng.normal(size=(2, 3))

    found = metrics.ppo_health(lp, lp, logits=logits)

    assert found["policy/entropy"] == pytest.approx(metrics.entropy_from_logits(logits))


def test_grpo(rng, batch):
    rewards = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    keys = ("logprobs", "old_logprobs", "mask", "ref_logprobs", "entropy")
    part = {k: batch[k] for k in keys}

    found = metrics.grpo_health(**part, rewards=rewards, group_size=2, names="trl", kl_coef=0.1)
    plain = metrics.grpo_health(**part, rewards=rewards.reshape(3, 2))

    assert found["reward"] == pytest.approx(0.5)
    assert found["frac_reward_zero_std"] == pytest.approx(2 / 3)
    assert found["completions/mean_length"] == pytest.approx(batch["mask"].sum(1).mean())
    adv = metrics.group_advantages(rewards, group_size=2)
    assert plain["policy/loss"] == pytest.approx(
        metrics.ppo_loss(batch["logprobs"], batch["old_logprobs"], adv, batch["mask"])
    )
    assert plain["reward/group_mixed_fraction"] == pytest.approx(1 / 3)
    with pytest.raises(ConfigError, match="rewards hold 4 samples"):
        metrics.grpo_health(**part, rewards=rewards[:4], group_size=2)


def test_constant_rewards_leave_nothing_to_learn(batch):
    found = metrics.grpo_health(
        batch["logprobs"], batch["old_logprobs"], np.ones(6), batch["mask"], group_size=3
    )

    assert found["reward/zero_std_fraction"] == 1
    assert found["policy/loss"] == 0


def test_preference_bundles(rng):
    c, r, rc, rr = -rng.exponential(10, size=(4, 5))
    lengths = np.full(5, 7)

    seed = metrics.dpo_health(c, r, rc, rr, names="seed")
    assert {"loss/dpo", "rewards/chosen", "rewards/margins", "rewards/accuracy"} <= set(seed)
    for method, extra in {
        "ipo": {},
        "hinge": {},
        "robust": {"label_smoothing": 0.1},
        "simpo": {"chosen_lengths": lengths, "rejected_lengths": lengths},
        "orpo": {},
        "cpo": {"nll": 1.0},
    }.items():
        found = metrics.dpo_health(c, r, rc, rr, method=method, **extra)
        assert math.isfinite(found["preference/loss"])
    with pytest.raises(ConfigError, match="ref_chosen"):
        metrics.dpo_health(c, r)
    with pytest.raises(ConfigError, match="chosen_lengths"):
        metrics.dpo_health(c, r, method="simpo")


def test_reward_model_bundle(rng):
    c, r = rng.normal(size=(2, 9))

    found = metrics.reward_model_health(c, r, calibration_bins=5, grad_norm=2.0, names="seed")

    assert {"rm/loss", "rm/accuracy", "rm/reward_margin", "rm/grad_norm"} <= set(found)
    assert 0 <= found["rm/calibration_error"] <= 0.5


def test_supervised_bundle(rng):
    z, labels = rng.normal(size=(2, 4, 5)), rng.integers(0, 5, size=(2, 4))

    found = metrics.sft_health(z, labels, names="trl", learning_rate=1e-5)

    assert {"loss", "mean_token_accuracy", "entropy", "learning_rate"} <= set(found)


def test_unknown_naming_is_refused():
    with pytest.raises(ConfigError, match="unknown naming 'jira'"):
        metrics.ppo_health([-1.0], [-1.0], names="jira")
