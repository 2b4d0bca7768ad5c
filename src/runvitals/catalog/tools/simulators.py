"""Trainers for robots and games in parallel simulators."""

TOOLS = """
tool brax (kind=classic; version=0.14.2; names=mujoco-playground): Brax and MuJoCo Playground
eval/return_mean: eval/episode_reward; eval/return_std: eval/episode_reward_std
env/metric: eval/episode_{name}  # also with suffix _std
eval/episode_length_{mean,std}: eval/{avg,std}_episode_length; time/eval_s: eval/epoch_eval_time
throughput/eval_env_steps_per_s: eval/sps; none: eval/walltime
throughput/env_steps_per_s: training/sps  # steps/time
time/elapsed_s: training/walltime
[PPO]
optim/loss: training/total_loss  # mean over the epoch
policy/loss: training/policy_loss
value/loss: training/v_loss  # 0.5*c_v*mean
policy/entropy_loss: training/entropy_loss
policy/approx_kl: training/kl_mean  # estimator exact KL(new||old)
policy/action_{std,std_min,std_max,mean}: training/policy_dist_{mean_std,min_std,max_std,mean_loc}
none: training/policy_dist_min_loc | training/policy_dist_max_loc
optim/learning_rate: training/learning_rate
[SAC]
value/loss: training/critic_loss; policy/loss_total: training/actor_loss
policy/entropy_coef_loss: training/alpha_loss; policy/entropy_coef: training/alpha
replay/size: training/buffer_current_size
[PPO, log_training_metrics]
env/metric: episode/{name}  # last 100 episodes
outcome/return_mean: episode/sum_reward  # last 100 episodes
outcome/episode_length_mean: episode/length
throughput/env_steps_per_s (window=episode): episode/sps  # delta/delta t

tool rsl-rl (kind=classic; version=5.4.2 (equal in 5.5.1; names=rsl): RSL-RL
[PPO]
outcome/return_mean: Train/mean_reward  # last 100 episodes; includes intrinsic reward when RND is
  on
outcome/episode_length_mean: Train/mean_episode_length  # last 100 episodes
outcome/return_mean (axis=time): Train/mean_reward/time  # duplicate with another x axis; ignore
outcome/episode_length_mean (axis=time): Train/mean_episode_length/time  # duplicate
value/loss: Loss/value  # since 2.3; earlier name Loss/value_function
policy/loss: Loss/surrogate
policy/entropy: Loss/entropy  # filed under Loss/ although it is the plain entropy; since 2.3
optim/learning_rate: Loss/learning_rate; aux/loss (kind=rnd): Loss/rnd
aux/loss (kind=symmetry): Loss/symmetry; lm/loss: Loss/behavior [Distillation]
policy/action_std: Policy/mean_std  # 5.x; 1.x-4.x use Policy/mean_noise_std
policy/action_std: Policy/mean_noise_std [PPO (1.x-4.x)]
throughput/env_steps_per_s: Perf/total_fps  # int(steps*envs/(collect+learn))
time/generation_s: Perf/collection_time  # 1.x-3.x name: 'Perf/collection time' with a space
time/generation_s: Perf/collection time [PPO (1.x-3.x)]; time/policy_update_s: Perf/learning_time
value/loss: Loss/value_function [PPO (1.x-2.2)]  # as Loss/value
[PPO+RND]
reward/{extrinsic,intrinsic}_mean: Rnd/mean_{extrinsic,intrinsic}_reward
reward/intrinsic_coef: Rnd/weight
[PPO]
reward/component_mean (component={name}): Episode/rew_{name}  # sum over an episode / its longest
  duration in s
reward/component_mean (component={name}): Episode_Reward/{name}  # of Isaac Lab
env/metric (name={key}): Episode/{key}; env/metric (name={group}/{key}): {group}/{key}

tool rl-games (kind=classic; version=2.0.0 (commit 262cf20): rl_games
PPO_A2C_CONTINUOUS_A2C_DISCR = PPO (a2c_continuous, a2c_discrete) | SAC
[PPO_A2C_CONTINUOUS_A2C_DISCR]
throughput/env_steps_per_s: performance/step_inference_rl_update_fps  # with several agents time is
  multiplied by num_agents for the first two
throughput/rollout_steps_per_s: performance/step_inference_fps  # with several agents time is
  multiplied by num_agents for the first two
throughput/sim_steps_per_s: performance/step_fps  # with several agents time is multiplied by
  num_agents for the first two
time/policy_update_s: performance/rl_update_time  # with several agents time is multiplied by
  num_agents for the first two
time/generation_s: performance/step_inference_time  # with several agents time is multiplied by
  num_agents for the first two
time/env_step_s: performance/step_time  # with several agents time is multiplied by num_agents for
  the first two
[]
throughput/env_steps_per_s: performance/total_fps  # old releases
time/{policy_update,generation}_s: performance/{update,play}_time  # old releases
policy/loss: losses/a_loss [PPO_A2C_CONTINUOUS_A2C_DISCR]
value/loss: losses/c_loss [PPO (a2c_continuous, a2c_discrete)]  # values are normalised when
  normalize_value is on, so the number is in normalised units
policy/entropy: losses/entropy [PPO_A2C_CONTINUOUS_A2C_DISCR]  # mean(H)
aux/loss (kind=bounds): losses/bounds_loss [PPO continuous]
aux/loss (kind={aux}): losses/{aux} [PPO (a2c_continuous, a2c_discrete)]
value/loss (critic=central): losses/cval_loss [central value]
value/learning_rate: info/cval_lr [central value]
[PPO (a2c_continuous, a2c_discrete)]
optim/learning_rate: info/last_lr; none: info/lr_mul; policy/clip_range: info/e_clip
policy/approx_kl: info/kl [PPO continuous | PPO discrete]  # PPO continuous: estimator exact
  KL(new||old); direction is KL(new||old); PPO discrete: estimator k2; mean(0.5*(log r)^2)
progress/step: info/epochs [PPO_A2C_CONTINUOUS_A2C_DISCR]
outcome/return_mean: rewards/step [PPO_A2C_CONTINUOUS_A2C_DISCR]  # about 100 episodes, weighted
  running mean; x axis: step
outcome/return_shaped_mean: shaped_rewards/step  # x axis: step
outcome/episode_length_mean: episode_lengths/step [PPO_A2C_CONTINUOUS_A2C_DISCR]  # x axis: step
outcome/return_mean (axis=iter): rewards/iter [PPO_A2C_CONTINUOUS_A2C_DISCR]  # about 100 episodes,
  weighted running mean; x axis: iter
outcome/return_shaped_mean (axis=iter): shaped_rewards/iter  # x axis: iter
outcome/episode_length_mean (axis=iter): episode_lengths/iter [PPO_A2C_CONTINUOUS_A2C_DISCR]  # x
  axis: iter
outcome/return_mean (axis=time): rewards/time [PPO_A2C_CONTINUOUS_A2C_DISCR]  # about 100 episodes,
  weighted running mean; x axis: time
outcome/return_shaped_mean (axis=time): shaped_rewards/time  # x axis: time
outcome/episode_length_mean (axis=time): episode_lengths/time [PPO_A2C_CONTINUOUS_A2C_DISCR]  # x
  axis: time
outcome/return_mean (head={i}; axis={axis}): rewards{i}/{axis}
outcome/score_mean: scores/mean  # also scores/iter and scores/time; battle_won makes it a win rate
[]
outcome/score_mean: consecutive_successes/frame  # of tasks that count them; also
  consecutive_successes/iter and /time
outcome/return_mean: rewards/frame  # old releases
outcome/{return_shaped,episode_length}_mean: {shaped_rewards,episode_lengths}/frame  # old releases
outcome/return_mean (head=0): rewards0/frame  # old releases
[Isaac observer]
reward/component_mean (component={name}): Episode/rew_{name} | Episode/Episode_Reward/{name}
env/metric (name={key}): Episode/{key}  # x axis is the epoch, not frames
env/metric (name={key}): {key}/frame
[use_diagnostics]
value/explained_variance: diagnostics/exp_var  # with masks the code divides by the variance of the
  PREDICTION instead of the return
policy/clip_fraction (epoch={mini_epoch}): diagnostics/clip_frac/{mini_epoch}  # with masks the
  masked values are not summed, so the number is far too small
value/norm_mean: diagnostics/rms_value/mean
value/norm_std (transform=sqrt(x)): diagnostics/rms_value/var
advantage/mean: diagnostics/rms_advantage/mean
advantage/norm_scale (transform=sqrt(x)): diagnostics/rms_advantage/var
[SAC]
value/loss (critic=1): losses/c1_loss  # mse
value/loss (critic=2): losses/c2_loss  # mse
policy/entropy_coef_loss: losses/alpha_loss; policy/entropy_coef: info/alpha
none: selfplay/iters_update_weigths [self-play]
[PBT]
none: pbt/{param}; outcome/return_best: pbt/00_best_objective

tool skrl (kind=classic; version=2.0.0 (tag names equal in 2.1.1)): skrl
outcome/return_mean: Reward / Total reward (mean)  # episodes since last write, at most 100
outcome/return_min: Reward / Total reward (min)  # episodes since last write, at most 100
outcome/return_max: Reward / Total reward (max)  # episodes since last write, at most 100
reward/mean: Reward / Instantaneous reward (mean); reward/min: Reward / Instantaneous reward (min)
reward/max: Reward / Instantaneous reward (max)
outcome/episode_length_mean: Episode / Total timesteps (mean)
outcome/episode_length_min: Episode / Total timesteps (min)
outcome/episode_length_max: Episode / Total timesteps (max)
policy/loss: Loss / Policy loss [PPO | RPO | A2C | TRPO | AMP | SAC | TD3 | DDPG | CEM]  # divided
  by the planned number of minibatches even if the KL threshold stopped early; TRPO: objective
  before the step; SAC/TD3: one batch
value/loss: Loss / Value loss [PPO | RPO | A2C | TRPO | AMP]  # on normalised values when a value
  preprocessor is used
policy/entropy_loss: Loss / Entropy loss [PPO | RPO | A2C | AMP]  # absent when entropy_loss_scale
  is 0; entropy itself = -value/scale
policy/entropy_coef_loss: Loss / Entropy loss [SAC]  # same tag as the PPO entropy loss but another
  quantity
value/loss: Loss / Critic loss [SAC | TD3 | DDPG]  # (mse1+mse2)/2 for SAC; sum for TD3; mse for
  DDPG
value/loss: Loss / Q-network loss [DQN | DDQN]  # mse
aux/loss (kind=discriminator): Loss / Discriminator loss [AMP]
policy/action_std: Policy / Standard deviation [PPO | RPO | A2C | TRPO | AMP]
policy/action_std: Policy / Standard deviation ({agent}) [MAPPO | IPPO]
optim/learning_rate: Learning / Learning rate [PPO | RPO | A2C | AMP | DQN | CEM]
policy/learning_rate: Learning / Policy learning rate [SAC | TD3 | DDPG]
value/learning_rate: Learning / Critic learning rate [SAC | TD3 | DDPG]
value/learning_rate: Learning / Value learning rate [TRPO]
[SAC | TD3 | DDPG]
value/q_mean (critic=1): Q-network / Q1 (mean); value/q_min (critic=1): Q-network / Q1 (min)
value/q_max (critic=1): Q-network / Q1 (max)
[SAC | TD3]
value/q_mean (critic=2): Q-network / Q2 (mean); value/q_min (critic=2): Q-network / Q2 (min)
value/q_max (critic=2): Q-network / Q2 (max)
[DQN | DDQN | SAC | TD3 | DDPG]
value/q_target_mean: Target / Target (mean); value/q_target_min: Target / Target (min)
value/q_target_max: Target / Target (max)
[TD3 | DDPG]
explore/noise_std: Exploration / Exploration noise (mean)  # signed noise values, the mean is near
  0; min and max show the scale
none: Exploration / Exploration noise (min) | Exploration / Exploration noise (max)  # signed noise
  values, the mean is near 0; min and max show the scale
explore/epsilon: Exploration / Exploration epsilon [DQN | DDQN]
policy/entropy_coef: Coefficient / Entropy coefficient [SAC]
none: Coefficient / Return threshold [CEM]
outcome/return_discounted_mean: Coefficient / Mean discounted returns [CEM]
[]
time/policy_update_s (scale=0.001): Stats / Algorithm update time (ms)
time/inference_s (scale=0.001): Stats / Inference time (ms)
time/env_step_s (scale=0.001): Stats / Env stepping time (ms); env/metric (name={key}): Info / {key}
policy/loss: Loss / Policy loss ({agent})

tool ml-agents (kind=classic; version=1.1.0.dev0 (commit fb2af76); names=mlagents | unity): Unity
  ML-Agents
none: Is Training  # 1 while it learns
outcome/return_mean: Environment/Cumulative Reward  # summary_freq steps
outcome/return_mean (agent=group): Environment/Group Cumulative Reward [POCA]
outcome/episode_length_mean: Environment/Episode Length
curriculum/stage: Environment/Lesson Number/{parameter}
policy/loss: Losses/Policy Loss [PPO | POCA]  # abs() kept for compatibility; sign is lost, so it
  never goes below 0
policy/loss_total: Losses/Policy Loss [SAC]
value/loss: Losses/Value Loss [PPO | POCA | SAC]  # mean(max)
value/loss (always; critic=baseline): Losses/Baseline Loss [POCA]
value/loss (critic=1): Losses/Q1 Loss [SAC]  # mse
value/loss (critic=2): Losses/Q2 Loss [SAC]  # mse
policy/entropy: Policy/Entropy; optim/learning_rate: Policy/Learning Rate
[PPO | POCA]
policy/clip_range: Policy/Epsilon; policy/entropy_coef: Policy/Beta
value/mean: Policy/{signal} Value Estimate
value/mean (critic=baseline): Policy/{signal} Baseline Estimate [POCA]
value/mean: Policy/{signal} Value [SAC]
reward/component_mean (component={signal}): Policy/{signal} Reward []
policy/entropy_coef (action=discrete): Policy/Discrete Entropy Coeff [SAC]
policy/entropy_coef (action=continuous): Policy/Continuous Entropy Coeff [SAC]
outcome/elo: Self-play/ELO [self-play]
[with that module]
aux/loss (kind=bc): Losses/Pretraining Loss
aux/loss (kind=curiosity_forward): Losses/Curiosity Forward Loss
aux/loss (kind=curiosity_inverse): Losses/Curiosity Inverse Loss
aux/loss (kind=discriminator): Losses/GAIL Loss; aux/loss (kind=gail_kl): Losses/GAIL KL Loss
aux/loss (kind=rnd): Losses/RND Loss
[GAIL]
none: Policy/GAIL Policy Estimate | Policy/GAIL Expert Estimate | Policy/GAIL Beta
none: Is Training []
"""
