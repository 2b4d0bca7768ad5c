"""Names that DeepMind Acme logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
outcome/return_mean: episode_return  # single episode; evaluator rows map to eval/*
outcome/episode_length_mean: episode_length  # single episode; evaluator rows map to eval/*
throughput/env_steps_per_s: steps_per_second  # single episode
time/env_reset_s: env_reset_duration_sec  # single episode
time/inference_s: select_action_duration_sec  # single episode
time/env_step_s: env_step_duration_sec  # single episode
time/episode_s: episode_duration  # single episode
progress/env_steps: actor_steps
progress/episodes: actor_episodes
progress/optimizer_steps: learner_steps
time/elapsed_s: learner_walltime
progress/env_steps: steps
progress/episodes: episodes
time/elapsed_s: walltime
[PPO]
optim/loss: loss_total  # mean over minibatches
policy/loss_total: loss_policy_total
policy/loss: loss_policy_pg
policy/entropy (scale=-1): loss_policy_entropy  # -mean(H)
value/loss: loss_critic
aux/loss (kind=extra): loss_extra
optim/grad_norm: norm_grad
optim/update_norm: norm_updates
advantage/norm_scale: advantage_scale
value/norm_mean: value_mean
value/norm_std: value_std
async/staleness_mean (scale=-1): delta_params_sgd_steps_mean
async/staleness_max (scale=-1): delta_params_sgd_steps_min
async/staleness_min (scale=-1): delta_params_sgd_steps_max
none: delta_params_sgd_steps_std
value/loss: critic_loss [SAC | IMPALA | TD3 | D4PG]
[SAC]
policy/loss_total: actor_loss
policy/entropy_coef_loss: alpha_loss
policy/entropy_coef: alpha
reward/mean: rewards_mean
reward/std: rewards_std
policy/loss: policy_loss [IMPALA | TD3 | D4PG]
[IMPALA]
policy/entropy_loss: entropy_loss
policy/entropy (scale=-1): entropy
optim/loss: loss
optim/param_norm: param_norm
optim/update_norm: param_updates_norm
value/loss (critic=2): twin_critic_loss [TD3 | D4PG]
value/loss: mean_loss [C51]
value/loss: total_loss [DQN]
optim/loss (kind={name}): loss/{name} [MPO | WPO]
optim/grad_norm: gradient_norm [BC]
"""

FRAMEWORK = Framework(
    id="acme",
    title="DeepMind Acme",
    version="0.4.1 (commit 770bc75)",
    names=("dm-acme",),
    kind="classic",
    aliases=aliases(NAMES),
)
