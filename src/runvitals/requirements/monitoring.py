"""Training Monitoring Guide: what a PPO scheduler for LLM serving writes, and how to read it."""

from __future__ import annotations

from runvitals.requirements.item import (
    Document,
    advice,
    command,
    healthy,
    listed,
    metric,
    output,
    part,
    setting,
    sign,
)

DOCUMENT = Document(
    "Training Monitoring Guide",
    ("vidur-ppo-scheduler",),
    (
        part(
            "Logging outputs",
            output("`OUTPUT_DIR/ppo_training.log`", "command:lab run", "format:key-value-text"),
            output(
                "losses, KL, entropy and reward breakdown of each update in the log, as by "
                "`vidur/scheduler/global_scheduler/ppo_scheduler_modular.py:1000-1060`",
                "lab:scheduler",
                "format:key-value-text",
            ),
            setting("`monitoring`", "setting:monitoring", "command:lab run"),
            output("`configs/ppo_warmstart.json:154-171`", "command:lab run", "setting:monitoring"),
            output("`<OUTPUT_DIR>/tensorboard`", "command:lab run", "format:tensorboard"),
            command("tensorboard --logdir ... --port 6006", "command:serve", "word:tensorboard"),
            output("`<OUTPUT_DIR>/metrics/`", "command:lab run", "format:csv", "command:export"),
            setting(
                "`metrics_export_enabled`", "setting:metrics_export_enabled", "command:lab run"
            ),
            listed("CSV exports", "list:must-watch/CSV exports"),
        ),
        part(
            "Must-watch scalars",
            listed("must-watch scalars", "list:must-watch/Must-watch scalars", "command:vitals"),
            metric("approx_kl", "policy/approx_kl", "rule:KL001"),
            output("`stats['approx_kl']`", "metric:policy/approx_kl"),
            healthy(
                "`approx_kl` below `target_kl` (0.02)",
                "range:policy/approx_kl",
                "setting:target_kl",
                "rule:KL001",
            ),
            setting("`target_kl`", "setting:target_kl"),
            advice("raise `kl_coef` or reduce PPO epochs", "rule:KL001", "symptom:KL too high"),
            setting("`kl_coef`", "setting:kl_coef", "metric:policy/kl_coef"),
            metric("entropy", "policy/entropy", "rule:ENT002"),
            healthy(
                "`entropy` above `entropy_min` (0.5)",
                "range:policy/entropy",
                "setting:entropy_min",
                "rule:ENT002",
            ),
            setting("`entropy_min`", "setting:entropy_min"),
            advice("sustained drop: check temperature pulses", "symptom:Entropy below its floor"),
            metric("clipfrac", "policy/clip_fraction", "rule:CLIP001", "rule:CLIP002"),
            healthy(
                "`clipfrac` 0.1 to 0.3",
                "range:policy/clip_fraction",
                "rule:CLIP001",
                "rule:CLIP002",
            ),
            advice(
                "above 0.3: lower LR or `clip_ratio`",
                "rule:CLIP001",
                "symptom:Clip fraction high for long",
            ),
            setting("`clip_ratio`", "setting:clip_range"),
            metric("pg_grad_norm", "optim/grad_norm", "rule:GRAD001", "rule:GRAD002"),
            healthy(
                "`pg_grad_norm` below `max_grad_norm`",
                "range:optim/grad_norm",
                "setting:max_grad_norm",
                "rule:GRAD002",
            ),
            setting("`max_grad_norm`", "setting:max_grad_norm"),
            sign("sudden spikes of the gradient norm", "rule:GRAD001"),
            metric("current_temperature", "policy/temperature", "rule:TEMP001"),
            healthy(
                "temperature 0.5 to 2.0 outside pulses", "range:policy/temperature", "rule:TEMP001"
            ),
            sign("pulses without stagnation", "rule:TEMP002", "symptom:Pulses without stagnation"),
            metric("balance_penalty", "reward/component_mean", "rule:LOAD003"),
            healthy(
                "balance penalty near zero once balanced",
                "range:reward/component_mean",
                "rule:LOAD003",
            ),
            advice(
                "raise load-balance penalties", "rule:LOAD003", "symptom:Balance penalty stays high"
            ),
        ),
        part(
            "Action distribution",
            listed("action distribution insight", "list:must-watch/Action distribution"),
            metric("Actions/replica_*", "policy/action_share", "rule:LOAD004"),
            metric("action_replica_n", "policy/action_share", "rule:LOAD004"),
            output("histograms of actions", "format:tensorboard", "command:serve"),
            healthy("near uniform unless the workload wants it otherwise", "rule:LOAD004"),
            sign("warm start failed", "rule:LOAD004", "lab:scheduler/warm-start-failed"),
        ),
        part(
            "Temperature and pressure",
            listed("temperature and pressure", "list:must-watch/Temperature and pressure"),
            metric("temp_current_temperature", "policy/temperature"),
            metric("temp_qps_pressure_ema", "control/pressure", "rule:TEMP003"),
            metric("temp_latency_pressure_ema", "control/pressure", "rule:TEMP003"),
            metric("temp_is_pulsing", "control/pulse_active", "rule:TEMP002"),
            metric("temperature", "policy/temperature"),
            sign(
                "latency spikes with temperature suppression",
                "rule:TEMP003",
                "symptom:Latency spikes with temperature suppression",
            ),
        ),
        part(
            "Reward breakdown",
            listed("reward breakdown", "list:must-watch/Reward breakdown", "word:reward breakdown"),
            metric("reward", "reward/mean"),
            metric("reward_mean", "reward/mean"),
            metric("absolute_score", "reward/component_mean", "rule:REW010"),
            metric("delta_score", "reward/component_mean", "rule:REW010"),
            sign(
                "total reward negative, absolute score positive",
                "rule:REW010",
                "lab:scheduler/delta-weight-high",
                "symptom:Total reward negative, absolute score positive",
            ),
            setting("`beta/gamma`", "setting:reward_beta", "setting:reward_gamma"),
        ),
        part(
            "Resume metadata",
            listed("resume metadata", "list:must-watch/Resume metadata"),
            output("`training_progress.json`", "command:lab run", "word:training_progress.json"),
            metric("completed_chunks", "progress/chunks"),
            metric("requests_done", "progress/requests"),
            output("`latest_checkpoint`", "command:lab run", "word:latest_checkpoint"),
            sign("no progress after an interruption", "rule:DATA005", "rule:PERF006"),
        ),
        part(
            "Troubleshooting signals",
            listed("troubleshooting signals", "symptom:Troubleshooting signals"),
            sign(
                "entropy collapse + low temperature",
                "rule:TEMP003",
                "lab:scheduler/temperature-suppressed",
                "symptom:Entropy collapses while the temperature is low",
            ),
            setting("`qps_sensitivity`", "setting:qps_sensitivity", "rule:TEMP003"),
            setting("`min_temperature`", "setting:min_temperature", "rule:TEMP003"),
            sign("high `approx_kl` but low reward", "rule:KL007", "symptom:High KL, low reward"),
            sign(
                "clipfrac near zero + slow learning",
                "rule:CLIP002",
                "lab:scheduler/kl-strangled",
                "symptom:Clip fraction near zero and slow learning",
            ),
            sign(
                "reward spikes without throughput improvement",
                "rule:REW002",
                "lab:scheduler/latency-masked",
                "symptom:Reward spikes without better throughput",
            ),
            output("`reward_breakdown`", "word:reward breakdown", "rule:REW010"),
        ),
        part(
            "Related documents",
            output("`docs/reward_config_guide.md`", "page:lab/reward_config_guide.md"),
            output(
                "`docs/temperature_controller_parameters.md`",
                "page:lab/temperature_controller_parameters.md",
            ),
            output("`docs/kl_regularization_guide.md`", "page:lab/kl_regularization_guide.md"),
            output(
                "`docs/statistics_stabilization_guide.md`",
                "page:lab/statistics_stabilization_guide.md",
            ),
        ),
    ),
)
