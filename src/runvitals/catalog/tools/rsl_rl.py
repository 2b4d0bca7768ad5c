"""Names that RSL-RL logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
[PPO]
outcome/return_mean: Train/mean_reward  # last 100 episodes; includes intrinsic reward when RND is
  on
outcome/episode_length_mean: Train/mean_episode_length  # last 100 episodes
outcome/return_mean (axis=time): Train/mean_reward/time  # duplicate with another x axis; ignore
outcome/episode_length_mean (axis=time): Train/mean_episode_length/time  # duplicate
value/loss: Loss/value  # since 2.3; earlier name Loss/value_function
policy/loss: Loss/surrogate
policy/entropy: Loss/entropy  # filed under Loss/ although it is the plain entropy; since 2.3
optim/learning_rate: Loss/learning_rate
aux/loss (kind=rnd): Loss/rnd
aux/loss (kind=symmetry): Loss/symmetry
lm/loss: Loss/behavior [Distillation]
policy/action_std: Policy/mean_std  # 5.x; 1.x-4.x use Policy/mean_noise_std
policy/action_std: Policy/mean_noise_std [PPO (1.x-4.x)]
throughput/env_steps_per_s: Perf/total_fps  # int(steps*envs/(collect+learn))
time/generation_s: Perf/collection_time  # 1.x-3.x name: 'Perf/collection time' with a space
time/generation_s: Perf/collection time [PPO (1.x-3.x)]
time/policy_update_s: Perf/learning_time
value/loss: Loss/value_function [PPO (1.x-2.2)]  # as Loss/value
[PPO+RND]
reward/extrinsic_mean: Rnd/mean_extrinsic_reward
reward/intrinsic_mean: Rnd/mean_intrinsic_reward
reward/intrinsic_coef: Rnd/weight
[PPO]
reward/component_mean (component={name}): Episode/rew_{name}  # sum over an episode / its longest
  duration in s
reward/component_mean (component={name}): Episode_Reward/{name}  # of Isaac Lab
env/metric (name={key}): Episode/{key}
env/metric (name={group}/{key}): {group}/{key}
"""

FRAMEWORK = Framework(
    id="rsl-rl",
    title="RSL-RL",
    version="5.4.2 (equal in 5.5.1",
    names=("rsl",),
    kind="classic",
    aliases=aliases(NAMES),
)
