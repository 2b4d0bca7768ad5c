"""Names that OpenAI Baselines logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
outcome/return_mean: eprewmean [ppo2 | a2c | acktr]  # last 100 episodes
outcome/episode_length_mean: eplenmean [ppo2 | a2c | acktr]
eval/return_mean: eval_eprewmean [ppo2]
eval/episode_length_mean: eval_eplenmean [ppo2]
throughput/env_steps_per_s: fps [ppo2 | a2c | acktr | acer]  # int
[ppo2]
none: misc/serial_timesteps
progress/update_rounds: misc/nupdates
progress/env_steps: misc/total_timesteps
time/elapsed_s: misc/time_elapsed
value/explained_variance: misc/explained_variance
policy/loss: loss/policy_loss
value/loss: loss/value_loss  # 0.5*mean(max)
policy/entropy: loss/policy_entropy
policy/approx_kl: loss/approxkl  # estimator k2; 0.5*mean((log pi_old - log pi)^2)
policy/clip_fraction: loss/clipfrac  # mean(|r-1|>eps)
optim/grad_norm: gradnorm [ppo2 with MPI]
optim/grad_clip_fraction: gradclipfrac [ppo2 with MPI]
[a2c | acktr]
progress/update_rounds: nupdates
progress/env_steps: total_timesteps
policy/entropy: policy_entropy
policy/loss: policy_loss
value/loss: value_loss
value/explained_variance: explained_variance
[trpo_mpi | ppo1 | gail]
outcome/return_mean: EpRewMean
outcome/episode_length_mean: EpLenMean
outcome/episode_count: EpThisIter
progress/episodes: EpisodesSoFar
progress/env_steps: TimestepsSoFar
time/elapsed_s: TimeElapsed
value/explained_variance: ev_tdlam_before
outcome/score_mean: EpTrueRewMean [gail]
[trpo_mpi | gail]
policy/loss (scale=-1; kind=with_entropy): optimgain
policy/approx_kl: meankl  # estimator exact KL(old||new)
policy/entropy_loss (scale=-1): entloss
policy/loss (scale=-1): surrgain
policy/entropy: entropy [trpo_mpi | gail | acer]
[ppo1]
policy/loss: loss_pol_surr
policy/entropy_loss: loss_pol_entpen
value/loss: loss_vf_loss
policy/approx_kl: loss_kl  # estimator exact KL(old||new)
policy/entropy: loss_ent
[deepq]
outcome/return_mean: mean 100 episode reward
explore/epsilon (scale=0.01): % time spent exploring
progress/episodes: episodes
progress/env_steps: steps
[ddpg]
outcome/return_mean: rollout/return
outcome/return_std: rollout/return_std
outcome/return_mean (window=recent): rollout/return_history
outcome/episode_length_mean: rollout/episode_steps
value/q_mean: rollout/Q_mean
policy/action_mean: rollout/actions_mean
none: rollout/actions_std
policy/loss: train/loss_actor
value/loss: train/loss_critic
explore/noise_std: train/param_noise_distance
throughput/env_steps_per_s: total/steps_per_second
progress/env_steps: total/steps
progress/episodes: total/episodes
progress/epoch: total/epochs
time/elapsed_s: total/duration
eval/return_mean: eval/return
none: eval/Q
[her]
outcome/success_rate: train/success_rate
eval/success_rate: test/success_rate
value/q_mean: test/mean_Q
progress/episodes: train/episode
obs/mean: stats_o/mean
obs/std: stats_o/std
progress/epoch: epoch
[acer]
outcome/return_mean: mean_episode_reward
outcome/episode_length_mean: mean_episode_length
optim/loss: loss
value/loss: loss_q
policy/loss: loss_policy
optim/grad_norm: norm_grads
none: avg_norm_k_dot_g
"""

FRAMEWORK = Framework(
    id="openai-baselines",
    title="OpenAI Baselines",
    version="commit ea25b9e",
    names=("baselines",),
    kind="classic",
    aliases=aliases(NAMES),
)
