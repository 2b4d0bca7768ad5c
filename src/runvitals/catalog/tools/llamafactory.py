"""Names that LLaMA-Factory logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
progress/step: current_steps
progress/total_steps: total_steps
progress/fraction (scale=0.01): percentage
lm/loss: loss [SFT | PT]
preference/loss: loss [DPO | KTO | ORPO | SimPO]
rm/loss: loss [RM]
optim/loss: loss [PPO]  # mean of ppo/loss/total
eval/loss: eval_loss
eval/loss (split=predict): predict_loss
reward/score_mean: reward [PPO]
preference/accuracy: accuracy [DPO | ORPO | SimPO]
optim/learning_rate: lr
progress/epoch: epoch
time/elapsed_s: elapsed_time
time/remaining_s: remaining_time
throughput/tokens_per_s: throughput
progress/tokens: total_tokens
system/gpu_memory_allocated_gb: vram_allocated
system/gpu_memory_reserved_gb: vram_reserved
throughput/tokens_per_s_per_device: effective_tokens_per_sec [SFT | DPO]  # tokens / time / devices
preference/chosen_reward: rewards/chosen [DPO | KTO | ORPO | SimPO]  # as TRL
preference/rejected_reward: rewards/rejected [DPO | KTO | ORPO | SimPO]  # as TRL
preference/accuracy: rewards/accuracies [DPO | ORPO | SimPO]
[DPO | KTO | ORPO | SimPO]
preference/margin: rewards/margins
preference/chosen_logprob: logps/chosen
preference/rejected_logprob: logps/rejected
preference/chosen_logits: logits/chosen
preference/rejected_logits: logits/rejected
preference/nll_loss: sft_loss [ORPO]
preference/log_odds_ratio (scale=-1): odds_ratio_loss [ORPO]
preference/kl: kl [KTO]
eval/lm/token_accuracy: eval_accuracy [SFT]
eval/rm/accuracy: eval_accuracy [RM]
eval/perplexity: eval_perplexity [PT]
eval/score_mean (metric=rouge-1): predict_rouge-1 [SFT]
"""

FRAMEWORK = Framework(
    id="llamafactory",
    title="LLaMA-Factory",
    version="0.9.5 wheel",
    inherits=("trl", "transformers"),
    names=("llama-factory",),
    kind="llm",
    aliases=aliases(NAMES),
)
