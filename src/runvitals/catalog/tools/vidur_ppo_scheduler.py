"""Names that Vidur PPO global scheduler logs, and the metrics they are."""

from runvitals.model import Alias, Framework

PPO_TENSORBOARD = ("PPO (tensorboard)",)
ROLLOUT_ROWS_CSV = ("rollout rows (csv)",)
TRAINING_ROWS_CSV = ("training rows (csv)",)

FRAMEWORK = Framework(
    id="vidur-ppo-scheduler",
    title="Vidur PPO global scheduler",
    version="commit a703391",
    names=("vidur",),
    kind="classic",
    aliases=(
        Alias(
            "approx_kl",
            "policy/approx_kl",
            ("PPO (csv)",),
            note=(
                "estimator k1 clamped at 0; negative batch means become exactly 0, so long "
                "runs of 0.0 do not mean 'no change'"
            ),
        ),
        Alias(
            "Training/ApproxKL",
            "policy/approx_kl",
            PPO_TENSORBOARD,
            note=(
                "estimator k1 clamped at 0; negative batch means become exactly 0, so long "
                "runs of 0.0 do not mean 'no change'"
            ),
        ),
        Alias("clipfrac", "policy/clip_fraction", ("PPO (csv)",), note="mean(|r-1|>eps)"),
        Alias(
            "Training/ClipFraction", "policy/clip_fraction", PPO_TENSORBOARD, note="mean(|r-1|>eps)"
        ),
        Alias("entropy", "policy/entropy", ("PPO (csv)",)),
        Alias("Training/Entropy", "policy/entropy", PPO_TENSORBOARD),
        Alias("pi_loss", "policy/loss", ("PPO (csv)",)),
        Alias("Training/PolicyLoss", "policy/loss", PPO_TENSORBOARD),
        Alias("vf_loss", "value/loss", ("PPO (csv)",), note="0.5*mean(max)"),
        Alias("Training/ValueLoss", "value/loss", PPO_TENSORBOARD, note="0.5*mean(max)"),
        Alias(
            "explained_var",
            "value/explained_variance",
            ("PPO (csv)",),
            note="1-Var(R-V)/(Var(R)+1e-8)",
        ),
        Alias(
            "Training/ExplainedVariance",
            "value/explained_variance",
            PPO_TENSORBOARD,
            note="1-Var(R-V)/(Var(R)+1e-8)",
        ),
        Alias("pg_grad_norm", "optim/grad_norm", ("PPO (csv)",)),
        Alias("Training/GradientNorm", "optim/grad_norm", PPO_TENSORBOARD),
        Alias("lr", "optim/learning_rate", ("PPO (csv)",)),
        Alias("Training/LearningRate", "optim/learning_rate", PPO_TENSORBOARD),
        Alias("entropy_coef", "policy/entropy_coef", ("PPO (csv)",)),
        Alias("entropy_emergency_mode", "control/emergency", ("PPO (csv)",)),
        Alias("entropy_interventions", "control/interventions", ("PPO (csv)",)),
        Alias("entropy_steps_since_intervention", "control/since_intervention", ("PPO (csv)",)),
        Alias("reward_mean", "reward/mean", ROLLOUT_ROWS_CSV),
        Alias("Rollout/RewardMean", "reward/mean", PPO_TENSORBOARD),
        Alias("reward_std", "reward/std", ROLLOUT_ROWS_CSV),
        Alias("Rollout/RewardStd", "reward/std", PPO_TENSORBOARD),
        Alias("reward_min", "reward/min", ROLLOUT_ROWS_CSV),
        Alias("Rollout/RewardMin", "reward/min", PPO_TENSORBOARD),
        Alias("reward_max", "reward/max", ROLLOUT_ROWS_CSV),
        Alias("Rollout/RewardMax", "reward/max", PPO_TENSORBOARD),
        Alias("value_mean", "value/mean", ROLLOUT_ROWS_CSV),
        Alias("Rollout/ValueMean", "value/mean", PPO_TENSORBOARD),
        Alias("return_mean", "returns/mean", ROLLOUT_ROWS_CSV),
        Alias("Rollout/ReturnMean", "returns/mean", PPO_TENSORBOARD),
        Alias("advantage_std", "advantage/std", ROLLOUT_ROWS_CSV),
        Alias("Rollout/AdvantageStd", "advantage/std", PPO_TENSORBOARD),
        Alias("buffer_progress", "replay/fill_fraction", ROLLOUT_ROWS_CSV),
        Alias("System/BufferProgress", "replay/fill_fraction", PPO_TENSORBOARD),
        Alias(
            "action_replica_{i}", "policy/action_share", ROLLOUT_ROWS_CSV, labels={"action": "{i}"}
        ),
        Alias(
            "Actions/Replica_{i}", "policy/action_share", PPO_TENSORBOARD, labels={"action": "{i}"}
        ),
        Alias(
            "reward",
            "reward/mean",
            TRAINING_ROWS_CSV,
            labels={"window": "decision"},
            note="single decision",
        ),
        Alias(
            "value_estimate",
            "value/mean",
            TRAINING_ROWS_CSV,
            labels={"window": "decision"},
            note="single decision",
        ),
        Alias("log_probability", "policy/logprob_mean", TRAINING_ROWS_CSV, note="single decision"),
        Alias("temperature", "policy/temperature", TRAINING_ROWS_CSV, note="single decision"),
        Alias(
            "temp_current_temperature",
            "policy/temperature",
            TRAINING_ROWS_CSV,
            note="single decision",
        ),
        Alias(
            "temp_base_temperature",
            "policy/temperature_base",
            TRAINING_ROWS_CSV,
            note="single decision",
        ),
        Alias(
            "temp_qps_pressure_ema",
            "control/pressure",
            TRAINING_ROWS_CSV,
            labels={"signal": "qps", "smoothing": "ema"},
            note="single decision",
        ),
        Alias(
            "temp_latency_pressure_ema",
            "control/pressure",
            TRAINING_ROWS_CSV,
            labels={"signal": "latency", "smoothing": "ema"},
            note="single decision",
        ),
        Alias("temp_is_pulsing", "control/pulse_active", TRAINING_ROWS_CSV, note="single decision"),
        Alias(
            "balance_penalty",
            "reward/component_mean",
            TRAINING_ROWS_CSV,
            labels={"component": "balance_penalty"},
            note="single decision",
        ),
        Alias(
            "throughput",
            "env/metric",
            TRAINING_ROWS_CSV,
            labels={"name": "throughput"},
            note="single decision",
        ),
        Alias(
            "latency",
            "env/metric",
            TRAINING_ROWS_CSV,
            labels={"name": "latency"},
            note="single decision",
        ),
        Alias(
            "delta_throughput",
            "control/service_change",
            TRAINING_ROWS_CSV,
            note="single decision",
            labels={"of": "throughput"},
        ),
        Alias(
            "delta_latency",
            "control/service_change",
            TRAINING_ROWS_CSV,
            note="single decision",
            labels={"of": "latency"},
        ),
        Alias(
            "queue_length",
            "env/metric",
            TRAINING_ROWS_CSV,
            labels={"name": "queue_length"},
            note="single decision",
        ),
        Alias(
            "absolute_score",
            "reward/component_mean",
            TRAINING_ROWS_CSV,
            labels={"component": "absolute_score"},
            note="single decision",
        ),
        Alias(
            "delta_score",
            "reward/component_mean",
            TRAINING_ROWS_CSV,
            labels={"component": "delta_score"},
            note="single decision",
        ),
        Alias(
            "reward_absolute_score",
            "reward/component_mean",
            TRAINING_ROWS_CSV,
            labels={"component": "absolute_score"},
            note="single decision",
        ),
        Alias(
            "reward_delta_score",
            "reward/component_mean",
            TRAINING_ROWS_CSV,
            labels={"component": "delta_score"},
            note="single decision",
        ),
        Alias("Reward/Total", "reward/mean", PPO_TENSORBOARD),
        Alias(
            "Reward/Throughput",
            "reward/component_mean",
            PPO_TENSORBOARD,
            labels={"component": "throughput"},
        ),
        Alias(
            "Reward/Latency",
            "reward/component_mean",
            PPO_TENSORBOARD,
            labels={"component": "latency"},
        ),
        Alias(
            "Reward/BalancePenalty",
            "reward/component_mean",
            PPO_TENSORBOARD,
            labels={"component": "balance_penalty"},
        ),
        Alias(
            "Reward/DeltaThroughput",
            "control/service_change",
            PPO_TENSORBOARD,
            labels={"of": "throughput"},
        ),
        Alias(
            "Reward/DeltaLatency",
            "control/service_change",
            PPO_TENSORBOARD,
            labels={"of": "latency"},
        ),
        Alias("Debug/RawReward", "reward/unclipped_mean", PPO_TENSORBOARD),
        Alias("Debug/RewardClipped", "reward/clipped_fraction", PPO_TENSORBOARD),
        Alias("curriculum/stage_index", "curriculum/stage", PPO_TENSORBOARD),
        Alias("current_temperature", "policy/temperature"),
        Alias("lr_scale", "optim/lr_scale"),
        Alias("minibatch_size", "optim/minibatch_size"),
        Alias("grad_spike", "optim/grad_spike"),
        Alias("completed_chunks", "progress/chunks"),
        Alias("requests_done", "progress/requests"),
    ),
)
