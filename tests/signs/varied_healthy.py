"""Healthy runs of the founding documents for `varied_logs`, and names that other frameworks use."""

from __future__ import annotations

import numpy as np
from tests.signs.varied_logs import Log

SB3 = {
    "avg_return": "rollout/ep_rew_mean",
    "win_rate": "rollout/success_rate",
    "episode_length": "rollout/ep_len_mean",
    "policy_loss": "train/policy_gradient_loss",
    "value_loss": "train/value_loss",
    "entropy": "-train/entropy_loss",
    "approx_kl": "train/approx_kl",
    "clip_fraction": "train/clip_fraction",
    "current_lr": "train/learning_rate",
    "steps_per_second": "time/fps",
}
CLEANRL = {
    "avg_return": "charts/episodic_return",
    "episode_length": "charts/episodic_length",
    "policy_loss": "losses/policy_loss",
    "value_loss": "losses/value_loss",
    "entropy": "losses/entropy",
    "approx_kl": "losses/approx_kl",
    "clip_fraction": "losses/clipfrac",
    "current_lr": "charts/learning_rate",
    "steps_per_second": "charts/SPS",
}
TRL_PPO = {
    "env/reward_mean": "objective/scores",
    "ppo/policy/clipfrac": "policy/clipfrac_avg",
    "ppo/policy/approxkl": "policy/approxkl_avg",
    "ppo/policy/entropy": "policy/entropy_avg",
    "ppo/loss/policy": "loss/policy_avg",
    "ppo/loss/value": "loss/value_avg",
    "ppo/policy/ratio": "val/ratio",
    "ppo/val/clipfrac": "val/clipfrac_avg",
    "ppo/mean_non_score_reward": "objective/non_score_reward",
}
TRL_GRPO = {
    "critic/rewards/mean": "reward",
    "critic/score/mean": "",
    "actor/grad_norm": "grad_norm",
    "actor/entropy": "entropy",
    "actor/lr": "learning_rate",
    "response_length/mean": "completions/mean_length",
    "response_length/max": "completions/max_length",
    "response_length/clip_ratio": "completions/clipped_ratio",
}


def ppo(log: Log) -> None:
    """000: PPO on a task that can be won."""
    log.series |= {
        "avg_return": log.outcome(-40.0, 180.0, 0.04),
        "win_rate": np.clip(log.outcome(0.1, 0.9, 0.03), 0, 1),
        "episode_length": log.about(80.0, 0.06),
        "policy_loss": log.noise(0.008) - 0.012,
        "value_loss": log.about(22 - 12 * log.t, 0.15),
        "entropy": log.about(1.9 - 0.7 * log.t, 0.03),
        "approx_kl": log.about(0.008, 0.25),
        "clip_fraction": np.minimum(1, log.about(0.11, 0.2)),
        "grad_norm": log.about(0.7, 0.2),
        "steps_per_second": log.about(950.0, 0.05),
        "updates_per_second": log.about(2.2, 0.05),
        "current_lr": np.full(log.n, 2.5e-4),
    }


def rlhf(log: Log) -> None:
    """001: PPO of a language model."""
    log.series |= {
        "env/reward_mean": log.outcome(-0.4, 1.9, 0.05),
        "env/reward_std": log.about(1.1, 0.1),
        "objective/kl": log.about(0.015 + 0.05 * log.t, 0.1),
        "objective/kl_coef": np.full(log.n, 0.15),
        "ppo/mean_non_score_reward": -log.about(0.03, 0.15),
        "objective/entropy": log.about(3.0 - 0.9 * log.t, 0.04),
        "ppo/policy/entropy": log.about(3.0 - 0.9 * log.t, 0.04),
        "ppo/policy/clipfrac": log.about(0.09, 0.2),
        "ppo/policy/approxkl": log.about(0.015, 0.2),
        "ppo/policy/ratio": 1 + log.noise(0.012),
        "ppo/policy/advantages_mean": log.noise(0.02),
        "ppo/val/mean": log.outcome(-0.4, 1.8, 0.05),
        "ppo/val/var": log.about(0.8, 0.12),
        "ppo/val/error": log.about(0.7 - 0.45 * log.t, 0.12),
        "ppo/val/var_explained": np.minimum(0.98, 0.3 + 0.62 * (1 - np.exp(-6 * log.t)))
        + log.noise(0.012),
        "ppo/val/clipfrac": log.about(0.04, 0.2),
        "ppo/returns/mean": log.outcome(-0.4, 1.85, 0.05),
        "ppo/returns/var": log.about(0.9, 0.12),
        "ppo/loss/policy": log.noise(0.01) - 0.015,
        "ppo/loss/value": log.about(0.35 - 0.2 * log.t, 0.12),
        "ppo/loss/total": log.about(0.14 - 0.06 * log.t, 0.12),
        "tokens/queries_len_mean": log.about(60.0, 0.03),
        "tokens/responses_len_mean": log.about(90.0, 0.05),
        "tokens/responses_len_std": log.about(20.0, 0.08),
        "objective/logprobs": -log.about(130.0, 0.03),
        "objective/ref_logprobs": -log.about(131.0, 0.03),
    }


def scheduler(log: Log) -> None:
    """002: PPO of a request scheduler."""
    score = log.outcome(0.25, 0.75, 0.04)
    delta, penalty = log.noise(0.03), log.about(0.02, 0.2)
    log.series |= {
        "approx_kl": log.about(0.009, 0.2),
        "entropy": log.about(1.35 - 0.3 * log.t, 0.03),
        "clipfrac": log.about(0.18, 0.12),
        "pg_grad_norm": log.about(0.2, 0.15),
        "current_temperature": log.about(1.1, 0.05),
        "temp_current_temperature": log.about(1.1, 0.05),
        "temp_qps_pressure_ema": log.about(0.35, 0.08),
        "temp_latency_pressure_ema": log.about(0.25, 0.08),
        "temp_is_pulsing": np.zeros(log.n),
        "reward": score + delta - penalty,
        "reward_mean": score + delta - penalty + log.noise(0.005),
        "absolute_score": score,
        "delta_score": delta,
        "balance_penalty": penalty,
        "throughput": log.outcome(30.0, 75.0, 0.05),
        "latency_mean": log.about(0.9, 0.05),
    }
    share = [0.25 + log.noise(0.015) for _ in range(3)]
    for replica, part in enumerate([*share, 1 - sum(share)]):
        log.series[f"action_replica_{replica}"] = part
    log.config |= {"target_kl": 0.02, "entropy_min": 0.5, "max_grad_norm": 0.5, "kl_coef": 0.2}
    log.config |= {"min_temperature": 0.5, "max_temperature": 2.0, "learning_rate": 3e-4}


def verl(log: Log) -> None:
    """003: GRPO or PPO of a language model."""
    log.sparse["val-core/gsm8k/acc/mean@1"] = max(1, min(20, log.n // 20))
    log.series |= {
        "val-core/gsm8k/acc/mean@1": np.clip(log.outcome(0.3, 0.78, 0.02), 0, 1),
        "critic/rewards/mean": log.outcome(0.3, 0.82, 0.04),
        "critic/score/mean": log.outcome(0.3, 0.82, 0.04),
        "actor/loss": log.noise(0.008) - 0.01,
        "actor/pg_loss": log.noise(0.008) - 0.01,
        "actor/entropy": log.about(0.6 - 0.2 * log.t, 0.04),
        "actor/ppo_kl": log.about(0.002, 0.3),
        "actor/kl_loss": log.about(0.003 + 0.02 * log.t, 0.1),
        "actor/kl_coef": np.full(log.n, 0.001),
        "actor/pg_clipfrac": log.about(0.015, 0.25),
        "actor/grad_norm": log.about(0.25, 0.15),
        "actor/lr": np.full(log.n, 1e-6),
        "critic/loss": log.about(0.4 - 0.25 * log.t, 0.12),
        "critic/value/mean": log.outcome(0.3, 0.8, 0.05),
        "critic/advantages/mean": log.noise(0.01),
        "critic/advantages/std": log.about(0.95, 0.05),
        "response_length/mean": log.about(600.0, 0.05),
        "response_length/max": log.about(1900.0, 0.03),
        "response_length/clip_ratio": np.clip(0.008 + log.noise(0.003), 0, 1),
        "prompt_length/mean": log.about(130.0, 0.03),
        "prompt_length/max": log.about(420.0, 0.03),
        "prompt_length/clip_ratio": np.zeros(log.n),
        "response/aborted_ratio": np.zeros(log.n),
        "num_turns/mean": log.about(2.6, 0.03),
        "num_turns/max": np.full(log.n, 5.0),
        "global_seqlen/min": log.about(90000.0, 0.03),
        "global_seqlen/max": log.about(97000.0, 0.03),
        "global_seqlen/mean": log.about(93000.0, 0.03),
        "global_seqlen/minmax_diff": log.about(7000.0, 0.1),
        "timing_s/step": log.about(80.0, 0.03),
        "timing_s/gen": log.about(45.0, 0.04),
        "timing_s/reward": log.about(3.0, 0.05),
        "timing_s/old_log_prob": log.about(7.0, 0.04),
        "timing_s/update_actor": log.about(18.0, 0.04),
        "timing_s/agent_loop/tool_calls/mean": log.about(1.6, 0.06),
        "perf/throughput": log.about(1500.0, 0.03),
        "perf/mfu/actor": log.about(0.5, 0.03),
    }


def dpo(log: Log) -> None:
    """003: DPO."""
    grown = 1 - np.exp(-4 * log.t)
    margin = log.about(0.02 + 1.2 * grown, 0.07)
    every = max(1, min(20, log.n // 20))
    log.sparse |= {"eval/rewards/accuracies": every, "eval/rewards/margins": every}
    log.series |= {
        "loss/dpo": log.about(0.693 - 0.25 * grown, 0.03),
        "rewards/chosen": 0.3 * margin + log.noise(0.03),
        "rewards/rejected": -0.7 * margin + log.noise(0.03),
        "rewards/margins": margin,
        "rewards/accuracy": np.clip(0.51 + 0.28 * grown + log.noise(0.015), 0, 1),
        "eval/rewards/accuracies": np.clip(0.51 + 0.22 * grown + log.noise(0.012), 0, 1),
        "eval/rewards/margins": 0.02 + grown + log.noise(0.03),
    }
    log.config |= {"beta": 0.1, "learning_rate": 5e-7}


def reward_model(log: Log) -> None:
    """003: a reward model."""
    grown = 1 - np.exp(-5 * log.t)
    log.sparse["eval/rm/accuracy"] = max(1, min(20, log.n // 20))
    log.series |= {
        "rm/loss": log.about(0.693 - 0.28 * grown, 0.03),
        "rm/accuracy": np.clip(0.5 + 0.3 * grown + log.noise(0.012), 0, 1),
        "rm/reward_margin": log.about(0.03 + 1.2 * grown, 0.07),
        "rm/grad_norm": log.about(2.0, 0.15),
        "eval/rm/accuracy": np.clip(0.5 + 0.26 * grown + log.noise(0.012), 0, 1),
    }


def teacher(log: Log) -> None:
    """004: a language model that a teacher scores."""
    reward = np.clip(log.outcome(0.35, 0.85, 0.025), 0, 1)
    loss = 1.4 - 0.9 * (1 - np.exp(-4 * log.t)) + log.noise(0.02)
    log.sparse |= {"Performance/Generation_TokensPerSec": 10 if log.n >= 300 else 2}
    log.series |= {
        "Train/Loss": loss + log.noise(0.04),
        "Train/PolicyLoss": loss + log.noise(0.04) - 0.05,
        "Train/KLPenalty": log.about(0.04, 0.1),
        "Train/AvgReward": np.clip(reward + log.noise(0.02), 0, 1),
        "Train/RewardStd": log.about(0.06, 0.08),
        "Train/RewardVariance": log.about(0.004, 0.15),
        "Epoch/AvgReward": reward,
        "Epoch/AvgLoss": loss,
        "Epoch/RewardVariance": log.about(0.004, 0.12),
        "Epoch/RewardTrend": np.diff(reward, prepend=reward[0]),
        "Epoch/LossTrend": -np.diff(loss, prepend=loss[0]),
        "Epoch/APITokens": log.about(41000.0, 0.03),
        "Epoch/NumSamples": np.full(log.n, 64.0),
        "Performance/Generation_TokensPerSec": log.about(18.0, 0.06),
        "Performance/Backprop_TokensPerSec": log.about(240.0, 0.05),
        "System/CPU_Percent": np.minimum(99, log.about(45.0, 0.08)),
        "System/Memory_Percent": log.about(58.0, 0.02),
        "System/GPU_Utilization": np.minimum(99, log.about(75.0, 0.05)),
        "System/GPU_Memory_Percent": log.about(64.0, 0.02),
    }
    for name, weight in (("Correctness", 0.3), ("CodeQuality", 0.3), ("Efficiency", 0.2)):
        log.series[f"Scoring/{name}"] = np.full(log.n, weight)
