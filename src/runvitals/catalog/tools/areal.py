"""Names that AReaL logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
[PPO | GRPO]
reward/score_mean: ppo_actor/task_reward/avg
reward/score_min: ppo_actor/task_reward/min
reward/score_max: ppo_actor/task_reward/max
reward/mean: ppo_actor/final_reward/avg  # token mean
reward/kl_penalty_mean: ppo_actor/kl_rewards/avg
advantage/mean: ppo_actor/advantages/avg
advantage/min: ppo_actor/advantages/min
advantage/max: ppo_actor/advantages/max
length/total_mean: ppo_actor/seq_len/avg
length/total_max: ppo_actor/seq_len/max
length/total_min: ppo_actor/seq_len/min
length/prompt_mean: ppo_actor/prompt_len/avg
length/prompt_max: ppo_actor/prompt_len/max
length/prompt_min: ppo_actor/prompt_len/min
length/response_clip_ratio: ppo_actor/no_eos_ratios/avg
length/response_correct_mean: ppo_actor/correct_seq_len/avg
length/response_incorrect_mean: ppo_actor/incorrect_seq_len/avg
none: ppo_actor/correct_n_seqs | ppo_actor/incorrect_n_seqs
data/samples_per_step: ppo_actor/n_seqs
data/tokens_per_step: ppo_actor/n_tokens
none: ppo_actor/n_valid_tokens
policy/clip_range: ppo_actor/eps_clip
none: ppo_actor/{flag}
policy/loss: ppo_actor/update/actor_loss/avg
policy/ratio_mean: ppo_actor/update/importance_weight/avg  # token mean
policy/ratio_min: ppo_actor/update/importance_weight/min
policy/ratio_max: ppo_actor/update/importance_weight/max
policy/kl_old (scale=-1): ppo_actor/update/approx_kl/avg  # token mean(new - prox)
policy/clip_fraction: ppo_actor/update/clip_ratio/avg  # token mean
policy/clip_fraction_dual: ppo_actor/update/dual_clip_ratio/avg
policy/entropy: ppo_actor/update/entropy/avg  # token mean
policy/entropy_min: ppo_actor/update/entropy/min
policy/entropy_max: ppo_actor/update/entropy/max
policy/logprob_mean: ppo_actor/update/new_logp/avg
none: ppo_actor/update/old_logp/avg
[decoupled PPO]
mismatch/is_weight_mean: ppo_actor/update/behave_imp_weight/avg
mismatch/is_weight_max: ppo_actor/update/behave_imp_weight/max
mismatch/is_weight_min: ppo_actor/update/behave_imp_weight/min
mismatch/kl (scale=-1): ppo_actor/update/behave_approx_kl/avg  # token mean(prox - behave)
mismatch/masked_fraction: ppo_actor/update/rs_filtered_fraction
[async]
mismatch/kl (source=compute_logp): ppo_actor/update/compute_logp/kl_div_direct/avg  # token mean(old
  - new)
none: ppo_actor/update/compute_logp/kl_div_taylor/avg
mismatch/k3_kl: ppo_actor/update/compute_logp/kl_div_dual/avg
async/staleness_mean: ppo_actor/update/version_stats/sample_staleness_theta_avg
async/staleness_max: ppo_actor/update/version_stats/sample_staleness_theta_max
async/staleness_min: ppo_actor/update/version_stats/sample_staleness_theta_min
none: ppo_actor/update/version_stats/sample_staleness_proximal_{stat}
progress/weight_version: ppo_actor/update/version_stats/v_theta
distill/kl: ppo_actor/update/rkl_loss/avg [distillation]
[PPO | GRPO]
policy/grad_norm: ppo_actor/update/grad_norm
policy/learning_rate: ppo_actor/update/lr
optim/update_success_rate: ppo_actor/update/update_successful
[PPO]
value/loss: ppo_critic/critic_loss/avg  # token mean
value/clip_fraction: ppo_critic/clip_ratio/avg
value/pred_mean: ppo_critic/new_value/avg
value/mean: ppo_critic/old_value/avg
returns/mean: ppo_critic/target_value/avg
value/grad_norm: ppo_critic/grad_norm
value/learning_rate: ppo_critic/lr
reward/score_mean: rollout/reward [PPO | GRPO]
agent/turns_mean: rollout/num_turns [multi-turn]
none: rollout/accepted | rollout/rejected [async]
eval/score_mean: eval-rollout/reward [evaluation]
[]
time/generation_s: timeperf/rollout
time/old_logprob_s: timeperf/recompute_logp
time/ref_logprob_s: timeperf/ref_logp
time/value_s: timeperf/critic_values [PPO]
time/advantage_s: timeperf/compute_advantage
time/policy_update_s: timeperf/train_step
time/value_update_s: timeperf/critic_train_step [PPO]
time/weight_sync_s: timeperf/update_weights
time/checkpoint_s: timeperf/save
time/checkpoint_s (kind=recover): timeperf/checkpoint_for_recover
time/eval_s: timeperf/eval
time/stage_s: timeperf/{stage}
[SFT]
lm/loss: sft/loss/avg
lm/perplexity: sft/ppl/avg
optim/grad_norm: sft/grad_norm
optim/learning_rate: sft/lr
eval/loss: sft-eval/loss/avg
eval/perplexity: sft-eval/ppl/avg
[RM]
rm/loss: rw/loss/avg
rm/accuracy: rw/correct_ratio/avg
rm/score_chosen_mean: rw/pos_score/avg
rm/score_rejected_mean: rw/neg_score/avg
eval/rm/accuracy: rw-eval/correct_ratio/avg
[DPO]
preference/loss: dpo/loss/avg
preference/chosen_reward: dpo/chosen_reward/avg  # beta*(pi - ref)
preference/rejected_reward: dpo/rejected_reward/avg  # beta*(pi - ref)
preference/accuracy: dpo/reward_accuracy/avg
preference/margin: dpo/reward_margin/avg
none: dpo-eval/{key}/avg
[]
none: ckpt/async_save_queue_depth
none: ppo_actor/update/clipped_new_logp/avg | ppo_actor/update/clipped_old_logp/avg
  | ppo_critic/update/clipped_{value}/avg  # only the tokens that were clipped
none: ppo_actor/update/sapo_{gate}/avg  # gates of one algorithm
none: ppo_actor/update/{part}_logp_gt/avg | ppo_actor/update/compute_logp/kl_div_direct/avg
  | ppo_actor/update/v_{which}/avg | ppo_actor/update/vocab_{stat}_logits/avg
  | ppo_critic/update/target_value/avg | ppo_actor/update/num_micro_batches  # parts of a check of
  the engine
"""

FRAMEWORK = Framework(
    id="areal",
    title="AReaL",
    version="1.0.4 wheel",
    kind="llm",
    aliases=aliases(NAMES),
)
