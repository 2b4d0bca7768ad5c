"""OpenAI Baselines, what grew out of it, and CleanRL."""

TOOLS = """
tool openai-baselines (kind=classic; version=commit ea25b9e; names=baselines): OpenAI Baselines
outcome/return_mean: eprewmean [ppo2 | a2c | acktr]  # last 100 episodes
outcome/episode_length_mean: eplenmean [ppo2 | a2c | acktr]; eval/return_mean: eval_eprewmean [ppo2]
eval/episode_length_mean: eval_eplenmean [ppo2]
throughput/env_steps_per_s: fps [ppo2 | a2c | acktr | acer]  # int
[ppo2]
none: misc/serial_timesteps; progress/update_rounds: misc/nupdates
progress/env_steps: misc/total_timesteps; time/elapsed_s: misc/time_elapsed
value/explained_variance: misc/explained_variance; policy/loss: loss/policy_loss
value/loss: loss/value_loss  # 0.5*mean(max)
policy/entropy: loss/policy_entropy
policy/approx_kl: loss/approxkl  # estimator k2; 0.5*mean((log pi_old - log pi)^2)
policy/clip_fraction: loss/clipfrac  # mean(|r-1|>eps)
optim/grad_norm: gradnorm [ppo2 with MPI]; optim/grad_clip_fraction: gradclipfrac [ppo2 with MPI]
[a2c | acktr]
progress/update_rounds: nupdates; progress/env_steps: total_timesteps
policy/{entropy,loss}: policy_{entropy,loss}; value/loss: value_loss
value/explained_variance: explained_variance
[trpo_mpi | ppo1 | gail]
outcome/return_mean: EpRewMean; outcome/episode_length_mean: EpLenMean
outcome/episode_count: EpThisIter; progress/episodes: EpisodesSoFar
progress/env_steps: TimestepsSoFar; time/elapsed_s: TimeElapsed
value/explained_variance: ev_tdlam_before; outcome/score_mean: EpTrueRewMean [gail]
[trpo_mpi | gail]
policy/loss (scale=-1; kind=with_entropy): optimgain
policy/approx_kl: meankl  # estimator exact KL(old||new)
policy/entropy_loss (scale=-1): entloss; policy/loss (scale=-1): surrgain
policy/entropy: entropy [trpo_mpi | gail | acer]
[ppo1]
policy/loss: loss_pol_surr; policy/entropy_loss: loss_pol_entpen; value/loss: loss_vf_loss
policy/approx_kl: loss_kl  # estimator exact KL(old||new)
policy/entropy: loss_ent
[deepq]
outcome/return_mean: mean 100 episode reward; explore/epsilon (scale=0.01): % time spent exploring
progress/episodes: episodes; progress/env_steps: steps
[ddpg]
outcome/return_mean: rollout/return; outcome/return_std: rollout/return_std
outcome/return_mean (window=recent): rollout/return_history
outcome/episode_length_mean: rollout/episode_steps
{value/q,policy/action}_mean: rollout/{Q,actions}_mean; none: rollout/actions_std
policy/loss: train/loss_actor; value/loss: train/loss_critic
explore/noise_std: train/param_noise_distance; throughput/env_steps_per_s: total/steps_per_second
progress/{env_steps,episodes,epoch}: total/{steps,episodes,epochs}; time/elapsed_s: total/duration
eval/return_mean: eval/return; none: eval/Q
[her]
outcome/success_rate: train/success_rate; eval/success_rate: test/success_rate
value/q_mean: test/mean_Q; progress/episodes: train/episode; obs/{mean,std}: stats_o/{mean,std}
progress/epoch: epoch
[acer]
outcome/{return,episode_length}_mean: mean_episode_{reward,length}; optim/loss: loss
{value,policy}/loss: loss_{q,policy}; optim/grad_norm: norm_grads; none: avg_norm_k_dot_g

tool stable-baselines (kind=classic; version=2.10.2; names=sb2 | stable-baselines2;
  marks=loss/policy_gradient_loss loss/value_function_loss | loss/approximate_kullback-leibler |
  input_info/discounted_rewards input_info/advantage | ep_reward_mean ep_len_mean serial_timesteps):
  Stable-Baselines 2
outcome/return_mean: episode_reward  # single episode
optim/loss: loss/loss [PPO2 | A2C | ACKTR]; value/{loss,td_error}: loss/{loss,td_error} [DQN]
[PPO2 | A2C | ACKTR]
policy/entropy: loss/entropy_loss  # the plain entropy
{policy,value}/loss: loss/{policy_gradient,value_function}_loss
policy/approx_kl (always): loss/approximate_kullback-leibler [PPO2]  # 0.5*mean((new-old)^2)
policy/clip_fraction: loss/clip_factor [PPO2]  # mean(|r-1|>eps)
policy/loss_total: loss/policy_loss [SAC | TD3 | DDPG]
value/loss (critic=1): loss/qf1_loss [SAC | TD3]; value/loss (critic=2): loss/qf2_loss [SAC | TD3]
[SAC]
value/loss (critic=v): loss/value_loss; policy/entropy: loss/entropy
policy/entropy_coef: loss/ent_coef; policy/entropy_coef_loss: loss/ent_coef_loss
optim/learning_rate: input_info/learning_rate []; policy/clip_range: input_info/clip_range [PPO2]
{advantage,returns}/mean: input_info/{advantage,discounted_rewards} [PPO2 | A2C | ACKTR]
none: input_info/old_neglog_action_probability [PPO2]
value/pred_mean: input_info/old_value_pred [PPO2]
[]
none: input_info/rewards
outcome/{return,episode_length}_mean: ep_{reward,len}_mean  # last 100 episodes
policy/approx_kl: approxkl [PPO2]; policy/clip_fraction: clipfrac [PPO2]
[PPO2 | A2C | ACKTR]
policy/{entropy,loss}: policy_{entropy,loss}; value/loss: value_loss
value/explained_variance: explained_variance; throughput/env_steps_per_s: fps
progress/update_rounds: n_updates; progress/env_steps: total_timesteps []
time/elapsed_s: time_elapsed []; none: serial_timesteps [PPO2]

tool stable-baselines3 (kind=classic; version=2.9.2 / sb3-contrib 2.9.2; names=sb3 | sb3-contrib):
  Stable-Baselines3 (with sb3-contrib)
EVERY = PPO | A2C | TRPO | MaskablePPO | RecurrentPPO | DQN | QRDQN | SAC | TD3 | DDPG | TQC |
  CrossQ | ARS
PPO_A2C_TRPO_5 = PPO | A2C | TRPO | MaskablePPO | RecurrentPPO
DQN_QRDQN_SAC = DQN | QRDQN | SAC | TD3 | DDPG | TQC | CrossQ
PPO_MASKABLEPPO_RECURRENTPPO = PPO | MaskablePPO | RecurrentPPO | A2C | TRPO
outcome/return_mean: rollout/ep_rew_mean [EVERY]  # last 100 episodes; needs a Monitor wrapper; with
  VecNormalize outside Monitor it is the raw return; missing until the first episode ends
outcome/episode_length_mean: rollout/ep_len_mean [EVERY]  # last 100 episodes
outcome/success_rate: rollout/success_rate [PPO | A2C | TRPO | MaskablePPO | RecurrentPPO | DQN |
  QRDQN | SAC | TD3 | DDPG | TQC | CrossQ]  # last 100 episodes; only present when the environment
  sets is_success
explore/epsilon (always): rollout/exploration_rate [DQN | QRDQN]
outcome/return_std: rollout/return_std [ARS]
throughput/env_steps_per_s: time/fps [EVERY]  # cumulative average over the whole learn() call
  including updates and evaluation, so a late slow-down shows only gradually; differentiate
  total_timesteps/time_elapsed for the instantaneous rate
progress/step: time/iterations [PPO_A2C_TRPO_5]; progress/episodes: time/episodes [DQN_QRDQN_SAC]
[EVERY]
time/elapsed_s: time/time_elapsed; progress/env_steps: time/total_timesteps
optim/learning_rate: train/learning_rate
progress/update_rounds: train/n_updates [PPO_MASKABLEPPO_RECURRENTPPO]
progress/optimizer_steps: train/n_updates [DQN_QRDQN_SAC]
policy/entropy (scale=-1): train/entropy_loss [PPO | MaskablePPO | RecurrentPPO | A2C]  # value
  rises towards 0 (discrete) or above 0 (continuous) when entropy collapses
policy/loss: train/policy_gradient_loss [PPO | MaskablePPO | RecurrentPPO]
policy/loss: train/policy_loss [A2C]
value/loss: train/value_loss [PPO_MASKABLEPPO_RECURRENTPPO]  # scales with the square of the reward
  scale
[PPO | MaskablePPO | RecurrentPPO]
policy/approx_kl: train/approx_kl  # estimator k3; list is reset every epoch; with target_kl the
  update stops when it exceeds 1.5*target_kl
policy/clip_fraction: train/clip_fraction  # mean(|r-1| > clip_range) over all minibatches and
  epochs; sign of the advantage is ignored
policy/clip_range (always): train/clip_range; value/clip_range: train/clip_range_vf
optim/loss: train/loss  # single sample, noisy; not an average
value/loss: train/loss [DQN | QRDQN]  # DQN: smooth_l1(Q(s,a), r + gamma*max Q_target); QRDQN:
  quantile_huber(sum_over_quantiles=True)
value/explained_variance: train/explained_variance [PPO_A2C_TRPO_5]  # values are those stored
  during the rollout and returns = advantages + values, so the estimate is optimistic
policy/action_std: train/std [PPO | A2C | TRPO | MaskablePPO | RecurrentPPO | SAC | TQC]  # with
  gSDE this is the scale of the noise weights, not of the actions
policy/loss_total: train/actor_loss [SAC | TQC | CrossQ]  # about -Q, so it falls without bound as
  returns grow; not a quality measure
policy/loss: train/actor_loss [TD3 | DDPG]  # absent in train() calls without a delayed policy
  update
value/loss: train/critic_loss [SAC | CrossQ | TD3 | DDPG | TQC]  # SAC: SAC: 0.5*sum_i mse(Q_i,
  target); TD3: sum_i mse(Q_i, target); TQC: quantile_huber(sum_over_quantiles=False)
policy/entropy_coef (always): train/ent_coef [SAC | TQC | CrossQ]
policy/entropy_coef_loss: train/ent_coef_loss [SAC | TQC | CrossQ]  # only with ent_coef='auto';
  uses log_alpha, several other frameworks use alpha
[TRPO]
policy/loss (scale=-1): train/policy_objective
policy/approx_kl: train/kl_divergence_loss  # estimator exact KL(new||old); mean KL(new||old); 0
  when the line search failed
policy/line_search_success: train/is_line_search_success
[ARS]
explore/noise_std: train/delta_std; policy/step_size: train/step_size
progress/update_rounds: train/iterations
[any with EvalCallback]
eval/return_mean: eval/mean_reward; eval/episode_length_mean: eval/mean_ep_length
eval/success_rate: eval/success_rate
[Monitor csv]
outcome/return_mean (window=episode): r  # single episode
outcome/episode_length_mean (window=episode): l  # single episode
time/elapsed_s: t

tool rl-baselines3-zoo (kind=classic; version=2.9.0a2; inherits=stable-baselines3; names=rl-zoo |
  rl-zoo3): RL Baselines3 Zoo
outcome/{return,episode_length}_mean: raw/rollouts/episodic_{return,length}  # single episode
eval/return_mean: eval/mean_reward; none: {sb3 name}

tool cleanrl (kind=classic; version=2.0.0b1 (commit fe8d8a0)): CleanRL
PPO_PPO_ATARI_PPO_CONTINUOUS = ppo | ppo_atari | ppo_continuous_action | ppo_atari_lstm |
  ppo_atari_envpool | ppo_atari_multigpu | ppo_procgen | ppo_pettingzoo_ma_atari | ppo_rnd_envpool |
  ppg_procgen | rpo_continuous_action | ppo_trxl | isaacgym
outcome/return_mean: charts/episodic_return  # single episode; several points can share one step;
  some off-policy scripts log only the first environment that finished in a step; IsaacGym script
  logs only in the first 3 rollout steps
outcome/episode_length_mean: charts/episodic_length  # single episode
outcome/{return,episode_length}_mean (player={i}): charts/episodic_{return,length}-player{i}
  [ppo_pettingzoo_ma_atari]  # single episode
outcome/return_mean (window=recent): charts/avg_episodic_return [ppo_atari_envpool_xla_jax |
  ppo_rnd_envpool | pqn_atari_envpool]  # last episode of each env, or last 20
outcome/episode_length_mean (window=recent): charts/avg_episodic_length [ppo_atari_envpool_xla_jax]
optim/learning_rate: charts/learning_rate [PPO_PPO_ATARI_PPO_CONTINUOUS]
throughput/env_steps_per_s: charts/SPS  # cumulative average; counts learning time
throughput/env_steps_per_s (window=update): charts/SPS_update [ppo_atari_envpool_xla_jax] #
  int(num_envs*num_steps/iteration time)
explore/epsilon: charts/epsilon [dqn | dqn_atari | dqn_jax | c51 | c51_atari | c51_jax | pqn |
  qdagger]  # dqn and c51 up to 1.0
replay/priority_beta (always): charts/beta [rainbow_atari]
policy/entropy_coef: charts/entropy_coefficient [ppo_trxl]
reward/intrinsic_mean: charts/episode_curiosity_reward [ppo_rnd_envpool]
outcome/success_rate: charts/consecutive_successes [isaacgym]
[qdagger]
none (always): charts/distill_coeff; none: charts/teacher/avg_episodic_return
optim/loss (phase=offline): charts/offline/loss  # q_loss + distill_loss
value/loss (phase=offline): charts/offline/q_loss  # mse
distill/loss (phase=offline): charts/offline/distill_loss
eval/return_mean (phase=offline): charts/offline/avg_episodic_return
[PPO_PPO_ATARI_PPO_CONTINUOUS]
value/loss: losses/value_loss  # factor 0.5 included, vf_coef not; ppo_trxl omits the 0.5
policy/loss: losses/policy_loss
policy/entropy: losses/entropy  # variable is called entropy_loss in the code but is the plain
  entropy
policy/kl_old: losses/old_approx_kl  # estimator k1; can be negative
policy/approx_kl: losses/approx_kl [ppo | ppo_atari | ppo_continuous_action | ppo_atari_lstm |
  ppo_atari_envpool | ppo_atari_multigpu | ppo_procgen | ppo_pettingzoo_ma_atari | ppo_rnd_envpool |
  ppg_procgen | rpo_continuous_action | ppo_trxl | isaacgym | ppo_atari_envpool_xla_jax] # estimator
  k3; preferred over old_approx_kl; target_kl stops after the epoch when approx_kl > target_kl (no
  factor 1.5)
policy/clip_fraction: losses/clipfrac [ppo | ppo_atari | ppo_continuous_action | ppo_atari_lstm |
  ppo_atari_envpool | ppo_atari_multigpu | ppo_procgen | ppo_pettingzoo_ma_atari | ppg_procgen |
  rpo_continuous_action | ppo_trxl | isaacgym]  # mean(|r-1|>eps)
value/explained_variance: losses/explained_variance [ppo | ppo_atari | ppo_continuous_action |
  ppo_atari_lstm | ppo_atari_envpool | ppo_atari_multigpu | ppo_procgen | ppo_pettingzoo_ma_atari |
  ppg_procgen | rpo_continuous_action | ppo_trxl]  # 1-Var(R-V)/Var(R), NaN if Var(R)=0
optim/loss: losses/loss [ppo_atari_envpool_xla_jax | ppo_trxl | qdagger] #
  ppo_atari_envpool_xla_jax: pg - ent_coef*H + vf_coef*v; qdagger: q_loss + coeff*distill
value/loss: losses/loss [c51 | c51_atari | c51_jax]  # -sum target*log pred
value/loss: losses/td_loss [dqn | dqn_atari | dqn_jax | pqn | qdagger | rainbow_atari]  # dqn:
  logged every 100 steps, one batch; rainbow_atari: mean(w*CE)
value/q_mean: losses/q_values [dqn | dqn_atari | dqn_jax | c51 | c51_atari | c51_jax | rainbow_atari
  | pqn | qdagger]
value/q_mean (critic=1): losses/qf1_values [sac | td3 | ddpg]
value/q_mean (always; critic=2): losses/qf2_values [sac | td3]
value/loss (critic=1): losses/qf1_loss [sac | td3 | ddpg]  # mse
value/loss (critic=2): losses/qf2_loss [sac | td3]  # mse
value/loss: losses/qf_loss [sac | td3]  # the optimised loss is the sum, the logged one is half of
  it
policy/loss_total: losses/actor_loss [sac]; policy/loss: losses/actor_loss [td3 | ddpg]
policy/entropy_coef (always): losses/alpha [sac]
policy/entropy_coef_loss: losses/alpha_loss [sac]  # uses alpha, SB3 uses log_alpha
aux/loss (kind=rnd): losses/fwd_loss [ppo_rnd_envpool]; distill/loss: losses/distill_loss [qdagger]
aux/loss (kind=reconstruction): losses/reconstruction_loss [ppo_trxl]
[ppg_procgen]
aux/loss (kind=ppg_kl): losses/aux/kl_loss; aux/loss (kind=ppg_aux_value): losses/aux/aux_value_loss
value/loss (phase=aux): losses/aux/real_value_loss  # 0.5*mse
[ppo_trxl]
env/metric (name={key}): episode/{key}_mean; {value,advantage}/mean: episode/{value,advantage}_mean
eval/return_mean: eval/episodic_return [scripts with save_model]  # single episode; step is the
  episode index 0..9, not global_step
"""
