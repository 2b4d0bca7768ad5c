"""Names that slime logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
[PPO | GRPO | GSPO | CISPO | REINFORCE++]
policy/loss_total: train/loss
policy/loss: train/pg_loss
policy/clip_fraction: train/pg_clipfrac  # mean of sample means
policy/kl_old: train/ppo_kl  # mean(old - new)
policy/entropy: train/entropy_loss  # mean of sample means
policy/kl_ref: train/kl_loss  # k1, k2, k3, low_var_kl
[]
mismatch/logprob_diff_mean: train/train_rollout_logprob_abs_diff
policy/ratio_mean: train/ois
mismatch/is_weight_mean: train/tis
mismatch/masked_fraction (kind=tis): train/tis_clipfrac
none: train/tis_abs
mismatch/masked_fraction (kind=opsm): train/opsm_clipfrac
distill/kl: train/opd_reverse_kl [OPD]
policy/grad_norm: train/grad_norm
policy/learning_rate: train/lr-pg_{i}
data/samples_per_step: train/global_batch_size
none: train/mtp_loss [MTP]
[PPO]
value/loss: train/critic-value_loss  # mean of sample means(max(...))
value/clip_fraction: train/critic-value_clipfrac
value/grad_norm: train/critic-grad_norm
value/learning_rate: train/critic-lr-pg_{i}
lm/loss: train/loss [SFT]
[]
reward/mean: rollout/rewards
reward/score_mean: rollout/raw_reward
length/response_mean: rollout/response_lengths
length/total_mean: rollout/total_lengths
length/response_clip_ratio: rollout/truncated
advantage/mean: rollout/advantages
returns/mean: rollout/returns
value/mean: rollout/values [PPO]
policy/logprob_mean: rollout/log_probs
policy/logprob_ref_mean: rollout/ref_log_probs
none: rollout/rollout_log_probs
policy/kl_ref (measured=rollout): rollout/kl
policy/entropy (measured=rollout): rollout/entropy
length/response_mean (source=samples): rollout/response_len/mean
length/response_median: rollout/response_len/median
length/response_max: rollout/response_len/max
length/response_min: rollout/response_len/min
none: rollout/zero_std/count_{reward} [GRPO-like]
length/repetition_fraction: rollout/repetition_frac
length/response_clip_ratio (source=samples): rollout/truncated_ratio
rollout/spec_accept_rate: rollout/spec_accept_rate [speculative decoding]
rollout/spec_accept_length: rollout/spec_accept_length [speculative decoding]
rollout/prefix_cache_hit_rate: rollout/prefix_cache_hit_rate
none: rollout/avg_cached_tokens_per_sample | rollout/error_cat/{category}
  | rollout/top_p_kept_vocab_per_token
data/groups_filtered: rollout/dynamic_filter/drop_{reason} [DAPO-style]
[multi-turn]
length/response_mean (subset=raw): multi_turn/raw_response_length/response_length_mean
length/response_max (subset=raw): multi_turn/raw_response_length/response_length_max
length/response_min (subset=raw): multi_turn/raw_response_length/response_length_min
length/response_clip_ratio (subset=raw): multi_turn/raw_response_length/response_length_clip_ratio
length/response_mean (subset=without_observations):
  multi_turn/wo_obs_response_length/response_length_mean
agent/turns_mean: multi_turn/multi_turn_metric/round_number_mean
[]
reward/group_any_correct_fraction: passrate/pass@{k}
time/generation_s: perf/rollout_time
throughput/generation_tokens_per_s_per_device: perf/tokens_per_gpu_per_sec
throughput/generation_tokens_per_s_per_device (kind=effective):
  perf/effective_tokens_per_gpu_per_sec
none: perf/longest_sample_tokens_per_sec
time/tool_calls_s: perf/non_generation_time/mean [agents]
time/training_s: perf/train_time
time/wait_s: perf/train_wait_time
time/step_s: perf/step_time
async/trainer_idle_fraction: perf/wait_time_ratio
time/policy_update_s: perf/actor_train_time
throughput/tflops_per_device: perf/actor_train_tflops
throughput/tokens_per_s (stage=actor_train): perf/actor_train_tok_per_s
time/old_logprob_s: perf/log_probs_time
none: perf/log_probs_tflops
time/ref_logprob_s: perf/ref_log_probs_time
time/stage_s (stage={name}): perf/{name}_time
none: perf/request/{field}/{stat} [SGLang]
[evaluation]
eval/score_mean: eval/{dataset}
eval/length/response_clip_ratio: eval/{dataset}-truncated_ratio
eval/pass_at_k: eval/{dataset}-pass@{k}  # 1 - C(n-c,k)/C(n,k)
eval/length/response_mean: eval/{dataset}/response_len/mean
[]
rollout/running_requests: inflight_size
none: perf/update_weights_density | perf/update_weights_wire_bytes  # bytes on the wire
none: total_finished_reqs | total_finished_tokens  # counts since the start
none: train/mtp_loss | train/mtp_{i}_loss  # the loss of the draft heads
"""

FRAMEWORK = Framework(
    id="slime",
    title="slime",
    version="repository snapshot 2026-08-21 (the PyPI name slime 0.0.0 is another package)",
    kind="llm",
    aliases=aliases(NAMES),
)
