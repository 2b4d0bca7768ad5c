"""Names that Sample Factory logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
[APPO]
outcome/return_mean: reward/reward  # last 100 episodes; written only when the window is full, or
  after 300 s with more than 10 episodes
outcome/return_min: reward/reward_min
outcome/return_max: reward/reward_max
outcome/episode_length_mean: len/len
outcome/episode_length_min: len/len_min
outcome/episode_length_max: len/len_max
outcome/score_mean: policy_stats/avg_true_objective  # also _min and _max; the PBT target
env/metric (name={key}): policy_stats/avg_{key}
env/metric (name={group}/{key}): {group}/{key}
throughput/env_steps_per_s: perf/_fps  # delta/delta t
throughput/learner_steps_per_s: perf/_sample_throughput
system/process_memory_gb (scale=0.001): stats/master_process_memory_mb
none: stats/{key}
progress/env_steps: train/env_steps
optim/learning_rate: train/lr
none: train/actual_lr
data/valid_fraction: train/valids_fraction
async/same_policy_fraction: train/same_policy_fraction
optim/grad_norm: train/grad_norm  # computed after clipping, so it saturates at max_grad_norm
optim/loss: train/loss  # sum of terms
value/mean: train/value
policy/entropy: train/entropy  # mean(H)
policy/loss: train/policy_loss
policy/kl_loss: train/kl_loss
value/loss: train/value_loss  # coeff*mean(max(.,.))
policy/entropy_loss: train/exploration_loss
policy/action_min: train/act_min
policy/action_max: train/act_max
advantage/min: train/adv_min  # guarded by '"adv_mean" in stats', which is never true in 2.1.3, so
  adv_* do not appear
advantage/max: train/adv_max
advantage/std: train/adv_std
advantage/mean: train/adv_mean
policy/logit_abs_max: train/max_abs_logprob
policy/approx_kl: train/kl_divergence  # estimator exact KL(new||old); mean KL(new||old)
policy/kl_max: train/kl_divergence_max
value/change_mean: train/value_delta
value/change_max: train/value_delta_max
policy/clip_fraction: train/fraction_clipped
policy/ratio_abs_dev: train/ratio_mean
policy/ratio_min: train/ratio_min
policy/ratio_max: train/ratio_max
optim/updates_per_iteration: train/num_sgd_steps
optim/adam_second_moment_max: train/adam_max_second_moment
async/staleness_mean: train/version_diff_avg
async/staleness_min: train/version_diff_min
async/staleness_max: train/version_diff_max
policy/action_mean: train/action_mean
policy/action_std: train/action_stddev_mean
policy/action_std_min: train/action_stddev_min
policy/action_std_max: train/action_stddev_max
obs/mean: train/obs_running_mean
obs/std: train/obs_running_std
value/norm_mean: train/returns_running_mean
value/norm_std: train/returns_running_std
none (name={key}): zz_pbt/{name}_{key} [PBT]
"""

FRAMEWORK = Framework(
    id="sample-factory",
    title="Sample Factory",
    version="2.1.3",
    kind="classic",
    aliases=aliases(NAMES),
)
