"""Names that TorchRL logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
outcome/return_mean: train/reward [sota scripts]  # one batch; absent when no episode ended; SAC
  script logs without mean when one value
outcome/return_mean: train/episode_reward [dqn scripts]
outcome/episode_length_mean: train/episode_length [sota scripts]
eval/return_mean: eval/reward [sota scripts]
policy/loss: train/loss_objective [PPO]
value/loss: train/loss_critic [PPO | A2C]  # coeff*smooth_l1
policy/entropy_loss: train/loss_entropy [PPO | A2C]
optim/learning_rate: train/lr [PPO | A2C | IMPALA]
policy/clip_range: train/clip_epsilon [PPO]
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
policy/ratio_max: max_ratio  # output key of the loss module; logged as train/<key> by ppo-async and
  by Trainer
policy/ratio_mean: mean_ratio  # output key of the loss module; logged as train/<key> by ppo-async
  and by Trainer
value/clip_fraction: value_clip_fraction  # output key of the loss module; logged as train/<key> by
  ppo-async and by Trainer
none: composite_entropy  # output key of the loss module; logged as train/<key> by ppo-async and by
  Trainer
value/loss: train/q_loss [SAC | TD3 | DDPG | DQN | IQL]
policy/loss_total: train/actor_loss [SAC | IQL]
policy/loss: train/a_loss [TD3 | DDPG | DiscreteSAC]
policy/entropy_coef_loss: train/alpha_loss [SAC | CrossQ]
policy/entropy_coef: train/alpha [SAC]
policy/entropy: train/entropy [SAC | CQL | IQL]  # -mean(log pi)
value/q_mean: train/q_values [DQN]
explore/epsilon: train/epsilon [DQN]
reward/intrinsic_mean: train/intrinsic_reward [RND]
throughput/env_steps_per_s: time/speed [sota scripts]  # tqdm rate
time/stage_s (stage={block}): time/{block} [sota scripts]
[Trainer]
reward/mean: r_training  # LogScalar reduction
reward/std: r_training_std  # LogScalar reduction
reward/max: r_max
reward/mean: r_total  # LogScalar reduction
outcome/termination_rate: done_percentage
policy/action_norm: action_norm
obs/norm: obs_norm
optim/grad_norm: grad_norm
progress/optimizer_steps: optim_steps
replay/ratio: utd_ratio [Trainer off-policy]
none: loss_{name}
[multiagent scripts]
outcome/return_mean: train/reward/episode_reward_mean
outcome/return_min: train/reward/episode_reward_min
outcome/return_max: train/reward/episode_reward_max
reward/mean: train/reward/reward_mean
progress/env_steps: train/total_frames
progress/step: train/training_iteration
time/generation_s: train/sampling_time
time/policy_update_s: train/training_time
eval/return_mean: eval/episode_reward_mean
eval/episode_length_mean: eval/episode_len_mean
"""

FRAMEWORK = Framework(
    id="torchrl",
    title="TorchRL",
    version="0.14.0",
    kind="classic",
    aliases=aliases(NAMES),
)
