"""Every name in the five documents that the catalog was asked to cover, by document.

A pair gives the tool whose names they are (None: the name has to resolve by itself) and the names;
`*` in a document's name is written out as an example.
"""

TELEMETRY = {
    None: ["win_rate", "win_rate_ema", "clip_fraction", "approx_kl", "explained_variance"],
    "glossary": [
        "avg_reward",
        "avg_return",
        "win_rate",
        "win_rate_ema",
        "success_rate",
        "episode_length",
        "policy_loss",
        "value_loss",
        "entropy",
        "approx_kl",
        "clip_fraction",
        "steps_per_second",
        "updates_per_second",
        "updates/sec",
        "current_lr",
        "clip_epsilon",
        "distance_to_goal",
        "collision_rate",
    ],
}

RL_METRICS = {
    "trl": [
        "env/reward_mean",
        "env/reward_std",
        "env/reward_dist",
        "objective/kl",
        "objective/kl_coef",
        "ppo/mean_non_score_reward",
        "objective/entropy",
        "ppo/policy/entropy",
        "ppo/policy/clipfrac",
        "ppo/policy/approxkl",
        "ppo/policy/ratio",
        "ppo/policy/advantages_mean",
        "ppo/policy/advantages",
        "ppo/val/mean",
        "ppo/val/var",
        "ppo/val/error",
        "ppo/val/var_explained",
        "ppo/val/clipfrac",
        "ppo/returns/mean",
        "ppo/returns/var",
        "ppo/loss/policy",
        "ppo/loss/value",
        "ppo/loss/total",
        "tokens/queries_len_mean",
        "tokens/responses_len_mean",
        "tokens/responses_len_std",
        "objective/logprobs",
        "objective/ref_logprobs",
    ]
}

MONITORING = {
    "vidur": [
        "approx_kl",
        "entropy",
        "clipfrac",
        "pg_grad_norm",
        "current_temperature",
        "temperature",
        "balance_penalty",
        "Actions/replica_0",
        "Actions/replica_3",
        "Actions/replica_*",
        "action_replica_n",
        "action_replica_2",
        "temp_current_temperature",
        "temp_qps_pressure_ema",
        "temp_latency_pressure_ema",
        "temp_is_pulsing",
        "reward",
        "reward_mean",
        "absolute_score",
        "delta_score",
        "throughput",
        "completed_chunks",
        "requests_done",
    ]
}

_STATS = ("min", "max", "mean")
GLOSSARY = {
    "verl": [
        "val-core/gsm8k/acc/mean@1",
        "val-core/*/acc/mean@1",
        "val-aux/gsm8k/reward/mean@1",
        *(f"val-aux/num_turns/{stat}" for stat in _STATS),
        "actor/loss",
        "actor/pg_loss",
        "actor/entropy_loss",
        "actor/kl_loss",
        "actor/kl_coef",
        "actor/grad_norm",
        "actor/entropy",
        "actor/ppo_kl",
        "actor/pg_clipfrac",
        "actor/lr",
        "critic/lr",
        "critic/loss",
        "critic/rewards/mean",
        "critic/advantages/mean",
        "response_length/mean",
        "response_length/max",
        "response_length/clip_ratio",
        "prompt_length/mean",
        "prompt_length/max",
        "prompt_length/clip_ratio",
        "response/aborted_ratio",
        *(f"num_turns/{stat}" for stat in _STATS),
        *(
            f"global_seqlen/{part}"
            for part in ("min", "max", "minmax_diff", "balanced_min", "balanced_max", "mean")
        ),
        *(
            f"timing_s/{stage}"
            for stage in (
                "step",
                "gen",
                "reward",
                "old_log_prob",
                "ref",
                "adv",
                "update_actor",
                "update_critic",
                "update_weights",
            )
        ),
        *(f"timing_s/agent_loop/generate_sequences/{stat}" for stat in _STATS),
        *(f"timing_s/agent_loop/tool_calls/{stat}" for stat in _STATS),
        "timing_s/agent_loop/slowest/generate_sequences",
        "timing_s/agent_loop/slowest/tool_calls",
        *(f"timing_per_token_ms/{stage}" for stage in ("gen", "ref", "adv", "update_actor")),
        "perf/total_num_tokens",
        "perf/time_per_step",
        "perf/throughput",
        "perf/mfu/actor_infer",
        "perf/mfu/actor",
    ],
    "glossary": [
        "actor/approx_kl",
        "critic/value/mean",
        "critic/advantages/mean",
        "critic/advantages/std",
        "lr_scheduler/last_lr",
        "lr_scheduler/*",
        "loss/dpo",
        "rewards/accuracy",
        "rm/loss",
        "rm/accuracy",
        "rm/reward_margin",
        "rm/grad_norm",
        "policy/approx_kl",
        "response_length",
        "rewards",
        "loss/total",
        "actor/entropy",
        "timing_s/gen",
    ],
    "trl": ["rewards/chosen", "rewards/rejected", "rewards/margins", "objective/kl"],
}

TENSORBOARD = {
    "teacher-tuner": [
        *(
            f"Train/{name}"
            for name in (
                "Loss",
                "PolicyLoss",
                "KLPenalty",
                "AvgReward",
                "RewardStd",
                "RewardMin",
                "RewardMax",
                "RewardVariance",
            )
        ),
        *(
            f"Epoch/{name}"
            for name in (
                "AvgReward",
                "AvgLoss",
                "RewardVariance",
                "RewardTrend",
                "LossTrend",
                "APITokens",
                "NumSamples",
            )
        ),
        *(
            f"Performance/{name}"
            for name in (
                "Generation_TokensPerSec",
                "Generation_Time",
                "Generation_AvgTokensPerSec",
                "Generation_P99TokensPerSec",
                "Backprop_TokensPerSec",
                "Backprop_AvgTokensPerSec",
                "Backprop_P99TokensPerSec",
            )
        ),
        *(
            f"Scoring/{name}"
            for name in ("Correctness", "CodeQuality", "Efficiency", "Documentation")
        ),
        *(
            f"System/{name}"
            for name in (
                "CPU_Percent",
                "Memory_Percent",
                "Memory_Used_GB",
                "Memory_Available_GB",
                "Process_Memory_GB",
                "GPU_Memory_Used_GB",
                "GPU_Memory_Total_GB",
                "GPU_Memory_Percent",
                "GPU_Utilization",
            )
        ),
    ]
}

DOCUMENTS = {
    "Training Metrics and Telemetry": TELEMETRY,
    "RL Metrics table": RL_METRICS,
    "Training Monitoring Guide": MONITORING,
    "Training Metrics Glossary": GLOSSARY,
    "TensorBoard Metrics Reference": TENSORBOARD,
}
NAMES = [
    (document, tool, name)
    for document, by_tool in DOCUMENTS.items()
    for tool, names in by_tool.items()
    for name in names
]

# Settings the documents want noted with every run.
CONFIG_KEYS = (
    "target_kl",
    "entropy_min",
    "max_grad_norm",
    "clip_epsilon",
    "clip_ratio",
    "kl_coef",
    "learning_rate",
    "batch_size",
    "gamma",
    "gae_lambda",
    "seed",
    "max_response_length",
    "max_prompt_length",
    "qps_sensitivity",
    "min_temperature",
)
