"""Names that OpenRLHF logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
[PPO | REINFORCE++ | RLOO | GRPO]
policy/loss: policy_loss
policy/entropy: entropy_loss  # H from logits, token mean
policy/clip_fraction: ppo_clip_ratio  # masked mean(surr2 < surr1)
policy/kl_old: ppo_kl  # masked mean(old - new)
mismatch/kl: vllm_kl  # masked mean(lp_vllm - lp_old)
mismatch/masked_fraction: is_filter_ratio
policy/kl_ref: kl  # k1, k2 or k3 per token, masked mean
policy/kl_ref (estimator=k1): logprobs_diff  # masked mean(logp - ref)
reward/score_mean: reward  # mean over samples
outcome/success_rate: score
returns/mean: return
reward/group_std_mean: group_reward_std [RLOO | GRPO | REINFORCE++-baseline]  # mean over samples,
  unbiased
length/response_mean: response_length
length/total_mean: total_length
length/response_clip_ratio: truncated  # mean(finish_reason == length)
length/response_clip_ratio (kind=context_full): response_clip_ratio  # mean(total_length >= window)
policy/learning_rate: actor_lr
policy/grad_norm: actor_grad_norm
[PPO]
value/loss: critic_loss  # 0.5*mean(max(...))
value/pred_mean: values
value/learning_rate: critic_lr
value/grad_norm: critic_grad_norm
[PPO | REINFORCE++ | RLOO | GRPO]
reward/score_mean: rollout/reward_mean
reward/std: rollout/reward_std  # unbiased
length/response_mean: rollout/response_length_mean
length/response_clip_ratio: rollout/truncated_rate
data/samples_per_step: rollout/num_samples
data/filtered_fraction (transform=1 - x/100): dynamic_filtering_pass_rate [DAPO-style]
time/experience_s: timing/make_experience
time/training_s: timing/ppo_train
time/weight_sync_s: timing/broadcast
time/generation_s: timing/generation
time/step_s: timing/step_total
[evaluation]
eval/score_mean: eval_{dataset}_pass1
eval/any_correct_at_n: eval_{dataset}_pass{n}  # mean(max)
eval/length/response_mean: eval_{dataset}_response_length_mean
eval/length/response_clip_ratio: eval_{dataset}_truncated_rate
eval/length/response_mean: eval_response_length_mean
eval/length/response_clip_ratio: eval_truncated_rate
none: eval_num_samples
[DPO]
preference/loss: loss
preference/accuracy: acc  # mean(chosen > rejected)
preference/chosen_reward: chosen_reward  # beta*(pi - ref)
preference/rejected_reward: reject_reward  # beta*(pi - ref)
preference/nll_loss: nll_loss
preference/loss: loss_mean
preference/accuracy: acc_mean
[RM]
rm/loss: loss
rm/accuracy: acc
rm/score_chosen_mean: chosen_reward
rm/score_rejected_mean: reject_reward
rm/loss: loss_mean
rm/accuracy: acc_mean
eval/loss: eval_loss [DPO | RM]
eval/rm/score_mean: reward_mean
eval/rm/score_std: reward_std
[SFT]
lm/loss: gpt_loss | loss_mean
eval/loss: eval gpt_loss
lm/aux_loss: aux_loss [SFT | RM]
optim/learning_rate: lr [SFT | RM | DPO]
optim/grad_norm: grad_norm [SFT | RM | DPO]
[]
none: generated_samples | train/generated_samples  # a table of texts
none: num_action_tokens  # tokens of one batch, before padding is left out
"""

FRAMEWORK = Framework(
    id="openrlhf",
    title="OpenRLHF",
    version="0.11.2 wheel",
    kind="llm",
    aliases=aliases(NAMES),
)
