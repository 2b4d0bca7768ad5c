"""Names that OpenRLHF logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Alias, Framework

PPO_REINFORCE__RLOO = ("PPO", "REINFORCE++", "RLOO", "GRPO")
SFT_RM_DPO = ("SFT", "RM", "DPO")

FRAMEWORK = Framework(
    id="openrlhf",
    title="OpenRLHF",
    version="0.11.2 wheel",
    kind="llm",
    aliases=(
        Alias("policy_loss", "policy/loss", PPO_REINFORCE__RLOO),
        Alias(
            "entropy_loss", "policy/entropy", PPO_REINFORCE__RLOO, note="H from logits, token mean"
        ),
        Alias(
            "ppo_clip_ratio",
            "policy/clip_fraction",
            PPO_REINFORCE__RLOO,
            note="masked mean(surr2 < surr1)",
        ),
        Alias("ppo_kl", "policy/kl_old", PPO_REINFORCE__RLOO, note="masked mean(old - new)"),
        Alias("vllm_kl", "mismatch/kl", PPO_REINFORCE__RLOO, note="masked mean(lp_vllm - lp_old)"),
        Alias("is_filter_ratio", "mismatch/masked_fraction", PPO_REINFORCE__RLOO),
        Alias(
            "kl", "policy/kl_ref", PPO_REINFORCE__RLOO, note="k1, k2 or k3 per token, masked mean"
        ),
        Alias(
            "logprobs_diff",
            "policy/kl_ref",
            PPO_REINFORCE__RLOO,
            labels={"estimator": "k1"},
            note="masked mean(logp - ref)",
        ),
        Alias("reward", "reward/score_mean", PPO_REINFORCE__RLOO, note="mean over samples"),
        Alias("score", "outcome/success_rate", PPO_REINFORCE__RLOO),
        Alias("return", "returns/mean", PPO_REINFORCE__RLOO),
        Alias(
            "group_reward_std",
            "reward/group_std_mean",
            ("RLOO", "GRPO", "REINFORCE++-baseline"),
            note="mean over samples, unbiased",
        ),
        Alias("response_length", "length/response_mean", PPO_REINFORCE__RLOO),
        Alias("total_length", "length/total_mean", PPO_REINFORCE__RLOO),
        Alias(
            "truncated",
            "length/response_clip_ratio",
            PPO_REINFORCE__RLOO,
            note="mean(finish_reason == length)",
        ),
        Alias(
            "response_clip_ratio",
            "length/response_clip_ratio",
            PPO_REINFORCE__RLOO,
            labels={"kind": "context_full"},
            note="mean(total_length >= window)",
        ),
        Alias("actor_lr", "policy/learning_rate", PPO_REINFORCE__RLOO),
        Alias("actor_grad_norm", "policy/grad_norm", PPO_REINFORCE__RLOO),
        Alias("critic_loss", "value/loss", ("PPO",), note="0.5*mean(max(...))"),
        Alias("values", "value/pred_mean", ("PPO",)),
        Alias("critic_lr", "value/learning_rate", ("PPO",)),
        Alias("critic_grad_norm", "value/grad_norm", ("PPO",)),
        Alias("rollout/reward_mean", "reward/score_mean", PPO_REINFORCE__RLOO),
        Alias("rollout/reward_std", "reward/std", PPO_REINFORCE__RLOO, note="unbiased"),
        Alias("rollout/response_length_mean", "length/response_mean", PPO_REINFORCE__RLOO),
        Alias("rollout/truncated_rate", "length/response_clip_ratio", PPO_REINFORCE__RLOO),
        Alias("rollout/num_samples", "data/samples_per_step", PPO_REINFORCE__RLOO),
        Alias(
            "dynamic_filtering_pass_rate",
            "data/filtered_fraction",
            ("DAPO-style",),
            transform="1 - x/100",
        ),
        Alias("timing/make_experience", "time/experience_s", PPO_REINFORCE__RLOO),
        Alias("timing/ppo_train", "time/training_s", PPO_REINFORCE__RLOO),
        Alias("timing/broadcast", "time/weight_sync_s", PPO_REINFORCE__RLOO),
        Alias("timing/generation", "time/generation_s", PPO_REINFORCE__RLOO),
        Alias("timing/step_total", "time/step_s", PPO_REINFORCE__RLOO),
        Alias(
            "eval_{dataset}_pass1",
            "eval/score_mean",
            ("evaluation",),
            labels={"dataset": "{dataset}"},
        ),
        Alias(
            "eval_{dataset}_pass{n}",
            "eval/any_correct_at_n",
            ("evaluation",),
            labels={"dataset": "{dataset}", "n": "{n}"},
            note="mean(max)",
        ),
        Alias(
            "eval_{dataset}_response_length_mean",
            "eval/length/response_mean",
            ("evaluation",),
            labels={"dataset": "{dataset}"},
        ),
        Alias(
            "eval_{dataset}_truncated_rate",
            "eval/length/response_clip_ratio",
            ("evaluation",),
            labels={"dataset": "{dataset}"},
        ),
        Alias("eval_response_length_mean", "eval/length/response_mean", ("evaluation",)),
        Alias("eval_truncated_rate", "eval/length/response_clip_ratio", ("evaluation",)),
        Alias("eval_num_samples", None, ("evaluation",)),
        Alias("loss", "preference/loss", ("DPO",)),
        Alias("acc", "preference/accuracy", ("DPO",), note="mean(chosen > rejected)"),
        Alias("chosen_reward", "preference/chosen_reward", ("DPO",), note="beta*(pi - ref)"),
        Alias("reject_reward", "preference/rejected_reward", ("DPO",), note="beta*(pi - ref)"),
        Alias("nll_loss", "preference/nll_loss", ("DPO",)),
        Alias("loss_mean", "preference/loss", ("DPO",)),
        Alias("acc_mean", "preference/accuracy", ("DPO",)),
        Alias("loss", "rm/loss", ("RM",)),
        Alias("acc", "rm/accuracy", ("RM",)),
        Alias("chosen_reward", "rm/score_chosen_mean", ("RM",)),
        Alias("reject_reward", "rm/score_rejected_mean", ("RM",)),
        Alias("loss_mean", "rm/loss", ("RM",)),
        Alias("acc_mean", "rm/accuracy", ("RM",)),
        Alias("eval_loss", "eval/loss", ("DPO", "RM")),
        Alias("reward_mean", "eval/rm/score_mean", ("RM",)),
        Alias("reward_std", "eval/rm/score_std", ("RM",)),
        Alias("gpt_loss", "lm/loss", ("SFT",)),
        Alias("loss_mean", "lm/loss", ("SFT",)),
        Alias("eval gpt_loss", "eval/loss", ("SFT",)),
        Alias("aux_loss", "lm/aux_loss", ("SFT", "RM")),
        Alias("lr", "optim/learning_rate", SFT_RM_DPO),
        Alias("grad_norm", "optim/grad_norm", SFT_RM_DPO),
        *aliases(
            """
            none (a table of texts): generated_samples | train/generated_samples
            none (tokens of one batch, before padding is left out): num_action_tokens
            """
        ),
    ),
)
