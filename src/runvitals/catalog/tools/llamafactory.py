"""Names that LLaMA-Factory logs, and the metrics they are."""

from runvitals.model import Alias, Framework

DPO_KTO_ORPO = ("DPO", "KTO", "ORPO", "SimPO")
DPO_ORPO_SIMPO = ("DPO", "ORPO", "SimPO")

FRAMEWORK = Framework(
    id="llamafactory",
    title="LLaMA-Factory",
    version="0.9.5 wheel",
    inherits=("trl", "transformers"),
    names=("llama-factory",),
    kind="llm",
    aliases=(
        Alias("current_steps", "progress/step"),
        Alias("total_steps", "progress/total_steps"),
        Alias("percentage", "progress/fraction", scale=0.01),
        Alias("loss", "lm/loss", ("SFT", "PT")),
        Alias("loss", "preference/loss", DPO_KTO_ORPO),
        Alias("loss", "rm/loss", ("RM",)),
        Alias("loss", "optim/loss", ("PPO",), note="mean of ppo/loss/total"),
        Alias("eval_loss", "eval/loss"),
        Alias("predict_loss", "eval/loss", labels={"split": "predict"}),
        Alias("reward", "reward/score_mean", ("PPO",)),
        Alias("accuracy", "preference/accuracy", DPO_ORPO_SIMPO),
        Alias("lr", "optim/learning_rate"),
        Alias("epoch", "progress/epoch"),
        Alias("elapsed_time", "time/elapsed_s"),
        Alias("remaining_time", "time/remaining_s"),
        Alias("throughput", "throughput/tokens_per_s"),
        Alias("total_tokens", "progress/tokens"),
        Alias("vram_allocated", "system/gpu_memory_allocated_gb"),
        Alias("vram_reserved", "system/gpu_memory_reserved_gb"),
        Alias(
            "effective_tokens_per_sec",
            "throughput/tokens_per_s_per_device",
            ("SFT", "DPO"),
            note="tokens / time / devices",
        ),
        Alias("rewards/chosen", "preference/chosen_reward", DPO_KTO_ORPO, note="as TRL"),
        Alias("rewards/rejected", "preference/rejected_reward", DPO_KTO_ORPO, note="as TRL"),
        Alias("rewards/accuracies", "preference/accuracy", DPO_ORPO_SIMPO),
        Alias("rewards/margins", "preference/margin", DPO_KTO_ORPO),
        Alias("logps/chosen", "preference/chosen_logprob", DPO_KTO_ORPO),
        Alias("logps/rejected", "preference/rejected_logprob", DPO_KTO_ORPO),
        Alias("logits/chosen", "preference/chosen_logits", DPO_KTO_ORPO),
        Alias("logits/rejected", "preference/rejected_logits", DPO_KTO_ORPO),
        Alias("sft_loss", "preference/nll_loss", ("ORPO",)),
        Alias("odds_ratio_loss", "preference/log_odds_ratio", ("ORPO",), scale=-1.0),
        Alias("kl", "preference/kl", ("KTO",)),
        Alias("eval_accuracy", "eval/lm/token_accuracy", ("SFT",)),
        Alias("eval_accuracy", "eval/rm/accuracy", ("RM",)),
        Alias("eval_perplexity", "eval/perplexity", ("PT",)),
        Alias("predict_rouge-1", "eval/score_mean", ("SFT",), labels={"metric": "rouge-1"}),
    ),
)
