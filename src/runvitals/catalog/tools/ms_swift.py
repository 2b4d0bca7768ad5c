"""Names that ms-swift logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
progress/step: global_step/max_steps
progress/step: iteration [Megatron]
time/elapsed_s: elapsed_time
time/remaining_s: remaining_time
system/gpu_memory_reserved_gb: memory(GiB)
time/step_s: train_speed(s/it)
throughput/updates_per_s (versions=2.x and 3.x): train_speed(iter/s)
progress/fraction (versions=2.x and 3.x): percentage
progress/step (versions=2.x): steps[global_step/max_steps]
lm/token_accuracy: token_acc [SFT | PT]
lm/sequence_accuracy: seq_acc [SFT]
lm/token_accuracy: acc [SFT | decision]
lm/loss: loss_{channel} [SFT]
lm/aux_loss: aux_loss [SFT | DPO]
throughput/mfu: MFU  # total_flos / time / (measured peak * devices)
[GRPO]
reward/score_mean: reward
reward/group_std_mean: reward_std  # unbiased
reward/zero_std_fraction: frac_reward_zero_std
reward/component_mean (component={func}): rewards/{func}/mean
reward/component_std (component={func}): rewards/{func}/std
policy/kl_ref: kl  # token mean
distill/kl: teacher_kl [GRPO | OPD]
length/response_mean: completions/mean_length
length/response_min: completions/min_length
length/response_max: completions/max_length
length/response_clip_ratio: completions/clipped_ratio
agent/turns_mean: num_turns [GRPO multi-turn]
policy/entropy: entropy/mean
policy/entropy_max: entropy/max
policy/entropy_min: entropy/min
policy/entropy_threshold: entropy/threshold
policy/clip_fraction_low: clip_ratio/low_mean
policy/clip_fraction_low_min: clip_ratio/low_min
policy/clip_fraction_high: clip_ratio/high_mean
policy/clip_fraction_high_max: clip_ratio/high_max
policy/clip_fraction: clip_ratio/region_mean
policy/clip_fraction (kind=cispo): cispo_clip_ratio
mismatch/kl: rollout_correction/kl  # masked mean
mismatch/k3_kl: rollout_correction/k3_kl
mismatch/ppl_train: rollout_correction/training_ppl
mismatch/ppl_rollout: rollout_correction/rollout_ppl
mismatch/log_ppl_diff_mean: rollout_correction/log_ppl_diff
mismatch/ppl_ratio: rollout_correction/ppl_ratio
mismatch/chi2_token: rollout_correction/chi2_token
mismatch/chi2_sequence: rollout_correction/chi2_seq
mismatch/is_weight_mean: rollout_correction/is_weight_mean
mismatch/effective_sample_size: rollout_correction/ess
mismatch/masked_fraction: rollout_correction/clipped_frac
none: fipo/{key} [FIPO]
preference/chosen_reward: rewards/chosen [DPO | KTO | ORPO | CPO | SimPO]  # as TRL
preference/rejected_reward: rewards/rejected [DPO | KTO | ORPO | CPO | SimPO]  # as TRL
preference/accuracy: rewards/accuracies [DPO | ORPO | CPO | SimPO]
[DPO | KTO | ORPO | CPO | SimPO]
preference/margin: rewards/margins
preference/chosen_logprob: logps/chosen
preference/rejected_logprob: logps/rejected
none: logps_mean/{split} [DPO]
preference/chosen_logits: logits/chosen
preference/rejected_logits: logits/rejected
preference/nll_loss: nll_loss [DPO | CPO | ORPO]
[RM]
rm/score_chosen_mean: rewards/chosen
rm/score_rejected_mean: rewards/rejected
rm/accuracy: rewards/accuracies
rm/margin: rewards/margins
rm/center_loss: center_rewards_loss
[]
mismatch/log_ppl_diff_abs: rollout_correction/log_ppl_abs_diff
mismatch/log_ppl_diff_max: rollout_correction/log_ppl_diff_max
mismatch/log_ppl_diff_min: rollout_correction/log_ppl_diff_min
none: rollout_correction/rollout_log_ppl  # the logarithm of the perplexity that is bound
none: future_kl | influence_weight | rlsd_lambda | sdar/coef  # weights of single algorithms
none: n_steps | record_acc | rollout_correction  # counters of its own bookkeeping
"""

FRAMEWORK = Framework(
    id="ms-swift",
    title="ms-swift",
    version="4.6.0 wheel",
    inherits=("trl", "transformers"),
    names=("swift",),
    kind="llm",
    aliases=aliases(NAMES),
)
