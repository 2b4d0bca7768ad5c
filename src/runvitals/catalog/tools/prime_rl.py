"""Names that prime-rl logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
[RL]
policy/loss_total: loss/mean
policy/entropy: entropy/all/mean | entropy/{env}/mean  # token mean
mismatch/k3_kl: mismatch_kl/all/mean
none: mismatch_kl/all/max
mismatch/k3_kl: mismatch_kl/{env}/mean
none: masked_mismatch_kl/mean | unmasked_mismatch_kl/mean
policy/clip_fraction: is_masked/mean  # mean over sequences
policy/clip_fraction_low: is_masked_low/mean
policy/clip_fraction_high: is_masked_high/mean
none: masked_advantage_positive/mean | masked_advantage_negative/mean
mismatch/kl_entropy_ratio: kl_ent_ratio/mean
distill/kl (scale=-1): ref_kl/mean [OPD]
policy/clip_fraction (against=reference): ref_kl/is_masked/mean [OPD]
moe/load_violation_max: max_vio/mean [MoE]
moe/routing_confidence: routing_confidence/mean [MoE]
[RL | SFT]
optim/learning_rate: optim/lr
optim/grad_norm: optim/grad_norm
throughput/tokens_per_s: perf/throughput
throughput/tokens_per_s_per_device: perf/throughput_per_gpu  # / world size
throughput/mfu (scale=0.01): perf/mfu  # 100*FLOP/s / peak / world size
system/gpu_memory_reserved_gb: perf/peak_memory
time/step_s: time/step
time/wait_s: time/wait_for_batch [RL]
time/data_s: time/load_data [RL]
time/training_s: time/forward_backward
time/weight_sync_s: time/broadcast_weights
time/checkpoint_s: time/save_ckpt
[RL]
time/data_processing_s: time/pack
time/stage_s (stage=wait_for_policy): time/wait_for_policy
data/tokens_per_step: progress/tokens
none: progress/input_tokens | progress/output_tokens
data/samples_per_step: progress/rollouts
data/prompts_per_step: progress/tasks
progress/tokens: progress/total_tokens
progress/samples: progress/total_rollouts
none: progress/total_tasks
async/staleness_mean: off_policy/mean
async/staleness_max: off_policy/max
none: off_policy/in_flight/{stat} | off_policy/in_queue/{stat}
async/dropped_samples: off_policy/dropped
none: batch/{env}
reward/score_mean: train/{env}/{subset}/{agent}/reward/mean
none: train/{env}/{subset}/{agent}/reward/{stat}
length/response_mean: train/{env}/{subset}/{agent}/num_output_tokens/mean
length/prompt_mean: train/{env}/{subset}/{agent}/num_input_tokens/mean
length/total_mean: train/{env}/{subset}/{agent}/num_total_tokens/mean
agent/turns_mean: train/{env}/{subset}/{agent}/num_turns/mean
agent/turns_max: train/{env}/{subset}/{agent}/num_turns/max
length/response_clip_ratio: train/{env}/{subset}/{agent}/is_truncated/mean
length/stop_rate: train/{env}/{subset}/{agent}/is_completed/mean
reward/component_mean (component={name}): train/{env}/{subset}/{agent}/rewards/{name}/mean
outcome/score_mean: train/{env}/{subset}/{agent}/metrics/{name}/mean
time/stage_s (stage={phase}): train/{env}/{subset}/{agent}/timing/{phase}/mean
agent/error_rate: train/{env}/all/{agent}/has_error/mean
reward/group_all_wrong_fraction: train/{env}/all/{agent}/solved_none
reward/group_all_correct_fraction: train/{env}/all/{agent}/solved_all
reward/group_mixed_fraction: train/{env}/all/{agent}/solved_some
none: train/{env}/{subset}/{agent}/stop_condition/{name}
[evaluation]
eval/mean_at_n (dataset={env}; subset={subset}; agent={agent}; n={n}):
  eval/{env}/{subset}/{agent}/avg@{n}
eval/pass_at_k (dataset={env}; agent={agent}; k={k}): eval/{env}/effective/{agent}/pass@{k}  # 1 -
  C(n-c,k)/C(n,k)
eval/pass_hat_k (dataset={env}; agent={agent}; k={k}): eval/{env}/effective/{agent}/pass^{k}
progress/weight_version: eval/{env}/policy_version
[RL]
rollout/running_requests (where=dispatcher): dispatcher/inflight/train
async/staleness_max (where=in_flight): dispatcher/off_policy/max
progress/weight_version: watcher/policy_version
none: concurrency/max_inflight | inference/{scope}/{metric}/{stat}
rollout/running_requests: inference/agg/num_requests_running/mean
rollout/waiting_requests: inference/agg/num_requests_waiting/mean
rollout/kv_cache_usage: inference/agg/kv_cache_usage_perc/mean
[RL | SFT]
system/disk_free_gb: system/ckpt_disk_free_gib
system/disk_used_gb: system/ckpt_disk_used_gib
system/disk_free_ratio: system/ckpt_disk_free_ratio
[SFT]
lm/loss: loss/mean
lm/perplexity: loss/perplexity
optim/nan_count: loss/nan_count
eval/loss: val/loss
eval/perplexity: val/perplexity
progress/epoch: progress/epoch
progress/samples: progress/num_samples
progress/tokens: progress/num_tokens
none: progress/{subset}/ratio_samples
[]
policy/entropy: entropy/all/mean
mismatch/kl: mismatch_kl/all/mean
async/staleness_mean: dispatcher/off_policy/mean
rollout/waiting_requests: dispatcher/queued/eval
time/weight_sync_s: watcher/last_update_weights_time
time/wait_s: watcher/last_wait_for_ckpt_time
none: event_loop_lag/{stat} | concurrency/{what} | dispatcher/{what}/{kind} | watcher/{what}
  | pool/{what} | curriculum/{env}/admission_rate | d2h_slot_wait | d2h_wait | optimizer_chunk
  | optimizer_kernel | output_slot_wait  # how the orchestrator itself runs
none: entropy/all | mismatch_kl/all  # a folder of statistics
none: ref_kl/is_masked | ref_kl/masked_mismatch_kl | ref_kl/unmasked_mismatch_kl  # of which tokens
  the mask of the reference holds
none: train/{env}/all/{what}/mean  # share of rollouts, beside the errors that are bound
none: dispatcher/mode | agent/harness | agent/model | system/ckpt_disk_total_gib  # settings
"""

FRAMEWORK = Framework(
    id="prime-rl",
    title="prime-rl",
    version="0.8.0 (repository snapshot 2026-08-21)",
    kind="llm",
    aliases=aliases(NAMES),
)
