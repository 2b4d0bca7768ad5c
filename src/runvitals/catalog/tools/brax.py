"""Names that Brax and MuJoCo Playground logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
eval/return_mean: eval/episode_reward
eval/return_std: eval/episode_reward_std
env/metric: eval/episode_{name}  # also with suffix _std
eval/episode_length_mean: eval/avg_episode_length
eval/episode_length_std: eval/std_episode_length
time/eval_s: eval/epoch_eval_time
throughput/eval_env_steps_per_s: eval/sps
none: eval/walltime
throughput/env_steps_per_s: training/sps  # steps/time
time/elapsed_s: training/walltime
[PPO]
optim/loss: training/total_loss  # mean over the epoch
policy/loss: training/policy_loss
value/loss: training/v_loss  # 0.5*c_v*mean
policy/entropy_loss: training/entropy_loss
policy/approx_kl: training/kl_mean  # estimator exact KL(new||old)
policy/action_std: training/policy_dist_mean_std
policy/action_std_min: training/policy_dist_min_std
policy/action_std_max: training/policy_dist_max_std
policy/action_mean: training/policy_dist_mean_loc
none: training/policy_dist_min_loc | training/policy_dist_max_loc
optim/learning_rate: training/learning_rate
[SAC]
value/loss: training/critic_loss
policy/loss_total: training/actor_loss
policy/entropy_coef_loss: training/alpha_loss
policy/entropy_coef: training/alpha
replay/size: training/buffer_current_size
[PPO, log_training_metrics]
env/metric: episode/{name}  # last 100 episodes
outcome/return_mean: episode/sum_reward  # last 100 episodes
outcome/episode_length_mean: episode/length
throughput/env_steps_per_s (window=episode): episode/sps  # delta/delta t
"""

FRAMEWORK = Framework(
    id="brax",
    title="Brax and MuJoCo Playground",
    version="0.14.2",
    names=("mujoco-playground",),
    kind="classic",
    aliases=aliases(NAMES),
)
