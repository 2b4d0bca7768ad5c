"""Reinforcement learning with many actors or many agents."""

TOOLS = """
tool rllib (kind=classic; version=ray 2.60.0 (old stack names from 2.9.3); names=ray | ray-rllib):
  Ray RLlib
ON_POLICY = PPO | APPO | IMPALA | A2C | A3C
outcome/return_mean: env_runners/episode_return_mean  # last 100 episodes; missing or NaN while no
  episode has ended
outcome/return_{min,max}: env_runners/episode_return_{min,max}  # last 100 episodes
outcome/episode_length_mean: env_runners/episode_len_mean  # last 100 episodes
outcome/episode_length_{min,max}: env_runners/episode_len_{min,max}
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
outcome/return_mean: env_runners/agent_episode_return_mean/{agent} |
  env_runners/module_episode_return_mean/{module}
time/generation_s: env_runners/sample
time/{env_step,env_reset,inference}_s: env_runners/{env_step,env_reset,rlmodule_inference}_timer
time/policy_update_s: env_runners/time_between_sampling
progress/weight_version: env_runners/weights_seq_no
none: evaluation/env_runners/{key}  # episode_return_mean maps to eval/return_mean, episode_len_mean
  to eval/episode_length_mean, num_episodes to eval/episode_count; present only in iterations with
  evaluation
eval/{return,episode_length}_mean: evaluation/env_runners/episode_{return,len}_mean
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
value/q_{mean,max,min}: learners/{module}/qf_{mean,max,min}
value/td_error: learners/{module}/td_error_mean
[SAC | CQL]
policy/entropy_coef: learners/{module}/alpha_value
none (module={module}): learners/{module}/log_alpha_value
policy/entropy_{coef_loss,target}: learners/{module}/{alpha_loss,target_entropy}
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
time/{weight_sync,eval}_s: timers/{synch_weights,evaluation_iteration}
time/data_s: timers/replay_buffer_sampling_timer; progress/env_steps: num_env_steps_sampled_lifetime
progress/step: training_iteration; time/step_s: time_this_iter_s; time/elapsed_s: time_total_s
system/{cpu,memory}_percent: perf/{cpu,ram}_util_percent
none: fault_tolerance/num_healthy_workers | fault_tolerance/num_remote_worker_restarts
[old API stack]
outcome/return_{mean,min,max}: episode_reward_{mean,min,max}
outcome/episode_length_mean: episode_len_mean; outcome/episode_count: episodes_this_iter
progress/{episodes,env_steps}: {episodes,timesteps}_total; env/metric: custom_metrics/{name}_mean
# Up to 0.8 the statistics stood directly below the policy.
optim/loss: info/learner/{policy}/{learner_stats/,stats/,}total_loss [ON_POLICY]  # old API stack;
  mean over towers and minibatches
policy/loss: info/learner/{policy}/{learner_stats/,stats/,}policy_loss [ON_POLICY]  # old API stack;
  mean over towers and minibatches
value/loss: info/learner/{policy}/{learner_stats/,stats/,}vf_loss [ON_POLICY]  # old API stack; mean
  over towers and minibatches
value/explained_variance: info/learner/{policy}/{learner_stats/,stats/,}vf_explained_var [PPO | APPO
  | IMPALA]  # old API stack; mean over towers and minibatches
policy/approx_kl: info/learner/{policy}/{learner_stats/,stats/,}kl [PPO | APPO]  # old API stack;
  mean over towers and minibatches
policy/entropy: info/learner/{policy}/{learner_stats/,stats/,}entropy [PPO | APPO | IMPALA]  # old
  API stack; mean over towers and minibatches
policy/entropy: info/learner/{policy}/{learner_stats/,stats/,}policy_entropy [A2C | A3C]  # old API
  stack; mean over towers and minibatches
policy/kl_coef: info/learner/{policy}/{learner_stats/,stats/,}cur_kl_coeff [PPO]  # old API stack;
  mean over towers and minibatches
optim/learning_rate: info/learner/{policy}/{learner_stats/,stats/,}cur_lr []  # old API stack; mean
  over towers and minibatches
policy/entropy_coef: info/learner/{policy}/{learner_stats/,stats/,}entropy_coeff [ON_POLICY]  # old
  API stack; mean over towers and minibatches
optim/grad_norm: info/learner/{policy}/{learner_stats/,stats/,}grad_gnorm []  # old API stack; mean
  over towers and minibatches
value/q_mean: info/learner/{policy}/{learner_stats/,stats/,}mean_q [DQN | SAC | DDPG | TD3]  # old
  API stack; mean over towers and minibatches
value/q_min: info/learner/{policy}/{learner_stats/,stats/,}min_q [DQN | SAC | DDPG | TD3]  # old API
  stack; mean over towers and minibatches
value/q_max: info/learner/{policy}/{learner_stats/,stats/,}max_q [DQN | SAC | DDPG | TD3]  # old API
  stack; mean over towers and minibatches
value/td_error: info/learner/{policy}/{learner_stats/,stats/,}mean_td_error [DQN]  # old API stack;
  mean over towers and minibatches
policy/loss_total: info/learner/{policy}/{learner_stats/,stats/,}actor_loss [SAC | DDPG | TD3]  #
  old API stack; mean over towers and minibatches
value/loss: info/learner/{policy}/{learner_stats/,stats/,}critic_loss [SAC | DDPG | TD3]  # old API
  stack; mean over towers and minibatches
policy/entropy_coef_loss: info/learner/{policy}/{learner_stats/,stats/,}alpha_loss [SAC]  # old API
  stack; mean over towers and minibatches
policy/entropy_coef: info/learner/{policy}/{learner_stats/,stats/,}alpha_value [SAC]  # old API
  stack; mean over towers and minibatches
policy/entropy_target: info/learner/{policy}/{learner_stats/,stats/,}target_entropy [SAC]  # old API
  stack; mean over towers and minibatches
[]
progress/env_steps: info/num_steps_sampled | info/num_env_steps_sampled
progress/samples: info/num_steps_trained | info/num_env_steps_trained
time/generation_s (scale=0.001): info/sample_time_ms
time/policy_update_s (scale=0.001): info/grad_time_ms; time/data_s (scale=0.001): info/load_time_ms
time/weight_sync_s (scale=0.001): info/update_time_ms | timers/update_time_ms
progress/env_steps_per_iteration: timesteps_this_iter
none: sampler_perf/{part} | time_since_restore | timesteps_since_restore | iterations_since_restore
  | num_healthy_workers

tool sample-factory (kind=classic; version=2.1.3): Sample Factory
[APPO]
outcome/return_mean: reward/reward  # last 100 episodes; written only when the window is full, or
  after 300 s with more than 10 episodes
outcome/return_{min,max}: reward/reward_{min,max}; outcome/episode_length_mean: len/len
outcome/episode_length_{min,max}: len/len_{min,max}
outcome/score_mean: policy_stats/avg_true_objective  # also _min and _max; the PBT target
env/metric (name={key}): policy_stats/avg_{key}; env/metric (name={group}/{key}): {group}/{key}
throughput/env_steps_per_s: perf/_fps  # delta/delta t
throughput/learner_steps_per_s: perf/_sample_throughput
system/process_memory_gb (scale=0.001): stats/master_process_memory_mb; none: stats/{key}
progress/env_steps: train/env_steps; optim/learning_rate: train/lr; none: train/actual_lr
data/valid_fraction: train/valids_fraction; async/same_policy_fraction: train/same_policy_fraction
optim/grad_norm: train/grad_norm  # computed after clipping, so it saturates at max_grad_norm
optim/loss: train/loss  # sum of terms
value/mean: train/value
policy/entropy: train/entropy  # mean(H)
policy/loss: train/policy_loss; policy/kl_loss: train/kl_loss
value/loss: train/value_loss  # coeff*mean(max(.,.))
policy/entropy_loss: train/exploration_loss; policy/action_{min,max}: train/act_{min,max}
advantage/min: train/adv_min  # guarded by '"adv_mean" in stats', which is never true in 2.1.3, so
  adv_* do not appear
advantage/{max,std,mean}: train/adv_{max,std,mean}; policy/logit_abs_max: train/max_abs_logprob
policy/approx_kl: train/kl_divergence  # estimator exact KL(new||old); mean KL(new||old)
policy/kl_max: train/kl_divergence_max; value/change_mean: train/value_delta
value/change_max: train/value_delta_max; policy/clip_fraction: train/fraction_clipped
policy/ratio_{abs_dev,min,max}: train/ratio_{mean,min,max}
optim/updates_per_iteration: train/num_sgd_steps
optim/adam_second_moment_max: train/adam_max_second_moment
async/staleness_{mean,min,max}: train/version_diff_{avg,min,max}
policy/action_{mean,std,std_min,std_max}: train/action_{mean,stddev_mean,stddev_min,stddev_max}
obs/{mean,std}: train/obs_running_{mean,std}
value/norm_{mean,std}: train/returns_running_{mean,std}
none (name={key}): zz_pbt/{name}_{key} [PBT]

tool pufferlib (kind=classic; version=3.0.0 (1.x names listed); names=puffer): PufferLib
[PPO]
throughput/env_steps_per_s: SPS; progress/agent_steps: agent_steps; time/elapsed_s: uptime
progress/step: epoch; optim/learning_rate: learning_rate; env/metric (name={key}): environment/{key}
outcome/{return,episode_length,score}_mean: environment/{episode_return,episode_length,score}
outcome/score_mean (name=perf): environment/perf  # convention of the bundled Ocean environments
policy/loss: losses/policy_loss
value/loss: losses/value_loss  # 0.5*mean(max)
policy/entropy: losses/entropy
policy/kl_old: losses/old_approx_kl  # estimator k1; can be negative
policy/approx_kl: losses/approx_kl  # estimator k3; mean((r-1)-log r)
policy/clip_fraction: losses/clipfrac  # mean(|r-1|>eps)
policy/ratio_mean: losses/importance  # mean(r)
value/explained_variance: losses/explained_variance  # values were overwritten by the new critic
  during the update
time/generation_s: performance/eval  # cumulative over sampled epochs
time/{policy_update,env_step}_s: performance/{train,env}  # cumulative over sampled epochs
time/inference_s: performance/eval_forward  # cumulative over sampled epochs
none: performance/learn  # cumulative over sampled epochs
throughput/env_steps_per_s: 0verview/SPS [PPO (1.x)]  # also 0verview/agent_steps, 0verview/epoch,
  0verview/learning_rate; the first character is a zero

tool pymarl (kind=classic; version=PyMARL of 2021, EPyMARL 2.0; names=epymarl | pymarl2 | pymarl3;
  marks=test_return_mean ep_length_mean | test_battle_won_mean | coma_loss): PyMARL and EPyMARL
# Read off the sources of oxwhirl/pymarl at c971afd (2021) and uoe-agents/epymarl at cbc38c0 (2024):
# the runners in `src/runners`, the learners in `src/learners`, and `src/run.py`. The battle's names
# come from the environment, oxwhirl/smac. Forks keep these names.
# The runners log each of these of training, and of tests with `test_` before it.
outcome/return_mean: return_mean  # mean of the episodes since it was logged last
outcome/return_std: return_std
outcome/return_mean: total_return_mean  # sum of the agents' returns; EPyMARL without a common
  reward
outcome/return_std: total_return_std
outcome/return_{mean,std} (agent={i}): agent_{i}_return_{mean,std}
outcome/success_rate: battle_won_mean  # battles won against the game's own AI, not in self-play
outcome/episode_length_mean: ep_length_mean
outcome/termination_rate (transform=1 - x): episode_limit_mean  # share of episodes that the time
  limit ended
eval/return_{mean,std}: test_return_{mean,std}; eval/return_{mean,std}: test_total_return_{mean,std}
eval/return_{mean,std} (agent={i}): test_agent_{i}_return_{mean,std}
eval/success_rate: test_battle_won_mean; eval/episode_length_mean: test_ep_length_mean
eval/outcome/termination_rate (transform=1 - x): test_episode_limit_mean
none: dead_allies_mean | test_dead_allies_mean | dead_enemies_mean | test_dead_enemies_mean
# Independent Q-learning, `iql` in their configs, is DQN for each agent.
explore/epsilon: epsilon; progress/episodes: episode
value/loss: loss [QMIX | VDN | DQN]  # mean squared TD error
optim/loss: loss [QTRAN]  # td_loss and the weighted opt and nopt losses
optim/grad_norm: grad_norm [QMIX | VDN | QTRAN | DQN]  # before clipping
value/td_error: td_error_abs
value/q_mean: q_taken_mean [QMIX | VDN | DQN]  # a mixer's joint value is divided by the number of
  agents
value/q_mean: q_taken_mean [COMA | MADDPG]
value/mean: q_taken_mean [MAPPO | IPPO | MAA2C | IA2C]  # EPyMARL: a state value, despite its name
value/q_target_mean: target_mean [QMIX | VDN | DQN]  # a mixer's joint value is divided by the
  number of agents
value/q_target_mean: target_mean [COMA | MADDPG]
returns/mean: target_mean [MAPPO | IPPO | MAA2C | IA2C]  # n-step returns
[QTRAN]
value/loss: td_loss; none: opt_loss | nopt_loss
value/q_mean: td_chosen_qs  # of the joint action
value/q_mean (of=single agents): agent_indiv_qs
none: td_targets  # the mean TD error, despite its name
value/mean: v_mean
[COMA | MADDPG | MAPPO | IPPO | MAA2C | IA2C]
value/loss: critic_loss  # mean squared TD error
value/grad_norm: critic_grad_norm  # before clipping
policy/grad_norm: agent_grad_norm  # before clipping
advantage/mean: advantage_mean [COMA | MAPPO | IPPO | MAA2C | IA2C]
none: pi_max [COMA | MAPPO | IPPO | MAA2C | IA2C]  # mean probability of the likeliest action
policy/loss_total: coma_loss [COMA]  # PyMARL's has no entropy term
policy/loss: pg_loss [MAPPO | IPPO | MAA2C | IA2C | MADDPG]  # with the entropy term
policy/entropy_coef: entropy_coef [PAC]
none: Mask_Sum_Zero []  # the batch had nothing to learn from
"""
