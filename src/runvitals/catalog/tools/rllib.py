"""Names that Ray RLlib logs, and the metrics they are."""

from runvitals.model import Alias, Framework

PPO_APPO_IMPALA = ("PPO", "APPO", "IMPALA")
DQN_SAC_TQC = ("DQN", "SAC", "TQC")
OLD_API_STACK = ("old API stack",)
ON_POLICY = ("PPO", "APPO", "IMPALA", "A2C", "A3C")
_MEAN = "old API stack; mean over towers and minibatches"
# Up to 0.8 the statistics stood directly below the policy.
_LEARNERS = (
    "info/learner/{policy}/learner_stats",
    "info/learner/{policy}/stats",
    "info/learner/{policy}",
)
_OLD_STATS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("total_loss", "optim/loss", ON_POLICY),
    ("policy_loss", "policy/loss", ON_POLICY),
    ("vf_loss", "value/loss", ON_POLICY),
    ("vf_explained_var", "value/explained_variance", ("PPO", "APPO", "IMPALA")),
    ("kl", "policy/approx_kl", ("PPO", "APPO")),
    ("entropy", "policy/entropy", ("PPO", "APPO", "IMPALA")),
    ("policy_entropy", "policy/entropy", ("A2C", "A3C")),
    ("cur_kl_coeff", "policy/kl_coef", ("PPO",)),
    ("cur_lr", "optim/learning_rate", ()),
    ("entropy_coeff", "policy/entropy_coef", ON_POLICY),
    ("grad_gnorm", "optim/grad_norm", ()),
    ("mean_q", "value/q_mean", ("DQN", "SAC", "DDPG", "TD3")),
    ("min_q", "value/q_min", ("DQN", "SAC", "DDPG", "TD3")),
    ("max_q", "value/q_max", ("DQN", "SAC", "DDPG", "TD3")),
    ("mean_td_error", "value/td_error", ("DQN",)),
    ("actor_loss", "policy/loss_total", ("SAC", "DDPG", "TD3")),
    ("critic_loss", "value/loss", ("SAC", "DDPG", "TD3")),
    ("alpha_loss", "policy/entropy_coef_loss", ("SAC",)),
    ("alpha_value", "policy/entropy_coef", ("SAC",)),
    ("target_entropy", "policy/entropy_target", ("SAC",)),
)

FRAMEWORK = Framework(
    id="rllib",
    title="Ray RLlib",
    version="ray 2.60.0 (old stack names from 2.9.3)",
    names=("ray", "ray-rllib"),
    kind="classic",
    aliases=(
        Alias(
            "env_runners/episode_return_mean",
            "outcome/return_mean",
            note="last 100 episodes; missing or NaN while no episode has ended",
        ),
        Alias("env_runners/episode_return_min", "outcome/return_min", note="last 100 episodes"),
        Alias("env_runners/episode_return_max", "outcome/return_max", note="last 100 episodes"),
        Alias(
            "env_runners/episode_len_mean", "outcome/episode_length_mean", note="last 100 episodes"
        ),
        Alias("env_runners/episode_len_min", "outcome/episode_length_min"),
        Alias("env_runners/episode_len_max", "outcome/episode_length_max"),
        Alias("env_runners/episode_duration_sec_mean", "time/episode_s"),
        Alias("env_runners/num_episodes", "outcome/episode_count"),
        Alias("env_runners/num_episodes_lifetime", "progress/episodes"),
        Alias("env_runners/num_env_steps_sampled", "progress/env_steps_per_iteration"),
        Alias("env_runners/num_env_steps_sampled_lifetime", "progress/env_steps"),
        Alias(
            "env_runners/num_env_steps_sampled_lifetime_throughput/throughput_since_last_reduce",
            "throughput/env_steps_per_s",
            note="older versions: num_env_steps_sampled_lifetime_throughput as a plain number",
        ),
        Alias(
            "env_runners/num_env_steps_sampled_lifetime_throughput/throughput_since_last_restore",
            "throughput/env_steps_per_s",
            labels={"window": "run"},
            note="steps / time",
        ),
        Alias(
            "env_runners/num_agent_steps_sampled_lifetime/{agent}",
            "progress/agent_steps",
            labels={"agent": "{agent}"},
        ),
        Alias(
            "env_runners/agent_episode_return_mean/{agent}",
            "outcome/return_mean",
            labels={"agent": "{agent}"},
        ),
        Alias(
            "env_runners/module_episode_return_mean/{module}",
            "outcome/return_mean",
            labels={"module": "{module}"},
        ),
        Alias("env_runners/sample", "time/generation_s"),
        Alias("env_runners/env_step_timer", "time/env_step_s"),
        Alias("env_runners/env_reset_timer", "time/env_reset_s"),
        Alias("env_runners/rlmodule_inference_timer", "time/inference_s"),
        Alias("env_runners/time_between_sampling", "time/policy_update_s"),
        Alias("env_runners/weights_seq_no", "progress/weight_version"),
        Alias(
            "evaluation/env_runners/{key}",
            None,
            note=(
                "episode_return_mean maps to eval/return_mean, episode_len_mean to "
                "eval/episode_length_mean, num_episodes to eval/episode_count; present only "
                "in iterations with evaluation"
            ),
        ),
        Alias("evaluation/env_runners/episode_return_mean", "eval/return_mean"),
        Alias("evaluation/env_runners/episode_len_mean", "eval/episode_length_mean"),
        Alias("evaluation/env_runners/num_episodes", "eval/episode_count"),
        Alias(
            "learners/{module}/total_loss",
            "optim/loss",
            labels={"module": "{module}"},
            note="window=1",
        ),
        Alias(
            "learners/{module}/policy_loss",
            "policy/loss",
            ("PPO", "APPO"),
            labels={"module": "{module}"},
        ),
        Alias(
            "learners/{module}/policy_loss",
            "policy/loss_total",
            ("SAC", "CQL"),
            labels={"module": "{module}"},
        ),
        Alias(
            "learners/{module}/vf_loss",
            "value/loss",
            PPO_APPO_IMPALA,
            labels={"module": "{module}"},
            note=(
                "PPO: PPO: saturates at vf_clip_param (default 10), so an exploding critic "
                "shows a flat line here; watch vf_loss_unclipped; APPO: 0.5*mean((V-vs)^2); "
                "IMPALA: 0.5*sum((V-vs)^2)"
            ),
        ),
        Alias(
            "learners/{module}/vf_loss_unclipped",
            "value/loss_unclipped",
            ("PPO",),
            labels={"module": "{module}"},
        ),
        Alias(
            "learners/{module}/vf_explained_var",
            "value/explained_variance",
            ("PPO",),
            labels={"module": "{module}"},
            note="floored at -1 and computed with the UPDATED critic, unlike SB3",
        ),
        Alias(
            "learners/{module}/vf_explained_variance",
            "value/explained_variance",
            ("MARWIL",),
            labels={"module": "{module}"},
            note="as above",
        ),
        Alias(
            "learners/{module}/entropy",
            "policy/entropy",
            PPO_APPO_IMPALA,
            labels={"module": "{module}"},
            note="mean(H)",
        ),
        Alias(
            "learners/{module}/mean_kl_loss",
            "policy/approx_kl",
            ("PPO", "APPO"),
            labels={"module": "{module}"},
            note=(
                "estimator exact KL(old||new); not multiplied by the coefficient despite the name"
            ),
        ),
        Alias(
            "learners/{module}/curr_kl_coeff",
            "policy/kl_coef",
            ("PPO", "APPO"),
            labels={"module": "{module}"},
        ),
        Alias(
            "learners/{module}/curr_entropy_coeff",
            "policy/entropy_coef",
            ("PPO", "IMPALA", "APPO"),
            labels={"module": "{module}"},
        ),
        Alias(
            "learners/{module}/{optimizer}_learning_rate",
            "optim/learning_rate",
            labels={"module": "{module}", "optimizer": "{optimizer}"},
        ),
        Alias(
            "learners/{module}/gradients_{optimizer}_global_norm",
            "optim/grad_norm",
            labels={"module": "{module}", "optimizer": "{optimizer}"},
        ),
        Alias(
            "learners/{module}/pi_loss", "policy/loss", ("IMPALA",), labels={"module": "{module}"}
        ),
        Alias(
            "learners/{module}/mean_pi_loss",
            "policy/loss",
            ("IMPALA",),
            labels={"module": "{module}"},
        ),
        Alias(
            "learners/{module}/mean_vf_loss",
            "value/loss",
            ("IMPALA",),
            labels={"module": "{module}"},
            note="vf_loss/valid steps",
        ),
        Alias(
            "learners/{module}/mean_IS",
            "mismatch/is_weight_mean",
            ("APPO",),
            labels={"module": "{module}"},
        ),
        Alias("learners/{module}/var_IS", None, ("APPO",), labels={"module": "{module}"}),
        Alias(
            "learners/{module}/qf_loss",
            "value/loss",
            ("DQN", "SAC", "CQL", "TQC"),
            labels={"module": "{module}"},
            note="DQN: mean(w*huber(Q - target)); SAC: mean(w*huber)",
        ),
        Alias(
            "learners/{module}/qf_twin_loss",
            "value/loss",
            ("SAC", "CQL"),
            labels={"module": "{module}", "critic": "2"},
            note="mean(w*huber)",
        ),
        Alias(
            "learners/{module}/qf_mean", "value/q_mean", DQN_SAC_TQC, labels={"module": "{module}"}
        ),
        Alias(
            "learners/{module}/qf_max", "value/q_max", DQN_SAC_TQC, labels={"module": "{module}"}
        ),
        Alias(
            "learners/{module}/qf_min", "value/q_min", DQN_SAC_TQC, labels={"module": "{module}"}
        ),
        Alias(
            "learners/{module}/td_error_mean",
            "value/td_error",
            DQN_SAC_TQC,
            labels={"module": "{module}"},
        ),
        Alias(
            "learners/{module}/alpha_value",
            "policy/entropy_coef",
            ("SAC", "CQL"),
            labels={"module": "{module}"},
        ),
        Alias(
            "learners/{module}/log_alpha_value", None, ("SAC", "CQL"), labels={"module": "{module}"}
        ),
        Alias(
            "learners/{module}/alpha_loss",
            "policy/entropy_coef_loss",
            ("SAC", "CQL"),
            labels={"module": "{module}"},
        ),
        Alias(
            "learners/{module}/target_entropy",
            "policy/entropy_target",
            ("SAC", "CQL"),
            labels={"module": "{module}"},
        ),
        Alias(
            "learners/{module}/logps",
            "policy/logprob_mean",
            ("SAC",),
            labels={"module": "{module}"},
        ),
        Alias(
            "learners/{module}/num_target_updates",
            "value/target_updates",
            ("DQN", "SAC"),
            labels={"module": "{module}"},
        ),
        Alias(
            "learners/{module}/diff_num_grad_updates_vs_sampler_policy",
            "async/staleness_mean",
            labels={"module": "{module}"},
        ),
        Alias(
            "learners/{module}/module_train_batch_size_mean",
            "data/samples_per_step",
            labels={"module": "{module}"},
        ),
        Alias(
            "learners/{module}/weights_seq_no",
            "progress/weight_version",
            labels={"module": "{module}"},
        ),
        Alias("learners/__all_modules__/num_env_steps_trained_lifetime", None),
        Alias(
            "learners/__all_modules__/num_module_steps_trained_lifetime_throughput/throughput_since_last_reduce",
            "throughput/learner_steps_per_s",
        ),
        Alias("replay_buffer/num_env_steps_stored", "replay/size", ("DQN", "SAC")),
        Alias("timers/training_iteration", "time/step_s", labels={"smoothing": "ema"}),
        Alias("timers/env_runner_sampling_timer", "time/generation_s"),
        Alias("timers/learner_update_timer", "time/policy_update_s"),
        Alias("timers/synch_weights", "time/weight_sync_s"),
        Alias("timers/evaluation_iteration", "time/eval_s"),
        Alias("timers/replay_buffer_sampling_timer", "time/data_s"),
        Alias("num_env_steps_sampled_lifetime", "progress/env_steps"),
        Alias("training_iteration", "progress/step"),
        Alias("time_this_iter_s", "time/step_s"),
        Alias("time_total_s", "time/elapsed_s"),
        Alias("perf/cpu_util_percent", "system/cpu_percent"),
        Alias("perf/ram_util_percent", "system/memory_percent"),
        Alias("fault_tolerance/num_healthy_workers", None),
        Alias("fault_tolerance/num_remote_worker_restarts", None),
        Alias("episode_reward_mean", "outcome/return_mean", OLD_API_STACK),
        Alias("episode_reward_min", "outcome/return_min", OLD_API_STACK),
        Alias("episode_reward_max", "outcome/return_max", OLD_API_STACK),
        Alias("episode_len_mean", "outcome/episode_length_mean", OLD_API_STACK),
        Alias("episodes_this_iter", "outcome/episode_count", OLD_API_STACK),
        Alias("episodes_total", "progress/episodes", OLD_API_STACK),
        Alias("timesteps_total", "progress/env_steps", OLD_API_STACK),
        Alias("custom_metrics/{name}_mean", "env/metric", OLD_API_STACK, labels={"name": "{name}"}),
        *(
            Alias(f"{place}/{name}", metric, algorithms, labels={"policy": "{policy}"}, note=_MEAN)
            for place in _LEARNERS
            for name, metric, algorithms in _OLD_STATS
        ),
        Alias("info/num_steps_sampled", "progress/env_steps"),
        Alias("info/num_env_steps_sampled", "progress/env_steps"),
        Alias("info/num_steps_trained", "progress/samples"),
        Alias("info/num_env_steps_trained", "progress/samples"),
        Alias("info/sample_time_ms", "time/generation_s", scale=0.001),
        Alias("info/grad_time_ms", "time/policy_update_s", scale=0.001),
        Alias("info/load_time_ms", "time/data_s", scale=0.001),
        Alias("info/update_time_ms", "time/weight_sync_s", scale=0.001),
        Alias("timers/update_time_ms", "time/weight_sync_s", scale=0.001),
        Alias("timesteps_this_iter", "progress/env_steps_per_iteration"),
        Alias("sampler_perf/{part}", None),
        Alias("time_since_restore", None),
        Alias("timesteps_since_restore", None),
        Alias("iterations_since_restore", None),
        Alias("num_healthy_workers", None),
    ),
)
