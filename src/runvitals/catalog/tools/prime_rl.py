"""Names that prime-rl logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Alias, Framework

FRAMEWORK = Framework(
    id="prime-rl",
    title="prime-rl",
    version="0.8.0 (repository snapshot 2026-08-21)",
    kind="llm",
    aliases=(
        Alias("loss/mean", "policy/loss_total", ("RL",)),
        Alias("entropy/all/mean", "policy/entropy", ("RL",), note="token mean"),
        Alias(
            "entropy/{env}/mean",
            "policy/entropy",
            ("RL",),
            labels={"env": "{env}"},
            note="token mean",
        ),
        Alias("mismatch_kl/all/mean", "mismatch/k3_kl", ("RL",)),
        Alias("mismatch_kl/all/max", None, ("RL",)),
        Alias("mismatch_kl/{env}/mean", "mismatch/k3_kl", ("RL",), labels={"env": "{env}"}),
        Alias("masked_mismatch_kl/mean", None, ("RL",)),
        Alias("unmasked_mismatch_kl/mean", None, ("RL",)),
        Alias("is_masked/mean", "policy/clip_fraction", ("RL",), note="mean over sequences"),
        Alias("is_masked_low/mean", "policy/clip_fraction_low", ("RL",)),
        Alias("is_masked_high/mean", "policy/clip_fraction_high", ("RL",)),
        Alias("masked_advantage_positive/mean", None, ("RL",)),
        Alias("masked_advantage_negative/mean", None, ("RL",)),
        Alias("kl_ent_ratio/mean", "mismatch/kl_entropy_ratio", ("RL",)),
        Alias("ref_kl/mean", "distill/kl", ("OPD",), scale=-1.0),
        Alias(
            "ref_kl/is_masked/mean",
            "policy/clip_fraction",
            ("OPD",),
            labels={"against": "reference"},
        ),
        Alias("max_vio/mean", "moe/load_violation_max", ("MoE",)),
        Alias("routing_confidence/mean", "moe/routing_confidence", ("MoE",)),
        Alias("optim/lr", "optim/learning_rate", ("RL", "SFT")),
        Alias("optim/grad_norm", "optim/grad_norm", ("RL", "SFT")),
        Alias("perf/throughput", "throughput/tokens_per_s", ("RL", "SFT")),
        Alias(
            "perf/throughput_per_gpu",
            "throughput/tokens_per_s_per_device",
            ("RL", "SFT"),
            note="/ world size",
        ),
        Alias(
            "perf/mfu",
            "throughput/mfu",
            ("RL", "SFT"),
            scale=0.01,
            note="100*FLOP/s / peak / world size",
        ),
        Alias("perf/peak_memory", "system/gpu_memory_reserved_gb", ("RL", "SFT")),
        Alias("time/step", "time/step_s", ("RL", "SFT")),
        Alias("time/wait_for_batch", "time/wait_s", ("RL",)),
        Alias("time/load_data", "time/data_s", ("RL",)),
        Alias("time/forward_backward", "time/training_s", ("RL", "SFT")),
        Alias("time/broadcast_weights", "time/weight_sync_s", ("RL", "SFT")),
        Alias("time/save_ckpt", "time/checkpoint_s", ("RL", "SFT")),
        Alias("time/pack", "time/data_processing_s", ("RL",)),
        Alias("time/wait_for_policy", "time/stage_s", ("RL",), labels={"stage": "wait_for_policy"}),
        Alias("progress/tokens", "data/tokens_per_step", ("RL",)),
        Alias("progress/input_tokens", None, ("RL",)),
        Alias("progress/output_tokens", None, ("RL",)),
        Alias("progress/rollouts", "data/samples_per_step", ("RL",)),
        Alias("progress/tasks", "data/prompts_per_step", ("RL",)),
        Alias("progress/total_tokens", "progress/tokens", ("RL",)),
        Alias("progress/total_rollouts", "progress/samples", ("RL",)),
        Alias("progress/total_tasks", None, ("RL",)),
        Alias("off_policy/mean", "async/staleness_mean", ("RL",)),
        Alias("off_policy/max", "async/staleness_max", ("RL",)),
        Alias("off_policy/in_flight/{stat}", None, ("RL",)),
        Alias("off_policy/in_queue/{stat}", None, ("RL",)),
        Alias("off_policy/dropped", "async/dropped_samples", ("RL",)),
        Alias("batch/{env}", None, ("RL",)),
        Alias(
            "train/{env}/{subset}/{agent}/reward/mean",
            "reward/score_mean",
            ("RL",),
            labels={"env": "{env}", "subset": "{subset}", "agent": "{agent}"},
        ),
        Alias("train/{env}/{subset}/{agent}/reward/{stat}", None, ("RL",)),
        Alias(
            "train/{env}/{subset}/{agent}/num_output_tokens/mean",
            "length/response_mean",
            ("RL",),
            labels={"env": "{env}", "subset": "{subset}", "agent": "{agent}"},
        ),
        Alias(
            "train/{env}/{subset}/{agent}/num_input_tokens/mean",
            "length/prompt_mean",
            ("RL",),
            labels={"env": "{env}", "subset": "{subset}", "agent": "{agent}"},
        ),
        Alias(
            "train/{env}/{subset}/{agent}/num_total_tokens/mean",
            "length/total_mean",
            ("RL",),
            labels={"env": "{env}", "subset": "{subset}", "agent": "{agent}"},
        ),
        Alias(
            "train/{env}/{subset}/{agent}/num_turns/mean",
            "agent/turns_mean",
            ("RL",),
            labels={"env": "{env}", "subset": "{subset}", "agent": "{agent}"},
        ),
        Alias(
            "train/{env}/{subset}/{agent}/num_turns/max",
            "agent/turns_max",
            ("RL",),
            labels={"env": "{env}", "subset": "{subset}", "agent": "{agent}"},
        ),
        Alias(
            "train/{env}/{subset}/{agent}/is_truncated/mean",
            "length/response_clip_ratio",
            ("RL",),
            labels={"env": "{env}", "subset": "{subset}", "agent": "{agent}"},
        ),
        Alias(
            "train/{env}/{subset}/{agent}/is_completed/mean",
            "length/stop_rate",
            ("RL",),
            labels={"env": "{env}", "subset": "{subset}", "agent": "{agent}"},
        ),
        Alias(
            "train/{env}/{subset}/{agent}/rewards/{name}/mean",
            "reward/component_mean",
            ("RL",),
            labels={
                "env": "{env}",
                "subset": "{subset}",
                "agent": "{agent}",
                "component": "{name}",
            },
        ),
        Alias(
            "train/{env}/{subset}/{agent}/metrics/{name}/mean",
            "outcome/score_mean",
            ("RL",),
            labels={"env": "{env}", "subset": "{subset}", "agent": "{agent}", "name": "{name}"},
        ),
        Alias(
            "train/{env}/{subset}/{agent}/timing/{phase}/mean",
            "time/stage_s",
            ("RL",),
            labels={"env": "{env}", "subset": "{subset}", "agent": "{agent}", "stage": "{phase}"},
        ),
        Alias(
            "train/{env}/all/{agent}/has_error/mean",
            "agent/error_rate",
            ("RL",),
            labels={"env": "{env}", "agent": "{agent}"},
        ),
        Alias(
            "train/{env}/all/{agent}/solved_none",
            "reward/group_all_wrong_fraction",
            ("RL",),
            labels={"env": "{env}", "agent": "{agent}"},
        ),
        Alias(
            "train/{env}/all/{agent}/solved_all",
            "reward/group_all_correct_fraction",
            ("RL",),
            labels={"env": "{env}", "agent": "{agent}"},
        ),
        Alias(
            "train/{env}/all/{agent}/solved_some",
            "reward/group_mixed_fraction",
            ("RL",),
            labels={"env": "{env}", "agent": "{agent}"},
        ),
        Alias("train/{env}/{subset}/{agent}/stop_condition/{name}", None, ("RL",)),
        Alias(
            "eval/{env}/{subset}/{agent}/avg@{n}",
            "eval/mean_at_n",
            ("evaluation",),
            labels={"dataset": "{env}", "subset": "{subset}", "agent": "{agent}", "n": "{n}"},
        ),
        Alias(
            "eval/{env}/effective/{agent}/pass@{k}",
            "eval/pass_at_k",
            ("evaluation",),
            labels={"dataset": "{env}", "agent": "{agent}", "k": "{k}"},
            note="1 - C(n-c,k)/C(n,k)",
        ),
        Alias(
            "eval/{env}/effective/{agent}/pass^{k}",
            "eval/pass_hat_k",
            ("evaluation",),
            labels={"dataset": "{env}", "agent": "{agent}", "k": "{k}"},
        ),
        Alias(
            "eval/{env}/policy_version",
            "progress/weight_version",
            ("evaluation",),
            labels={"env": "{env}"},
        ),
        Alias(
            "dispatcher/inflight/train",
            "rollout/running_requests",
            ("RL",),
            labels={"where": "dispatcher"},
        ),
        Alias(
            "dispatcher/off_policy/max",
            "async/staleness_max",
            ("RL",),
            labels={"where": "in_flight"},
        ),
        Alias("watcher/policy_version", "progress/weight_version", ("RL",)),
        Alias("concurrency/max_inflight", None, ("RL",)),
        Alias("inference/{scope}/{metric}/{stat}", None, ("RL",)),
        Alias("inference/agg/num_requests_running/mean", "rollout/running_requests", ("RL",)),
        Alias("inference/agg/num_requests_waiting/mean", "rollout/waiting_requests", ("RL",)),
        Alias("inference/agg/kv_cache_usage_perc/mean", "rollout/kv_cache_usage", ("RL",)),
        Alias("system/ckpt_disk_free_gib", "system/disk_free_gb", ("RL", "SFT")),
        Alias("system/ckpt_disk_used_gib", "system/disk_used_gb", ("RL", "SFT")),
        Alias("system/ckpt_disk_free_ratio", "system/disk_free_ratio", ("RL", "SFT")),
        Alias("loss/mean", "lm/loss", ("SFT",)),
        Alias("loss/perplexity", "lm/perplexity", ("SFT",)),
        Alias("loss/nan_count", "optim/nan_count", ("SFT",)),
        Alias("val/loss", "eval/loss", ("SFT",)),
        Alias("val/perplexity", "eval/perplexity", ("SFT",)),
        Alias("progress/epoch", "progress/epoch", ("SFT",)),
        Alias("progress/num_samples", "progress/samples", ("SFT",)),
        Alias("progress/num_tokens", "progress/tokens", ("SFT",)),
        Alias("progress/{subset}/ratio_samples", None, ("SFT",)),
        *aliases(
            """
            policy/entropy: entropy/all/mean
            mismatch/kl: mismatch_kl/all/mean
            async/staleness_mean: dispatcher/off_policy/mean
            rollout/waiting_requests: dispatcher/queued/eval
            time/weight_sync_s: watcher/last_update_weights_time
            time/wait_s: watcher/last_wait_for_ckpt_time
            none (how the orchestrator itself runs): event_loop_lag/{stat} | concurrency/{what}
                | dispatcher/{what}/{kind} | watcher/{what} | pool/{what}
                | curriculum/{env}/admission_rate
                | d2h_slot_wait | d2h_wait | optimizer_chunk | optimizer_kernel | output_slot_wait
            none (a folder of statistics): entropy/all | mismatch_kl/all
            none (of which tokens the mask of the reference holds): ref_kl/is_masked
                | ref_kl/masked_mismatch_kl | ref_kl/unmasked_mismatch_kl
            none (share of rollouts, beside the errors that are bound): train/{env}/all/{what}/mean
            none (settings): dispatcher/mode | agent/harness | agent/model | system/ckpt_disk_total_gib
            """
        ),
    ),
)
