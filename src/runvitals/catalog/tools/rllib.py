"""Names that Ray RLlib logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Alias, Framework

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

NAMES = """
outcome/return_mean: env_runners/episode_return_mean  # last 100 episodes; missing or NaN while no
  episode has ended
outcome/return_min: env_runners/episode_return_min  # last 100 episodes
outcome/return_max: env_runners/episode_return_max  # last 100 episodes
outcome/episode_length_mean: env_runners/episode_len_mean  # last 100 episodes
outcome/episode_length_min: env_runners/episode_len_min
outcome/episode_length_max: env_runners/episode_len_max
time/episode_s: env_runners/episode_duration_sec_mean
outcome/episode_count: env_runners/num_episodes
progress/episodes: env_runners/num_episodes_lifetime
progress/env_steps_per_iteration: env_runners/num_env_steps_sampled
progress/env_steps: env_runners/num_env_steps_sampled_lifetime
throughput/env_steps_per_s:
  env_runners/num_env_steps_sampled_lifetime_throughput/throughput_since_last_reduce  # older
  versions: num_env_steps_sampled_lifetime_throughput as a plain number
throughput/env_steps_per_s (window=run):
  env_runners/num_env_steps_sampled_lifetime_throughput/throughput_since_last_restore  # steps /
  time
progress/agent_steps: env_runners/num_agent_steps_sampled_lifetime/{agent}
outcome/return_mean: env_runners/agent_episode_return_mean/{agent}
  | env_runners/module_episode_return_mean/{module}
time/generation_s: env_runners/sample
time/env_step_s: env_runners/env_step_timer
time/env_reset_s: env_runners/env_reset_timer
time/inference_s: env_runners/rlmodule_inference_timer
time/policy_update_s: env_runners/time_between_sampling
progress/weight_version: env_runners/weights_seq_no
none: evaluation/env_runners/{key}  # episode_return_mean maps to eval/return_mean, episode_len_mean
  to eval/episode_length_mean, num_episodes to eval/episode_count; present only in iterations with
  evaluation
eval/return_mean: evaluation/env_runners/episode_return_mean
eval/episode_length_mean: evaluation/env_runners/episode_len_mean
eval/episode_count: evaluation/env_runners/num_episodes
optim/loss: learners/{module}/total_loss  # window=1
policy/loss: learners/{module}/policy_loss [PPO | APPO]
policy/loss_total: learners/{module}/policy_loss [SAC | CQL]
value/loss: learners/{module}/vf_loss [PPO | APPO | IMPALA]  # PPO: PPO: saturates at vf_clip_param
  (default 10), so an exploding critic shows a flat line here; watch vf_loss_unclipped; APPO:
  0.5*mean((V-vs)^2); IMPALA: 0.5*sum((V-vs)^2)
value/loss_unclipped: learners/{module}/vf_loss_unclipped [PPO]
value/explained_variance: learners/{module}/vf_explained_var [PPO]  # floored at -1 and computed
  with the UPDATED critic, unlike SB3
value/explained_variance: learners/{module}/vf_explained_variance [MARWIL]  # as above
policy/entropy: learners/{module}/entropy [PPO | APPO | IMPALA]  # mean(H)
policy/approx_kl: learners/{module}/mean_kl_loss [PPO | APPO]  # estimator exact KL(old||new); not
  multiplied by the coefficient despite the name
policy/kl_coef: learners/{module}/curr_kl_coeff [PPO | APPO]
policy/entropy_coef: learners/{module}/curr_entropy_coeff [PPO | IMPALA | APPO]
optim/learning_rate: learners/{module}/{optimizer}_learning_rate
optim/grad_norm: learners/{module}/gradients_{optimizer}_global_norm
[IMPALA]
policy/loss: learners/{module}/pi_loss | learners/{module}/mean_pi_loss
value/loss: learners/{module}/mean_vf_loss  # vf_loss/valid steps
mismatch/is_weight_mean: learners/{module}/mean_IS [APPO]
none (module={module}): learners/{module}/var_IS [APPO]
value/loss: learners/{module}/qf_loss [DQN | SAC | CQL | TQC]  # DQN: mean(w*huber(Q - target));
  SAC: mean(w*huber)
value/loss (critic=2): learners/{module}/qf_twin_loss [SAC | CQL]  # mean(w*huber)
[DQN | SAC | TQC]
value/q_mean: learners/{module}/qf_mean
value/q_max: learners/{module}/qf_max
value/q_min: learners/{module}/qf_min
value/td_error: learners/{module}/td_error_mean
[SAC | CQL]
policy/entropy_coef: learners/{module}/alpha_value
none (module={module}): learners/{module}/log_alpha_value
policy/entropy_coef_loss: learners/{module}/alpha_loss
policy/entropy_target: learners/{module}/target_entropy
policy/logprob_mean: learners/{module}/logps [SAC]
value/target_updates: learners/{module}/num_target_updates [DQN | SAC]
[]
async/staleness_mean: learners/{module}/diff_num_grad_updates_vs_sampler_policy
data/samples_per_step: learners/{module}/module_train_batch_size_mean
progress/weight_version: learners/{module}/weights_seq_no
none: learners/__all_modules__/num_env_steps_trained_lifetime
throughput/learner_steps_per_s:
  learners/__all_modules__/num_module_steps_trained_lifetime_throughput/throughput_since_last_reduce
replay/size: replay_buffer/num_env_steps_stored [DQN | SAC]
time/step_s (smoothing=ema): timers/training_iteration
time/generation_s: timers/env_runner_sampling_timer
time/policy_update_s: timers/learner_update_timer
time/weight_sync_s: timers/synch_weights
time/eval_s: timers/evaluation_iteration
time/data_s: timers/replay_buffer_sampling_timer
progress/env_steps: num_env_steps_sampled_lifetime
progress/step: training_iteration
time/step_s: time_this_iter_s
time/elapsed_s: time_total_s
system/cpu_percent: perf/cpu_util_percent
system/memory_percent: perf/ram_util_percent
none: fault_tolerance/num_healthy_workers | fault_tolerance/num_remote_worker_restarts
[old API stack]
outcome/return_mean: episode_reward_mean
outcome/return_min: episode_reward_min
outcome/return_max: episode_reward_max
outcome/episode_length_mean: episode_len_mean
outcome/episode_count: episodes_this_iter
progress/episodes: episodes_total
progress/env_steps: timesteps_total
env/metric: custom_metrics/{name}_mean
"""

OLD_NAMES = """
progress/env_steps: info/num_steps_sampled | info/num_env_steps_sampled
progress/samples: info/num_steps_trained | info/num_env_steps_trained
time/generation_s (scale=0.001): info/sample_time_ms
time/policy_update_s (scale=0.001): info/grad_time_ms
time/data_s (scale=0.001): info/load_time_ms
time/weight_sync_s (scale=0.001): info/update_time_ms | timers/update_time_ms
progress/env_steps_per_iteration: timesteps_this_iter
none: sampler_perf/{part} | time_since_restore | timesteps_since_restore | iterations_since_restore
  | num_healthy_workers
"""

FRAMEWORK = Framework(
    id="rllib",
    title="Ray RLlib",
    version="ray 2.60.0 (old stack names from 2.9.3)",
    names=("ray", "ray-rllib"),
    kind="classic",
    aliases=(
        *aliases(NAMES),
        *(
            Alias(f"{place}/{name}", metric, algorithms, labels={"policy": "{policy}"}, note=_MEAN)
            for place in _LEARNERS
            for name, metric, algorithms in _OLD_STATS
        ),
        *aliases(OLD_NAMES),
    ),
)
