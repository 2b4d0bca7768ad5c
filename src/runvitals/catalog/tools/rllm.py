"""Names that rLLM logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
reward/score_mean: reward/{role}/mean
reward/std: reward/{role}/std  # population
reward/max: reward/{role}/max
reward/min: reward/{role}/min
advantage/mean: advantage/{role}/mean
advantage/std: advantage/{role}/std
advantage/max: advantage/{role}/max
advantage/min: advantage/{role}/min
advantage/zero_fraction: advantage/{role}/fraction_zero
reward/group_mixed_fraction: batch/{role}/fractions/effective
reward/group_all_correct_fraction: batch/{role}/fractions/too_easy
reward/group_all_wrong_fraction: batch/{role}/fractions/too_hard
data/prompts_per_step: batch/{role}/total
none: batch/{role}/informative | batch/{role}/group_reward_mean/p{p}
  | batch/{role}/group_reward_std/p{p} | batch/termination_reason/{reason} | batch/{key}
[verl workflow trainer]
reward/group_all_wrong_fraction: batch/solve_none
reward/group_all_correct_fraction: batch/solve_all
reward/group_mixed_fraction: batch/solve_partial
data/prompts_per_step: batch/num_tasks
[]
agent/turns_mean: batch/steps_per_traj/mean
agent/turns_max: batch/steps_per_traj/max
agent/turns_min: batch/steps_per_traj/min
agent/tokens_per_turn_mean: batch/step_response_length/mean
none: batch/action_token_ratio/mean | groups/num_trajs_before_filter
data/samples_per_step: groups/num_trajs_after_filter
data/prompts_per_step: groups/num_groups
data/groups_filtered: groups/dropped_zero_adv [async]
mismatch/logprob_diff_mean: train/kl_sample_train_v1 [tinker]
mismatch/kl: train/kl_sample_train_v2 [tinker]  # 0.5*mean(d^2)
policy/nll_mean: train/entropy [tinker | fireworks]
lm/perplexity: train/perplexity [tinker | fireworks]
[fireworks]
data/samples_per_step: train/num_sequences
data/tokens_per_step: train/active_tokens
mismatch/kl: offpolicy/kl  # mean(rollout - old)
mismatch/k3_kl: offpolicy/k3_kl
mismatch/logprob_diff_mean: offpolicy/logprob_abs_diff/mean
mismatch/logprob_diff_max: offpolicy/logprob_abs_diff/max
mismatch/prob_diff_mean: offpolicy/prob_abs_diff/mean
mismatch/prob_correlation: offpolicy/prob_pearson_corr
mismatch/is_weight_mean: offpolicy/ratio/mean
none: offpolicy/{verl_key}
[async]
progress/weight_version: async/weight_version
async/queue_size: async/buffer_qsize
data/groups_filtered (where=buffer): async/buffer_filtered
async/trainer_idle_fraction: async/trainer_idle_ratio
rollout/running_requests: async/in_flight_groups
[tinker]
progress/step: progress/batch
progress/epoch: progress/epoch
policy/learning_rate: progress/lr
progress/fraction: progress/done_frac
time/step_s: time/step []
time/stage_s: time/{stage} []
[validation]
eval/score_mean (dataset={data_source}): val/{data_source}/pass@1
eval/any_correct_at_n (dataset={data_source}; n={n}): val/{data_source}/pass@{n}  # mean(any)
none: val/{data_source}/{key}
eval/reward/mean: val/reward/{role}/mean
"""

FRAMEWORK = Framework(
    id="rllm",
    title="rLLM",
    version="0.3.0.pre (repository snapshot 2026-08-15)",
    kind="llm",
    aliases=aliases(NAMES),
)
