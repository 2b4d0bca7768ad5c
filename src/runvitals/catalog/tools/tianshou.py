"""Names that Tianshou logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
DQN_KIND = DQN | C51 | Rainbow | QRDQN | IQN | FQF
outcome/return_mean: training/returns_stat/mean  # one collect call
outcome/return_std: training/returns_stat/std
outcome/return_min: training/returns_stat/min
outcome/return_max: training/returns_stat/max
outcome/episode_length_mean: training/lens_stat/mean
outcome/episode_length_std: training/lens_stat/std
outcome/episode_length_min: training/lens_stat/min
outcome/episode_length_max: training/lens_stat/max
outcome/episode_count: training/n_collected_episodes
progress/env_steps_per_iteration: training/n_collected_steps
throughput/rollout_steps_per_s: training/collect_speed
time/generation_s: training/collect_time
policy/action_std: training/pred_dist_std_array_stat/{dim}/mean [Gaussian policies]
progress/env_steps: training/env_step
eval/return_mean: test/returns_stat/mean
eval/return_std: test/returns_stat/std
eval/return_min: test/returns_stat/min
eval/return_max: test/returns_stat/max
eval/episode_length_mean: test/lens_stat/mean
eval/episode_count: test/n_collected_episodes
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
value/loss: update/quantile_loss
aux/loss (kind=fraction): update/fraction_loss
policy/entropy_loss: update/entropy_loss
[]
time/policy_update_s: update/train_time
none: update/smoothed_loss/{name}  # derived series; do not treat as an independent metric
progress/update_rounds: update/update_step
eval/return_best: info/best_reward
eval/return_std (window=best): info/best_reward_std
eval/score_mean: info/best_score
progress/update_rounds: info/update_step
progress/env_steps: info/train_step
progress/episodes: info/train_episode
time/elapsed_s: info/timing/total_time
time/generation_s (window=run): info/timing/train_time_collect  # cumulative, not per step
time/policy_update_s (window=run): info/timing/train_time_update  # cumulative, not per step
throughput/env_steps_per_s: info/timing/update_speed  # steps/(total-test time)
outcome/return_mean (versions=0.4.2 to 0.5): train/reward
outcome/episode_length_mean (versions=0.4.2 to 0.5): train/length
outcome/episode_count (versions=0.4.2 to 0.5): train/episode
progress/env_steps (versions=0.4.2 to 0.5): train/env_step | test/env_step
eval/return_mean (versions=0.4.2 to 0.5): test/reward
eval/return_std (versions=0.4.2 to 0.5): test/reward_std
eval/episode_length_mean (versions=0.4.2 to 0.5): test/length
eval/episode_length_std (versions=0.4.2 to 0.5): test/length_std
progress/optimizer_steps (versions=0.4.2 to 0.5): update/gradient_step
outcome/episode_count (versions=0.4.2 to 0.5): train/n/ep
progress/env_steps_per_iteration (versions=0.4.2 to 0.5): train/n/st
throughput/rollout_steps_per_s (versions=0.4.2 to 0.5): train/v/st
throughput/episodes_per_s (versions=0.4.2 to 0.5): train/v/ep
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
"""

FRAMEWORK = Framework(
    id="tianshou",
    title="Tianshou",
    version="2.0.1 (v1.x, 0.5.1 and 0.3 names listed)",
    kind="classic",
    marks=("train/n/ep train/n/st", "test/returns_stat/mean", "training/returns_stat/mean"),
    aliases=aliases(NAMES),
)
