"""Five documents on training metrics, section by section: which names each of them lists.

Sections that say what to watch are scenarios (`scenarios.py`); these here explain what there is.
"""

from __future__ import annotations

from collections.abc import Mapping

from runvitals.model import Scenario, WatchGroup

__all__ = ["CHAPTERS"]

_CHAPTERS = (
    Scenario(
        "telemetry",
        "Training Metrics and Telemetry",
        (
            WatchGroup(
                "Optimization metrics",
                note="Does the algorithm behave? Necessary, and never enough.",
                metrics=(
                    "policy/loss",
                    "value/loss",
                    "policy/entropy",
                    "policy/approx_kl",
                    "optim/grad_norm",
                ),
                names=("policy_loss", "value_loss", "entropy", "approx_kl"),
                also=("optimisation metrics", "internal health", "loss metrics"),
            ),
            WatchGroup(
                "Outcome metrics",
                note="Is the task done better? Judge a run by these.",
                names=("win_rate", "success_rate", "avg_return", "episode_length"),
                also=("optimization vs outcomes", "product truth"),
            ),
            WatchGroup(
                "Core RL metrics",
                names=(
                    "avg_reward",
                    "avg_return",
                    "success_rate",
                    "win_rate",
                    "win_rate_ema",
                    "episode_length",
                ),
            ),
            WatchGroup(
                "PPO-specific health metrics",
                names=("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction"),
                also=("PPO health metrics",),
            ),
            WatchGroup(
                "Performance metrics",
                note="Are we wasting time?",
                names=("steps_per_second", "updates_per_second"),
            ),
            WatchGroup(
                "Hyperparameter tracking",
                note="Write these down with every run, and with them batch sizes, epochs, the value "
                "coefficient, gamma, lambda and seeds: runvitals.init(config=...) keeps them all.",
                metrics=("optim/learning_rate", "policy/clip_range", "policy/entropy_coef"),
                names=("current_lr", "clip_epsilon"),
                also=("hyperparameters", "current config", "reproducibility"),
            ),
        ),
        source="Training Metrics and Telemetry",
        tools=("glossary",),
    ),
    Scenario(
        "rl-metrics",
        "RL Metrics",
        (
            WatchGroup("Reward", names=("env/reward_mean", "env/reward_std", "env/reward_dist")),
            WatchGroup(
                "KL divergence",
                note="Rising: over-optimisation. Falling: under-training.",
                names=("objective/kl", "objective/kl_coef", "ppo/mean_non_score_reward"),
            ),
            WatchGroup("Entropy", names=("objective/entropy", "ppo/policy/entropy")),
            WatchGroup(
                "Policy stability",
                names=(
                    "ppo/policy/clipfrac",
                    "ppo/policy/approxkl",
                    "ppo/policy/ratio",
                    "ppo/policy/advantages_mean",
                    "ppo/policy/advantages",
                ),
            ),
            WatchGroup(
                "Value function",
                names=(
                    "ppo/val/mean",
                    "ppo/val/var",
                    "ppo/val/error",
                    "ppo/val/var_explained",
                    "ppo/val/clipfrac",
                    "ppo/returns/mean",
                    "ppo/returns/var",
                ),
            ),
            WatchGroup("Losses", names=("ppo/loss/policy", "ppo/loss/value", "ppo/loss/total")),
            WatchGroup(
                "Token stats",
                note="For language models.",
                names=(
                    "tokens/queries_len_mean",
                    "tokens/responses_len_mean",
                    "tokens/responses_len_std",
                ),
            ),
            WatchGroup("Log-probs", names=("objective/logprobs", "objective/ref_logprobs")),
        ),
        source="RL Metrics table",
        tools=("trl",),
        also=("RL metrics table",),
    ),
    Scenario(
        "glossary",
        "Training Metrics Glossary",
        (
            WatchGroup(
                "Validation metrics",
                note="Read val-core first; val-aux helps to see why it moved.",
                names=(
                    "val-core/*/acc/mean@1",
                    "val-aux/*/reward/mean@1",
                    "val-aux/num_turns/min",
                    "val-aux/num_turns/max",
                    "val-aux/num_turns/mean",
                ),
            ),
            WatchGroup(
                "Actor metrics",
                names=(
                    "actor/loss",
                    "actor/pg_loss",
                    "actor/entropy_loss",
                    "actor/kl_loss",
                    "actor/kl_coef",
                    "actor/grad_norm",
                    "actor/entropy",
                    "actor/approx_kl",
                    "actor/ppo_kl",
                    "actor/pg_clipfrac",
                    "actor/lr",
                ),
            ),
            WatchGroup(
                "Actor loss",
                note="The total should fall; the policy-gradient part is noisy by nature.",
                names=(
                    "actor/loss",
                    "actor/pg_loss",
                    "actor/entropy_loss",
                    "actor/kl_loss",
                    "actor/kl_coef",
                ),
                also=("loss", "actor loss metrics"),
            ),
            WatchGroup(
                "Actor gradient norm",
                names=("actor/grad_norm",),
                also=("gradient norm",),
            ),
            WatchGroup(
                "Actor entropy",
                names=("actor/entropy",),
                also=("entropy",),
            ),
            WatchGroup(
                "Actor KL",
                names=("actor/approx_kl", "actor/ppo_kl", "actor/kl_loss", "actor/kl_coef"),
                also=("KL divergence", "policy shift"),
            ),
            WatchGroup(
                "Actor clip fraction",
                names=("actor/pg_clipfrac",),
                also=("clip fraction",),
            ),
            WatchGroup(
                "Learning rates",
                note="When loss, KL and gradient norm all jump, look here first.",
                names=("actor/lr", "critic/lr", "lr_scheduler/*"),
                also=("learning rate",),
            ),
            WatchGroup(
                "Critic and reward statistics",
                names=(
                    "critic/loss",
                    "critic/value/mean",
                    "critic/advantages/mean",
                    "critic/advantages/std",
                    "critic/rewards/mean",
                ),
                also=("critic / reward statistics", "critic metrics"),
            ),
            WatchGroup(
                "Length metrics",
                names=(
                    "response_length/mean",
                    "response_length/max",
                    "response_length/clip_ratio",
                    "prompt_length/mean",
                    "prompt_length/clip_ratio",
                    "prompt_length/max",
                    "response/aborted_ratio",
                ),
            ),
            WatchGroup(
                "Preference optimization metrics",
                names=(
                    "loss/dpo",
                    "rewards/chosen",
                    "rewards/rejected",
                    "rewards/margins",
                    "rewards/accuracy",
                ),
                also=("preference optimisation metrics", "preference metrics"),
            ),
            WatchGroup(
                "Reward model training metrics",
                names=("rm/loss", "rm/accuracy", "rm/reward_margin", "rm/grad_norm"),
                also=("reward model (RM) training metrics", "reward model metrics"),
            ),
            WatchGroup(
                "Multi-turn interaction metrics",
                names=("num_turns/min", "num_turns/max", "num_turns/mean"),
            ),
            WatchGroup(
                "Load balancing metrics",
                note="Tokens of a rank in one step, not the length of a sequence.",
                names=(
                    "global_seqlen/min",
                    "global_seqlen/max",
                    "global_seqlen/minmax_diff",
                    "global_seqlen/balanced_min",
                    "global_seqlen/balanced_max",
                    "global_seqlen/mean",
                ),
            ),
            WatchGroup(
                "Timing metrics",
                note="The step first, then its slowest part.",
                names=(
                    "timing_s/step",
                    "timing_s/gen",
                    "timing_s/reward",
                    "timing_s/old_log_prob",
                    "timing_s/ref",
                    "timing_s/adv",
                    "timing_s/update_actor",
                    "timing_s/update_critic",
                    "timing_s/update_weights",
                ),
            ),
            WatchGroup(
                "Finer-grained timing",
                names=(
                    "timing_s/agent_loop/generate_sequences/min",
                    "timing_s/agent_loop/generate_sequences/max",
                    "timing_s/agent_loop/generate_sequences/mean",
                    "timing_s/agent_loop/tool_calls/min",
                    "timing_s/agent_loop/tool_calls/max",
                    "timing_s/agent_loop/tool_calls/mean",
                    "timing_s/agent_loop/slowest/*",
                ),
                also=("agentic timing",),
            ),
            WatchGroup(
                "Per-token normalized timing",
                note="Comparable between runs that generate different amounts.",
                names=(
                    "timing_per_token_ms/gen",
                    "timing_per_token_ms/ref",
                    "timing_per_token_ms/adv",
                    "timing_per_token_ms/update_actor",
                ),
                also=("per-token timing",),
            ),
            WatchGroup(
                "Performance metrics",
                note="Usual model FLOPs utilisation is 50 to 60 percent; below 30 devices wait.",
                names=(
                    "perf/total_num_tokens",
                    "perf/time_per_step",
                    "perf/throughput",
                    "perf/mfu/actor_infer",
                    "perf/mfu/actor",
                ),
            ),
            WatchGroup(
                "Framework differences",
                note="One meaning, many names: `runvitals explain NAME` lists those of every tool.",
                names=(
                    "actor/entropy",
                    "actor/ppo_kl",
                    "objective/kl",
                    "actor/grad_norm",
                    "loss/total",
                    "response_length/mean",
                    "response_length",
                    "timing_s/gen",
                    "critic/rewards/mean",
                    "rewards",
                    "rewards/margins",
                ),
                also=("framework differences note",),
            ),
        ),
        source="Training Metrics Glossary",
        tools=("verl", "glossary", "trl"),
    ),
    Scenario(
        "tensorboard-reference",
        "TensorBoard Metrics Reference",
        (
            WatchGroup(
                "Training metrics",
                names=(
                    "Train/Loss",
                    "Train/PolicyLoss",
                    "Train/KLPenalty",
                    "Train/AvgReward",
                    "Train/RewardStd",
                    "Train/RewardMin",
                    "Train/RewardMax",
                    "Train/RewardVariance",
                ),
            ),
            WatchGroup(
                "Epoch metrics",
                names=(
                    "Epoch/AvgReward",
                    "Epoch/AvgLoss",
                    "Epoch/RewardVariance",
                    "Epoch/RewardTrend",
                    "Epoch/LossTrend",
                    "Epoch/APITokens",
                    "Epoch/NumSamples",
                ),
            ),
            WatchGroup(
                "Generation performance",
                names=(
                    "Performance/Generation_TokensPerSec",
                    "Performance/Generation_Time",
                    "Performance/Generation_AvgTokensPerSec",
                    "Performance/Generation_P99TokensPerSec",
                ),
                also=("performance metrics",),
            ),
            WatchGroup(
                "Backpropagation performance",
                names=(
                    "Performance/Backprop_TokensPerSec",
                    "Performance/Backprop_AvgTokensPerSec",
                    "Performance/Backprop_P99TokensPerSec",
                ),
                also=("performance metrics",),
            ),
            WatchGroup(
                "Scoring metrics",
                note="Weights of the criteria, not scores.",
                names=(
                    "Scoring/Correctness",
                    "Scoring/CodeQuality",
                    "Scoring/Efficiency",
                    "Scoring/Documentation",
                ),
                also=("scoring weights",),
            ),
            WatchGroup(
                "CPU and memory",
                names=(
                    "System/CPU_Percent",
                    "System/Memory_Percent",
                    "System/Memory_Used_GB",
                    "System/Memory_Available_GB",
                    "System/Process_Memory_GB",
                ),
                also=("system metrics",),
            ),
            WatchGroup(
                "GPU and MPS metrics",
                names=(
                    "System/GPU_Memory_Used_GB",
                    "System/GPU_Memory_Total_GB",
                    "System/GPU_Memory_Percent",
                    "System/GPU_Utilization",
                ),
                also=("GPU/MPS metrics", "system metrics"),
            ),
        ),
        source="TensorBoard Metrics Reference",
        tools=("teacher-tuner",),
    ),
)

CHAPTERS: Mapping[str, Scenario] = {chapter.id: chapter for chapter in _CHAPTERS}
