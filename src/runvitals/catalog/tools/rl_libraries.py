"""Libraries of deep reinforcement learning."""

TOOLS = """
tool tianshou (kind=classic; version=2.0.1 (v1.x, 0.5.1 and 0.3 names listed); marks=train/n/ep
  train/n/st | test/returns_stat/mean | training/returns_stat/mean): Tianshou
DQN_KIND = DQN | C51 | Rainbow | QRDQN | IQN | FQF
outcome/return_mean: training/returns_stat/mean  # one collect call
outcome/return_{std,min,max}: training/returns_stat/{std,min,max}
outcome/episode_length_{mean,std,min,max}: training/lens_stat/{mean,std,min,max}
outcome/episode_count: training/n_collected_episodes
progress/env_steps_per_iteration: training/n_collected_steps
throughput/rollout_steps_per_s: training/collect_speed; time/generation_s: training/collect_time
policy/action_std: training/pred_dist_std_array_stat/{dim}/mean [Gaussian policies]
progress/env_steps: training/env_step
eval/return_{mean,std,min,max}: test/returns_stat/{mean,std,min,max}
eval/episode_length_mean: test/lens_stat/mean; eval/episode_count: test/n_collected_episodes
[PPO | A2C | GAIL]
optim/loss: update/loss/mean  # also /std, /min, /max
policy/loss: update/actor_loss/mean  # also /std, /min, /max
value/loss: update/vf_loss/mean  # also /std, /min, /max
policy/entropy: update/ent_loss/mean  # also /std, /min, /max
optim/updates_per_iteration: update/gradient_steps
policy/loss_total: update/actor_loss [SAC | TD3 | DDPG | REDQ | DiscreteSAC]
value/loss (critic=1): update/critic1_loss [SAC | TD3 | DiscreteSAC]  # mean(w*td^2)
value/loss (critic=2): update/critic2_loss [SAC | TD3 | DiscreteSAC]  # mean(w*td^2)
value/loss: update/critic_loss [DDPG | REDQ]
policy/entropy_coef_loss: update/alpha_loss [SAC | REDQ | DiscreteSAC]
policy/approx_kl: update/kl/mean [NPG | TRPO]  # estimator exact KL(old||new); mean KL(old||new)
policy/step_size: update/step_size/mean [TRPO]
[FQF]
value/loss: update/quantile_loss; aux/loss (kind=fraction): update/fraction_loss
policy/entropy_loss: update/entropy_loss
[]
time/policy_update_s: update/train_time
none: update/smoothed_loss/{name}  # derived series; do not treat as an independent metric
progress/update_rounds: update/update_step; eval/return_best: info/best_reward
eval/return_std (window=best): info/best_reward_std; eval/score_mean: info/best_score
progress/{update_rounds,env_steps}: info/{update,train}_step; progress/episodes: info/train_episode
time/elapsed_s: info/timing/total_time
time/generation_s (window=run): info/timing/train_time_collect  # cumulative, not per step
time/policy_update_s (window=run): info/timing/train_time_update  # cumulative, not per step
throughput/env_steps_per_s: info/timing/update_speed  # steps/(total-test time)
outcome/{return,episode_length}_mean (versions=0.4.2 to 0.5): train/{reward,length}
outcome/episode_count (versions=0.4.2 to 0.5): train/episode
progress/env_steps (versions=0.4.2 to 0.5): train/env_step | test/env_step
eval/return_mean (versions=0.4.2 to 0.5): test/reward
eval/return_std (versions=0.4.2 to 0.5): test/reward_std
eval/episode_length_mean (versions=0.4.2 to 0.5): test/length
eval/episode_length_std (versions=0.4.2 to 0.5): test/length_std
progress/optimizer_steps (versions=0.4.2 to 0.5): update/gradient_step
outcome/episode_count (versions=0.4.2 to 0.5): train/n/ep
progress/env_steps_per_iteration (versions=0.4.2 to 0.5): train/n/st
throughput/{rollout_steps,episodes}_per_s (versions=0.4.2 to 0.5): train/v/{st,ep}
outcome/return_mean (versions=0.4.2 to 0.5): train/rew
outcome/return_std (versions=0.4.2 to 0.5): train/rew_std
outcome/episode_length_mean (versions=0.4.2 to 0.5): train/len
eval/episode_count (versions=0.4.2 to 0.5): test/n/ep
eval/return_mean (versions=0.4.2 to 0.5): test/rew
eval/return_std (versions=0.4.2 to 0.5): test/rew_std
eval/episode_length_mean (versions=0.4.2 to 0.5): test/len
eval/episode_length_std (versions=0.4.2 to 0.5): test/len_std
# The losses are below `update/`; with several agents, below each of them.
policy/loss: update/loss/clip [PPO]  # 0.4.2 to 0.5
value/loss (always): update/loss/vf [PPO | A2C | GAIL]  # 0.4.2 to 0.5
policy/entropy: update/loss/ent [PPO | A2C | GAIL]  # 0.4.2 to 0.5
policy/loss: update/loss/actor [A2C | SAC | TD3 | DDPG | REDQ]  # 0.4.2 to 0.5
value/loss (critic=1): update/loss/critic1 [SAC | TD3 | DiscreteSAC]  # 0.4.2 to 0.5
value/loss (critic=2): update/loss/critic2 [SAC | TD3 | DiscreteSAC]  # 0.4.2 to 0.5
value/loss: update/loss/critic [DDPG | REDQ]  # 0.4.2 to 0.5
policy/entropy_coef_loss: update/loss/alpha [SAC | REDQ | DiscreteSAC]  # 0.4.2 to 0.5
policy/entropy_coef: update/alpha [SAC | REDQ | DiscreteSAC]  # 0.4.2 to 0.5
optim/loss: update/loss [PPO | A2C | GAIL]  # 0.4.2 to 0.5
value/loss: update/loss [DQN_KIND]  # 0.4.2 to 0.5
policy/loss: update/{agent}/loss/clip [PPO]  # 0.4.2 to 0.5
value/loss: update/{agent}/loss/vf [PPO | A2C | GAIL]  # 0.4.2 to 0.5
policy/entropy: update/{agent}/loss/ent [PPO | A2C | GAIL]  # 0.4.2 to 0.5
policy/loss: update/{agent}/loss/actor [A2C | SAC | TD3 | DDPG | REDQ]  # 0.4.2 to 0.5
value/loss (critic=1; agent={agent}): update/{agent}/loss/critic1 [SAC | TD3 | DiscreteSAC]  # 0.4.2
  to 0.5
value/loss (critic=2; agent={agent}): update/{agent}/loss/critic2 [SAC | TD3 | DiscreteSAC]  # 0.4.2
  to 0.5
value/loss: update/{agent}/loss/critic [DDPG | REDQ]  # 0.4.2 to 0.5
policy/entropy_coef_loss: update/{agent}/loss/alpha [SAC | REDQ | DiscreteSAC]  # 0.4.2 to 0.5
policy/entropy_coef: update/{agent}/alpha [SAC | REDQ | DiscreteSAC]  # 0.4.2 to 0.5
optim/loss: update/{agent}/loss [PPO | A2C | GAIL]  # 0.4.2 to 0.5
value/loss: update/{agent}/loss [DQN_KIND]  # 0.4.2 to 0.5
policy/loss (versions=0.2 to 0.4.1): loss/clip [PPO]
value/loss (versions=0.2 to 0.4.1): loss/vf [PPO | A2C | GAIL]
policy/entropy (versions=0.2 to 0.4.1): loss/ent [PPO | A2C | GAIL]
policy/loss (versions=0.2 to 0.4.1): loss/actor [A2C | SAC | TD3 | DDPG | REDQ]
value/loss (versions=0.2 to 0.4.1; critic=1): loss/critic1 [SAC | TD3 | DiscreteSAC]
value/loss (versions=0.2 to 0.4.1; critic=2): loss/critic2 [SAC | TD3 | DiscreteSAC]
value/loss (versions=0.2 to 0.4.1): loss/critic [DDPG | REDQ]
policy/entropy_coef_loss (versions=0.2 to 0.4.1): loss/alpha [SAC | REDQ | DiscreteSAC]
policy/entropy_coef (versions=0.2 to 0.4.1): alpha [SAC | REDQ | DiscreteSAC]
optim/loss (versions=0.2 to 0.4.1): loss [PPO | A2C | GAIL]
value/loss (versions=0.2 to 0.4.1): loss [DQN_KIND]

tool torchrl (kind=classic; version=0.14.0): TorchRL
outcome/return_mean: train/reward [sota scripts]  # one batch; absent when no episode ended; SAC
  script logs without mean when one value
outcome/return_mean: train/episode_reward [dqn scripts]
outcome/episode_length_mean: train/episode_length [sota scripts]
eval/return_mean: eval/reward [sota scripts]; policy/loss: train/loss_objective [PPO]
value/loss: train/loss_critic [PPO | A2C]  # coeff*smooth_l1
policy/entropy_loss: train/loss_entropy [PPO | A2C]
optim/learning_rate: train/lr [PPO | A2C | IMPALA]; policy/clip_range: train/clip_epsilon [PPO]
[PPO loss module]
policy/approx_kl: kl_approx  # estimator k1; output key of the loss module; logged as train/<key> by
  ppo-async and by Trainer
policy/clip_fraction: clip_fraction  # output key of the loss module; logged as train/<key> by
  ppo-async and by Trainer
mismatch/effective_sample_size: ESS  # output key of the loss module; logged as train/<key> by
  ppo-async and by Trainer
policy/entropy: entropy  # output key of the loss module; logged as train/<key> by ppo-async and by
  Trainer
value/explained_variance: explained_variance  # output key of the loss module; logged as train/<key>
  by ppo-async and by Trainer
policy/ratio_{max,mean}: {max,mean}_ratio  # output key of the loss module; logged as train/<key> by
  ppo-async and by Trainer
value/clip_fraction: value_clip_fraction  # output key of the loss module; logged as train/<key> by
  ppo-async and by Trainer
none: composite_entropy  # output key of the loss module; logged as train/<key> by ppo-async and by
  Trainer
value/loss: train/q_loss [SAC | TD3 | DDPG | DQN | IQL]
policy/loss_total: train/actor_loss [SAC | IQL]
policy/loss: train/a_loss [TD3 | DDPG | DiscreteSAC]
policy/entropy_coef_loss: train/alpha_loss [SAC | CrossQ]; policy/entropy_coef: train/alpha [SAC]
policy/entropy: train/entropy [SAC | CQL | IQL]  # -mean(log pi)
value/q_mean: train/q_values [DQN]; explore/epsilon: train/epsilon [DQN]
reward/intrinsic_mean: train/intrinsic_reward [RND]
throughput/env_steps_per_s: time/speed [sota scripts]  # tqdm rate
time/stage_s (stage={block}): time/{block} [sota scripts]
[Trainer]
reward/mean: r_training  # LogScalar reduction
reward/std: r_training_std  # LogScalar reduction
reward/max: r_max
reward/mean: r_total  # LogScalar reduction
outcome/termination_rate: done_percentage; policy/action_norm: action_norm; obs/norm: obs_norm
optim/grad_norm: grad_norm; progress/optimizer_steps: optim_steps
replay/ratio: utd_ratio [Trainer off-policy]; none: loss_{name}
[multiagent scripts]
outcome/return_{mean,min,max}: train/reward/episode_reward_{mean,min,max}
reward/mean: train/reward/reward_mean; progress/env_steps: train/total_frames
progress/step: train/training_iteration; time/generation_s: train/sampling_time
time/policy_update_s: train/training_time
eval/{return,episode_length}_mean: eval/episode_{reward,len}_mean

tool acme (kind=classic; version=0.4.1 (commit 770bc75); names=dm-acme): DeepMind Acme
outcome/return_mean: episode_return  # single episode; evaluator rows map to eval/*
outcome/episode_length_mean: episode_length  # single episode; evaluator rows map to eval/*
throughput/env_steps_per_s: steps_per_second  # single episode
time/{env_reset,inference,env_step}_s: {env_reset,select_action,env_step}_duration_sec  # single
  episode
time/episode_s: episode_duration  # single episode
progress/{env_steps,episodes}: actor_{steps,episodes}; progress/optimizer_steps: learner_steps
time/elapsed_s: learner_walltime; progress/env_steps: steps; progress/episodes: episodes
time/elapsed_s: walltime
[PPO]
optim/loss: loss_total  # mean over minibatches
policy/loss_total: loss_policy_total; policy/loss: loss_policy_pg
policy/entropy (scale=-1): loss_policy_entropy  # -mean(H)
value/loss: loss_critic; aux/loss (kind=extra): loss_extra
optim/{grad,update}_norm: norm_{grad,updates}; advantage/norm_scale: advantage_scale
value/norm_{mean,std}: value_{mean,std}
async/staleness_{mean,max} (scale=-1): delta_params_sgd_steps_{mean,min}
async/staleness_min (scale=-1): delta_params_sgd_steps_max; none: delta_params_sgd_steps_std
value/loss: critic_loss [SAC | IMPALA | TD3 | D4PG]
[SAC]
policy/loss_total: actor_loss; policy/entropy_coef_loss: alpha_loss; policy/entropy_coef: alpha
reward/{mean,std}: rewards_{mean,std}; policy/loss: policy_loss [IMPALA | TD3 | D4PG]
[IMPALA]
policy/entropy_loss: entropy_loss; policy/entropy (scale=-1): entropy; optim/loss: loss
optim/param_norm: param_norm; optim/update_norm: param_updates_norm
value/loss (critic=2): twin_critic_loss [TD3 | D4PG]; value/loss: mean_loss [C51]
value/loss: total_loss [DQN]; optim/loss (kind={name}): loss/{name} [MPO | WPO]
optim/grad_norm: gradient_norm [BC]

tool dopamine (kind=classic; version=4.1.2): Dopamine
outcome/return_mean: Train/AverageReturns  # one iteration (250k Atari steps); 0.0 is also written
  when nothing finished; check Train/NumEpisodes
outcome/episode_count: Train/NumEpisodes
throughput/env_steps_per_s: Train/AverageStepsPerSecond  # steps/time
eval/return_mean: Eval/AverageReturns; eval/episode_count: Eval/NumEpisodes
value/loss: HuberLoss [DQN]  # tag says Huber even when loss_type is mse
value/loss: Loss [DQN | Rainbow | Quantile | IQN | FullRainbow]
value/loss: CrossEntropyLoss [Rainbow | FullRainbow]; value/loss: QuantileLoss [Quantile | IQN]
value/loss: Losses/Critic [SAC | PPO]  # SAC: mse1+mse2; PPO: 0.5*mean
[SAC]
policy/loss_total: Losses/Actor; policy/entropy_coef_loss: Losses/Alpha
value/q_mean (critic=1): Values/CriticValues1; value/q_target_mean (critic=1): Values/TargetValues1
value/q_mean (critic=2): Values/CriticValues2; value/q_target_mean (critic=2): Values/TargetValues2
policy/entropy_coef: Values/Alpha; policy/action_mean (dim={i}): Values/MeanActions{i}
[PPO]
optim/loss: Losses/Combined  # actor + c_v*critic - c_e*entropy
policy/loss: Losses/Actor
policy/entropy: Losses/Entropy  # mean(H)
policy/action_mean (dim={i}): Values/SampledAction{i}

tool garage (kind=classic; version=2020.09.0rc2-dev (commit 2d59480); names=rllab): garage
eval/return_{mean,std,max}: Evaluation/{AverageReturn,StdReturn,MaxReturn}  # for on-policy
  algorithms these are the TRAINING episodes of the batch although the prefix says Evaluation
eval/return_min: Evaluation/MinReturn  # for on-policy algorithms these are the TRAINING episodes of
  the batch although the prefix says Evaluation
eval/outcome/return_discounted_mean: Evaluation/AverageDiscountedReturn  # for on-policy algorithms
  these are the TRAINING episodes of the batch although the prefix says Evaluation
eval/{outcome/termination,success}_rate: Evaluation/{TerminationRate,SuccessRate}  # for on-policy
  algorithms these are the TRAINING episodes of the batch although the prefix says Evaluation
eval/episode_count: Evaluation/NumEpisodes  # for on-policy algorithms these are the TRAINING
  episodes of the batch although the prefix says Evaluation
progress/step: Evaluation/Iteration  # for on-policy algorithms these are the TRAINING episodes of
  the batch although the prefix says Evaluation
eval/return_mean: {task}/AverageReturn [multi-task]; progress/env_steps: TotalEnvSteps
[VPG | PPO | TRPO | NPO]
policy/loss: {policy_object}/LossBefore  # {policy} is the policy object's name, e.g.
  GaussianMLPPolicy
none: {policy_object}/LossAfter  # {policy} is the policy object's name, e.g. GaussianMLPPolicy
policy/loss_delta (scale=-1): {policy_object}/dLoss  # {policy} is the policy object's name, e.g.
  GaussianMLPPolicy
none: {policy_object}/KLBefore  # {policy} is the policy object's name, e.g. GaussianMLPPolicy
policy/approx_kl: {policy_object}/KL  # estimator exact KL(old||new); {policy} is the policy
  object's name, e.g. GaussianMLPPolicy
policy/entropy: {policy_object}/Entropy  # {policy} is the policy object's name, e.g.
  GaussianMLPPolicy
none: {policy_object}/Perplexity  # {policy} is the policy object's name, e.g. GaussianMLPPolicy
[VPG | PPO | TRPO]
value/loss: {value_object}/LossBefore  # negative log likelihood of a Gaussian value function
none: {value_object}/LossAfter; value/loss_delta (scale=-1): {value_object}/dLoss
value/explained_variance: {value_object}/ExplainedVariance [NPO (TF)]  # 1-Var(y-f)/(Var(y)+1e-8)
[DDPG | TD3 | DQN]
policy/loss: Policy/AveragePolicyLoss
value/{loss,q_mean}: QFunction/{AverageQFunctionLoss,AverageQ}
value/q_{max,abs_mean}: QFunction/{MaxQ,AverageAbsQ}
value/q_target_{mean,max}: QFunction/{AverageY,MaxY}; none: QFunction/AverageAbsY
progress/epoch: Epoch; outcome/return_mean: Evaluation/100EpRewardMean [DQN]
[SAC]
policy/entropy_coef: AlphaTemperature/mean; policy/loss_total: Policy/Loss
value/loss (critic=1): QF/Qf1Loss; value/loss (critic=2): QF/Qf2Loss
replay/size: ReplayBuffer/buffer_size; outcome/return_mean: Average/TrainAverageReturn
explore/epsilon: EpsilonGreedyPolicy/Epsilon [DQN]
explore/noise_std: AddGaussianNoise/Sigma [DDPG | TD3]
outcome/return_mean: Extras/EpisodeRewardMean [NPO | CEM | CMA-ES]

tool spinningup (kind=classic; version=0.2.0; names=spinning-up): OpenAI Spinning Up
VPG_PPO_TRPO = VPG | PPO | TRPO | DDPG | TD3 | SAC
[VPG_PPO_TRPO]
progress/epoch: Epoch
outcome/return_mean: AverageEpRet  # one epoch; trajectories cut by the epoch end are excluded
  (biased towards short episodes)
outcome/return_std: StdEpRet  # one epoch; trajectories cut by the epoch end are excluded (biased
  towards short episodes)
outcome/return_max: MaxEpRet  # one epoch; trajectories cut by the epoch end are excluded (biased
  towards short episodes)
outcome/return_min: MinEpRet  # one epoch; trajectories cut by the epoch end are excluded (biased
  towards short episodes)
outcome/episode_length_mean: EpLen
[VPG | PPO | TRPO]
value/mean: AverageVVals; value/std: StdVVals; value/max: MaxVVals; value/min: MinVVals
progress/env_steps: TotalEnvInteracts [VPG_PPO_TRPO]; policy/loss: LossPi
value/loss: LossV  # mean((V-R)^2)
policy/loss_delta: DeltaLossPi; value/loss_delta: DeltaLossV
policy/entropy: Entropy [VPG | PPO]  # mean(H); tf1: -mean(log pi)
policy/approx_kl: KL  # estimator k1; may be negative; PPO stops at 1.5*target_kl
policy/clip_fraction: ClipFrac [PPO]  # mean(r>1+eps or r<1-eps)
policy/early_stop_iter: StopIter [PPO]; policy/backtrack_iters: BacktrackIters [TRPO]
time/elapsed_s: Time [VPG_PPO_TRPO]
[DDPG | TD3 | SAC]
eval/return_mean: AverageTestEpRet; eval/return_std: StdTestEpRet; eval/return_max: MaxTestEpRet
eval/return_min: MinTestEpRet; eval/episode_length_mean: TestEpLen
[DDPG]
value/q_mean: AverageQVals; value/q_std: StdQVals; value/q_max: MaxQVals; value/q_min: MinQVals
[TD3 | SAC]
value/q_mean (critic=1): AverageQ1Vals; value/q_std (critic=1): StdQ1Vals
value/q_max (critic=1): MaxQ1Vals; value/q_min (critic=1): MinQ1Vals
value/q_mean (critic=2): AverageQ2Vals; value/q_std (critic=2): StdQ2Vals
value/q_max (critic=2): MaxQ2Vals; value/q_min (critic=2): MinQ2Vals
[SAC]
policy/logprob_mean: AverageLogPi; none: StdLogPi | MaxLogPi | MinLogPi
policy/loss_total: LossPi [DDPG | TD3 | SAC]
value/loss: LossQ [DDPG | TD3 | SAC]  # mse1+mse2
[SAC tf1]
value/loss (critic=1): LossQ1  # 0.5*mse
value/loss (critic=2): LossQ2  # 0.5*mse

tool keras-rl (kind=classic; version=0.4.2 and keras-rl2 1.0.5; names=keras-rl2; marks=nb_steps
  nb_episode_steps | nb_episode_steps episode_reward): keras-rl
outcome/return_mean: episode_reward  # single episode
outcome/episode_length_mean: nb_episode_steps  # single episode
progress/env_steps: nb_steps; progress/episodes: episode; time/episode_s: duration
value/loss: loss [DQN | DDPG | SARSA]  # mean over the episode; NaN while warming up
value/q_mean: mean_q [DQN | DDPG | SARSA]
explore/epsilon: mean_eps [DQN | SARSA]  # of EpsGreedyQPolicy
policy/temperature: mean_tau [DQN | SARSA]  # of BoltzmannQPolicy
none: mean_absolute_error | mae [DQN | DDPG | SARSA]; outcome/return_best: mean_best_reward [CEM]
"""
