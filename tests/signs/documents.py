"""The healthy runs of the founding documents, under the documents' own names."""

from __future__ import annotations

import numpy as np
from tests.signs.playing import Document, Tape


def _first_steps(tape: Tape) -> None:
    """PPO on a task that can be won."""
    tape.every = 2048
    wins = np.clip(tape.outcome(0.08, 0.92, 0.03), 0.0, 1.0)
    tape.series |= {
        "avg_return": tape.outcome(20.0, 400.0, 8.0),
        "win_rate": wins,
        "episode_length": tape.around(120.0, 0.05),
        "policy_loss": tape.noise(0.01) - 0.01,
        "value_loss": tape.around(40.0 - 25.0 * tape.way),
        "entropy": tape.around(1.35 - 0.6 * tape.way, 0.03),
        "approx_kl": tape.around(0.009, 0.25),
        "clip_fraction": tape.around(0.12, 0.2),
        "grad_norm": tape.around(0.4, 0.2),
        "steps_per_second": tape.around(1800.0, 0.03),
        "updates_per_second": tape.around(0.9, 0.03),
        "current_lr": np.full(tape.updates, 3e-4),
    }
    tape.config |= {"clip_epsilon": 0.2, "gamma": 0.99, "gae_lambda": 0.95, "seed": 1}


def _rl_table(tape: Tape) -> None:
    """PPO of a language model, as an older TRL logs it."""
    reward = tape.outcome(0.3, 2.4, 0.12)
    tape.series |= {
        "env/reward_mean": reward,
        "env/reward_std": tape.around(0.9, 0.08),
        "objective/kl": tape.around(0.01 + 0.06 * tape.way, 0.1),
        "objective/kl_coef": np.full(tape.updates, 0.2),
        "ppo/mean_non_score_reward": -tape.around(0.02, 0.15),
        "objective/entropy": tape.around(2.4 - 0.8 * tape.way, 0.03),
        "ppo/policy/entropy": tape.around(2.4 - 0.8 * tape.way, 0.03),
        "ppo/policy/clipfrac": tape.around(0.11, 0.2),
        "ppo/policy/approxkl": tape.around(0.012, 0.2),
        "ppo/policy/ratio": 1.0 + tape.noise(0.01),
        "ppo/policy/advantages_mean": tape.noise(0.03),
        "ppo/val/mean": tape.outcome(0.25, 2.3, 0.1),
        "ppo/val/var": tape.around(0.6, 0.1),
        "ppo/val/error": tape.around(0.5 - 0.35 * tape.way, 0.12),
        "ppo/val/var_explained": np.minimum(0.97, 0.4 + 0.55 * (1 - np.exp(-5 * tape.way)))
        + tape.noise(0.01),
        "ppo/val/clipfrac": tape.around(0.05, 0.2),
        "ppo/returns/mean": tape.outcome(0.28, 2.35, 0.1),
        "ppo/returns/var": tape.around(0.7, 0.1),
        "ppo/loss/policy": tape.noise(0.01) - 0.02,
        "ppo/loss/value": tape.around(0.25 - 0.15 * tape.way, 0.12),
        "ppo/loss/total": tape.around(0.10 - 0.05 * tape.way, 0.12),
        "tokens/queries_len_mean": tape.around(32.0, 0.03),
        "tokens/responses_len_mean": tape.around(48.0, 0.05),
        "tokens/responses_len_std": tape.around(12.0, 0.08),
        "objective/logprobs": -tape.around(75.0, 0.03),
        "objective/ref_logprobs": -tape.around(76.0, 0.03),
    }


def _monitoring_guide(tape: Tape) -> None:
    """PPO of a request scheduler over four replicas."""
    absolute = tape.outcome(0.35, 0.85, 0.02)
    delta, balance = tape.noise(0.03), tape.around(0.03, 0.2)
    share = [0.25 + tape.noise(0.015) for _ in range(3)]
    tape.series |= {
        "approx_kl": tape.around(0.010, 0.2),
        "entropy": tape.around(1.30 - 0.35 * tape.way, 0.03),
        "clipfrac": tape.around(0.17, 0.12),
        "pg_grad_norm": tape.around(0.25, 0.15),
        "current_temperature": tape.around(1.0, 0.05),
        "temp_current_temperature": tape.around(1.0, 0.05),
        "temp_qps_pressure_ema": tape.around(0.4, 0.08),
        "temp_latency_pressure_ema": tape.around(0.3, 0.08),
        "temp_is_pulsing": np.zeros(tape.updates),
        "reward": absolute + delta - balance,
        "reward_mean": absolute + delta - balance + tape.noise(0.005),
        "absolute_score": absolute,
        "delta_score": delta,
        "balance_penalty": balance,
        "throughput": tape.outcome(40.0, 90.0, 2.0),
        "latency_mean": tape.around(1.2, 0.05),
        "pi_loss": tape.noise(0.01) - 0.01,
        "vf_loss": tape.around(0.5 - 0.3 * tape.way, 0.12),
    }
    for replica, ratio in enumerate([*share, 1.0 - sum(share)]):
        tape.series[f"action_replica_{replica}"] = ratio
    tape.config |= {
        "target_kl": 0.02,
        "entropy_min": 0.5,
        "max_grad_norm": 0.5,
        "clip_ratio": 0.2,
        "kl_coef": 0.1,
        "min_temperature": 0.5,
        "max_temperature": 2.0,
        "qps_sensitivity": 0.3,
        "learning_rate": 3e-4,
    }


def _glossary(tape: Tape) -> None:
    """GRPO or PPO of a language model, as veRL logs it."""
    accuracy = np.clip(tape.outcome(0.22, 0.71, 0.012), 0.0, 1.0)
    every_tenth = np.where(np.arange(tape.updates) % 10 == 0, accuracy, np.nan)
    tape.series |= {
        "val-core/math/acc/mean@1": every_tenth,
        "critic/rewards/mean": tape.outcome(0.25, 0.78, 0.02),
        "critic/score/mean": tape.outcome(0.25, 0.78, 0.02),
        "actor/loss": tape.noise(0.01) - 0.01 - 0.01 * tape.way,
        "actor/pg_loss": tape.noise(0.01) - 0.01,
        "actor/entropy": tape.around(0.9 - 0.35 * tape.way, 0.03),
        "actor/ppo_kl": tape.around(0.003, 0.3),
        "actor/kl_loss": tape.around(0.002 + 0.02 * tape.way, 0.1),
        "actor/kl_coef": np.full(tape.updates, 0.001),
        "actor/pg_clipfrac": tape.around(0.02, 0.25),
        "actor/grad_norm": tape.around(0.3, 0.15),
        "actor/lr": np.full(tape.updates, 1e-6),
        "critic/loss": tape.around(0.3 - 0.2 * tape.way, 0.12),
        "critic/value/mean": tape.outcome(0.2, 0.75, 0.03),
        "critic/advantages/mean": tape.noise(0.01),
        "critic/advantages/std": tape.around(0.9, 0.05),
        "response_length/mean": tape.around(420.0, 0.04),
        "response_length/max": tape.around(980.0, 0.02),
        "response_length/clip_ratio": np.clip(0.01 + tape.noise(0.004), 0.0, 1.0),
        "prompt_length/mean": tape.around(150.0, 0.03),
        "prompt_length/max": tape.around(300.0, 0.02),
        "prompt_length/clip_ratio": np.zeros(tape.updates),
        "response/aborted_ratio": np.zeros(tape.updates),
        "num_turns/mean": tape.around(3.0, 0.03),
        "num_turns/min": np.full(tape.updates, 2.0),
        "num_turns/max": np.full(tape.updates, 6.0),
        "global_seqlen/min": tape.around(120000.0, 0.03),
        "global_seqlen/max": tape.around(128000.0, 0.03),
        "global_seqlen/mean": tape.around(124000.0, 0.03),
        "global_seqlen/minmax_diff": tape.around(8000.0, 0.1),
        "timing_s/step": tape.around(62.0, 0.03),
        "timing_s/gen": tape.around(34.0, 0.04),
        "timing_s/reward": tape.around(2.0, 0.05),
        "timing_s/old_log_prob": tape.around(5.0, 0.04),
        "timing_s/ref": tape.around(5.0, 0.04),
        "timing_s/adv": tape.around(0.2, 0.05),
        "timing_s/update_actor": tape.around(14.0, 0.04),
        "timing_s/agent_loop/tool_calls/mean": tape.around(1.1, 0.05),
        "perf/throughput": tape.around(2000.0, 0.03),
        "perf/mfu/actor": tape.around(0.52, 0.02),
    }


def _teacher(tape: Tape) -> None:
    """A language model that a teacher scores from 0 to 1."""
    reward = np.clip(tape.outcome(0.38, 0.86, 0.012), 0.0, 1.0)
    loss = tape.outcome(-1.6, -0.5, 0.03) * -1.0
    tape.series |= {
        "Train/Loss": loss + tape.noise(0.05),
        "Train/PolicyLoss": loss + tape.noise(0.05) - 0.05,
        "Train/KLPenalty": tape.around(0.05, 0.1),
        "Train/AvgReward": np.clip(reward + tape.noise(0.02), 0.0, 1.0),
        "Train/RewardStd": tape.around(0.07, 0.08),
        "Train/RewardMin": np.clip(reward - tape.around(0.15, 0.1), 0.0, 1.0),
        "Train/RewardMax": np.clip(reward + tape.around(0.12, 0.1), 0.0, 1.0),
        "Train/RewardVariance": tape.around(0.005, 0.15),
        "Epoch/AvgReward": reward,
        "Epoch/AvgLoss": loss,
        "Epoch/RewardVariance": tape.around(0.005, 0.12),
        "Epoch/RewardTrend": np.diff(reward, prepend=reward[0]),
        "Epoch/LossTrend": -np.diff(loss, prepend=loss[0]),
        "Epoch/APITokens": tape.around(52000.0, 0.03),
        "Epoch/NumSamples": np.full(tape.updates, 128.0),
        "Performance/Generation_TokensPerSec": tape.around(25.0, 0.05),
        "Performance/Generation_AvgTokensPerSec": tape.around(25.0, 0.01),
        "Performance/Backprop_TokensPerSec": tape.around(310.0, 0.05),
        "Scoring/Correctness": np.full(tape.updates, 0.3),
        "Scoring/CodeQuality": np.full(tape.updates, 0.3),
        "Scoring/Efficiency": np.full(tape.updates, 0.2),
        "Scoring/Documentation": np.full(tape.updates, 0.2),
        "System/CPU_Percent": tape.around(55.0, 0.08),
        "System/Memory_Percent": tape.around(62.0, 0.02),
        "System/GPU_Utilization": np.minimum(99.0, tape.around(78.0, 0.05)),
        "System/GPU_Memory_Percent": tape.around(70.0, 0.02),
    }


def _pairs(tape: Tape) -> None:
    """DPO on preference pairs, with held-out pairs every ten updates."""
    grown = 1.0 - np.exp(-4.0 * tape.way)
    margin = tape.around(0.02 + 1.6 * grown, 0.06)
    chosen = 0.35 * margin + tape.noise(0.03)
    every_tenth = np.arange(tape.updates) % 10 == 0
    held_out = 0.52 + 0.24 * grown + tape.noise(0.01)
    tape.series |= {
        "loss/dpo": tape.around(0.693 - 0.28 * grown, 0.03),
        "rewards/chosen": chosen,
        "rewards/rejected": chosen - margin,
        "rewards/margins": margin,
        "rewards/accuracy": np.clip(0.52 + 0.3 * grown + tape.noise(0.015), 0.0, 1.0),
        "eval/rewards/accuracy": np.where(every_tenth, held_out, np.nan),
        "eval/rewards/margins": np.where(
            every_tenth, 0.02 + 1.3 * grown + tape.noise(0.03), np.nan
        ),
    }
    tape.config |= {"beta": 0.1, "learning_rate": 5e-7}


def _reward_model(tape: Tape) -> None:
    """A reward model on preference pairs, with held-out pairs every ten updates."""
    grown = 1.0 - np.exp(-5.0 * tape.way)
    held_out = 0.5 + 0.29 * grown + tape.noise(0.01)
    tape.series |= {
        "rm/loss": tape.around(0.693 - 0.3 * grown, 0.03),
        "rm/accuracy": np.clip(0.5 + 0.34 * grown + tape.noise(0.012), 0.0, 1.0),
        "rm/reward_margin": tape.around(0.03 + 1.5 * grown, 0.06),
        "rm/grad_norm": tape.around(1.2, 0.15),
        "eval/rm/accuracy": np.where(np.arange(tape.updates) % 10 == 0, held_out, np.nan),
    }


FIRST_STEPS = Document("How to know that a model is learning", _first_steps)
RL_TABLE = Document("RL metrics table", _rl_table)
MONITORING_GUIDE = Document("Training Monitoring Guide", _monitoring_guide)
GLOSSARY = Document("Training Metrics Glossary", _glossary)
PAIRS = Document("Training Metrics Glossary: preference optimization", _pairs)
REWARD_MODEL = Document("Training Metrics Glossary: reward model", _reward_model)
TEACHER = Document("TensorBoard Metrics Reference", _teacher)
DOCUMENTS = (FIRST_STEPS, RL_TABLE, MONITORING_GUIDE, GLOSSARY, PAIRS, REWARD_MODEL, TEACHER)
