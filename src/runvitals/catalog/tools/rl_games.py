"""Names that rl_games logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
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
time/policy_update_s: performance/update_time  # old releases
time/generation_s: performance/play_time  # old releases
policy/loss: losses/a_loss [PPO_A2C_CONTINUOUS_A2C_DISCR]
value/loss: losses/c_loss [PPO (a2c_continuous, a2c_discrete)]  # values are normalised when
  normalize_value is on, so the number is in normalised units
policy/entropy: losses/entropy [PPO_A2C_CONTINUOUS_A2C_DISCR]  # mean(H)
aux/loss (kind=bounds): losses/bounds_loss [PPO continuous]
aux/loss (kind={aux}): losses/{aux} [PPO (a2c_continuous, a2c_discrete)]
value/loss (critic=central): losses/cval_loss [central value]
value/learning_rate: info/cval_lr [central value]
[PPO (a2c_continuous, a2c_discrete)]
optim/learning_rate: info/last_lr
none: info/lr_mul
policy/clip_range: info/e_clip
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
outcome/return_shaped_mean: shaped_rewards/frame  # old releases
outcome/episode_length_mean: episode_lengths/frame  # old releases
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
policy/entropy_coef_loss: losses/alpha_loss
policy/entropy_coef: info/alpha
none: selfplay/iters_update_weigths [self-play]
[PBT]
none: pbt/{param}
outcome/return_best: pbt/00_best_objective
"""

FRAMEWORK = Framework(
    id="rl-games",
    title="rl_games",
    version="2.0.0 (commit 262cf20",
    kind="classic",
    aliases=aliases(NAMES),
)
