"""Names that torchforge logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
[GRPO]
policy/loss_total: rl_trainer/avg_loss
policy/learning_rate: rl_trainer/learning_rate
time/training_s: rl_trainer_perf/step/total_duration_avg_s
time/stage_s (stage=trainer/{part}): rl_trainer_perf/step/{part}/duration_avg_s
system/gpu_memory_allocated_gb: rl_trainer_perf/step/memory_peak_max_gb
time/weight_sync_s: rl_trainer_perf/push_weights/total_duration_avg_s
none: generator/generate/count_requests
data/samples_per_step: generator/generate/count_sequences_completed
data/tokens_per_step: generator/generate/sum_tokens_generated
length/response_mean: generator/generate/avg_tokens_generated
time/generation_sample_mean_s: generator_perf/generate/total_duration_avg_s
time/generation_sample_max_s: generator_perf/generate/total_duration_max_s
rollout/waiting_requests: generator_perf/update_weights/avg_pending_requests
none: generator/update_weights/count_weight_updates
data/samples_per_step (where=buffer): buffer/add/count_episodes_added
async/staleness_mean: buffer/sample/avg_sampled_policy_age
async/staleness_max: buffer/sample/max_sampled_policy_age
async/staleness_min: buffer/sample/min_sampled_policy_age
none: buffer/sample/avg_data_utilization | buffer/sample/avg_buffer_utilization
async/dropped_samples: buffer/evict/sum_episodes_evicted
reward/component_mean (component={func}): reward/evaluate_response/avg_{func}_reward
reward/component_std (component={func}): reward/evaluate_response/std_{func}_reward
none: reward/evaluate_response/sum_{func}_reward | reward/evaluate_response/count_{func}_calls
reward/score_mean: reward/evaluate_response/avg_total_reward
time/ref_logprob_s: reference_perf/forward/total_duration_avg_s
length/total_mean (where=reference): reference_perf/forward/avg_sequence_length
time/stage_s (stage=rollouts/{part}): main_perf/continuous_rollouts/{part}/duration_avg_s
time/stage_s (stage=training/{part}): main_perf/continuous_training/{part}/duration_avg_s
time/wait_s: main_perf/continuous_training/waiting_for_buffer/duration_avg_s
none: main/continuous_rollouts/count_rollout_iterations
progress/epoch: dataset/sample/current_epoch
none: dataset/sample/avg_sample_len
[SFT]
lm/loss: ForgeSFTRecipe/train_step/loss
progress/step: ForgeSFTRecipe/train/step
data/tokens_per_step: dataset/{name}/tokens_processed
length/total_mean: dataset/{name}/mean_seq_len
data/padding_fraction (scale=0.01): dataset/{name}/pct_of_tokens_padded
progress/epoch: dataset/{name}/num_epochs
"""

FRAMEWORK = Framework(
    id="torchforge",
    title="torchforge",
    version="0.1.0 (repository snapshot 2025-11-15)",
    names=("forge",),
    kind="llm",
    aliases=aliases(NAMES),
)
