"""What frameworks call the canonical metrics: the tables behind `names="verl"` and its kin.

Each table maps a canonical name to the names under which the framework logs it, with the factor
that turns our number into theirs. A metric that a framework does not log keeps its canonical name,
so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from runvitals.metrics._arrays import Scalar
from runvitals.model import ConfigError
from runvitals.model.labels import labelled as labelled
from runvitals.model.labels import split_labels as split_labels

Naming: TypeAlias = Literal["canonical", "verl", "trl", "sb3", "seed"]
Table: TypeAlias = Mapping[str, tuple[str, ...]]

_VERL: Table = {
    "policy/loss": ("actor/pg_loss",),
    "policy/loss_total": ("actor/loss",),
    "policy/kl_old": ("actor/ppo_kl",),
    "policy/clip_fraction": ("actor/pg_clipfrac",),
    "policy/clip_fraction_dual": ("actor/pg_clipfrac_lower",),
    "policy/entropy": ("actor/entropy",),
    "policy/kl_ref": ("actor/kl_loss",),
    "policy/kl_coef": ("actor/kl_coef",),
    "policy/grad_norm": ("actor/grad_norm",),
    "policy/learning_rate": ("actor/lr",),
    "value/loss": ("critic/vf_loss",),
    "value/clip_fraction": ("critic/vf_clipfrac",),
    "value/pred_mean": ("critic/vpred_mean",),
    "value/grad_norm": ("critic/grad_norm",),
    "value/learning_rate": ("critic/lr",),
    "value/mean": ("critic/values/mean",),
    "value/max": ("critic/values/max",),
    "value/min": ("critic/values/min",),
    "value/explained_variance": ("critic/vf_explained_var",),
    "reward/score_mean": ("critic/score/mean",),
    "reward/score_max": ("critic/score/max",),
    "reward/score_min": ("critic/score/min",),
    "reward/mean": ("critic/rewards/mean",),
    "reward/max": ("critic/rewards/max",),
    "reward/min": ("critic/rewards/min",),
    "advantage/mean": ("critic/advantages/mean",),
    "advantage/max": ("critic/advantages/max",),
    "advantage/min": ("critic/advantages/min",),
    "returns/mean": ("critic/returns/mean",),
    "returns/max": ("critic/returns/max",),
    "returns/min": ("critic/returns/min",),
    "length/response_mean": ("response_length/mean",),
    "length/response_max": ("response_length/max",),
    "length/response_min": ("response_length/min",),
    "length/response_clip_ratio": ("response_length/clip_ratio",),
    "length/response_nonaborted_mean": ("response_length_non_aborted/mean",),
    "length/aborted_ratio": ("response/aborted_ratio",),
    "length/prompt_mean": ("prompt_length/mean",),
    "length/prompt_max": ("prompt_length/max",),
    "length/prompt_min": ("prompt_length/min",),
    "length/prompt_clip_ratio": ("prompt_length/clip_ratio",),
    "agent/turns_mean": ("num_turns/mean",),
    "agent/turns_max": ("num_turns/max",),
    "agent/turns_min": ("num_turns/min",),
    "agent/tool_calls_mean": ("tool_call_counts/mean",),
    "eval/agent/turns_mean": ("val-aux/num_turns/mean",),
    "eval/agent/turns_max": ("val-aux/num_turns/max",),
    "eval/agent/turns_min": ("val-aux/num_turns/min",),
    "balance/seqlen_min": ("global_seqlen/min",),
    "balance/seqlen_max": ("global_seqlen/max",),
    "balance/seqlen_mean": ("global_seqlen/mean",),
    "balance/seqlen_diff": ("global_seqlen/minmax_diff",),
    "balance/seqlen_balanced_min": ("global_seqlen/balanced_min",),
    "balance/seqlen_balanced_max": ("global_seqlen/balanced_max",),
    "mismatch/kl": ("rollout_corr/kl",),
    "mismatch/k3_kl": ("rollout_corr/k3_kl",),
    "mismatch/ppl_train": ("rollout_corr/training_ppl",),
    "mismatch/ppl_rollout": ("rollout_corr/rollout_ppl",),
    "mismatch/log_ppl_diff_mean": ("rollout_corr/log_ppl_diff",),
    "mismatch/log_ppl_diff_abs": ("rollout_corr/log_ppl_abs_diff",),
    "mismatch/log_ppl_diff_max": ("rollout_corr/log_ppl_diff_max",),
    "mismatch/log_ppl_diff_min": ("rollout_corr/log_ppl_diff_min",),
    "mismatch/ppl_ratio": ("rollout_corr/ppl_ratio",),
    "mismatch/chi2_token": ("rollout_corr/chi2_token",),
    "mismatch/chi2_sequence": ("rollout_corr/chi2_seq",),
    "mismatch/is_weight_mean": ("rollout_corr/rollout_is_mean",),
    "mismatch/is_weight_max": ("rollout_corr/rollout_is_max",),
    "mismatch/is_weight_min": ("rollout_corr/rollout_is_min",),
    "mismatch/is_weight_std": ("rollout_corr/rollout_is_std",),
    "mismatch/is_weight_fraction_high": ("rollout_corr/rollout_is_ratio_fraction_high",),
    "mismatch/is_weight_fraction_low": ("rollout_corr/rollout_is_ratio_fraction_low",),
    "mismatch/effective_sample_size": ("rollout_corr/rollout_is_eff_sample_size",),
    "mismatch/masked_fraction": ("rollout_corr/rollout_rs_masked_fraction",),
    "mismatch/prob_diff_mean": ("training/rollout_probs_diff_mean",),
    "mismatch/prob_diff_max": ("training/rollout_probs_diff_max",),
    "mismatch/prob_diff_std": ("training/rollout_probs_diff_std",),
    "mismatch/prob_correlation": ("training/rollout_actor_probs_pearson_corr",),
    "time/step_s": ("perf/time_per_step", "timing_s/step"),
    "time/generation_s": ("timing_s/gen",),
    "time/reward_s": ("timing_s/reward",),
    "time/old_logprob_s": ("timing_s/old_log_prob",),
    "time/ref_logprob_s": ("timing_s/ref",),
    "time/value_s": ("timing_s/values",),
    "time/advantage_s": ("timing_s/adv",),
    "time/policy_update_s": ("timing_s/update_actor",),
    "time/value_update_s": ("timing_s/update_critic",),
    "time/weight_sync_s": ("timing_s/update_weights",),
    "time/per_token_ms": ("timing_per_token_ms/{stage}",),
    "data/tokens_per_step": ("perf/total_num_tokens",),
    "throughput/tokens_per_s_per_device": ("perf/throughput",),
    "throughput/mfu": ("perf/mfu/actor",),
    "throughput/mfu_inference": ("perf/mfu/actor_infer",),
    "throughput/mfu_value": ("perf/mfu/critic",),
    "reward/component_mean": ("gdpo/{component}/mean",),
    "reward/component_std": ("gdpo/{component}/std",),
    "reward/component_max": ("gdpo/{component}/max",),
    "reward/component_min": ("gdpo/{component}/min",),
    "eval/mean_at_n": ("{section}/{dataset}/{metric}/mean@{n}",),
    "eval/std_at_n": ("{section}/{dataset}/{metric}/std@{n}",),
    "eval/best_at_n": ("{section}/{dataset}/{metric}/best@{n}/{part}",),
    "eval/worst_at_n": ("{section}/{dataset}/{metric}/worst@{n}/{part}",),
    "eval/maj_at_n": ("{section}/{dataset}/{metric}/maj@{n}/{part}",),
}

_VERL_SFT: Table = {
    "lm/loss": ("train/loss",),
    "optim/grad_norm": ("train/grad_norm",),
    "optim/learning_rate": ("train/lr",),
    "throughput/mfu": ("train/mfu",),
    "data/tokens_per_step": ("train/global_tokens",),
    "eval/loss": ("val/loss",),
}

_TRL_ONLINE: Table = {
    "reward/score_mean": ("reward",),
    "reward/std": ("reward_std",),
    "reward/zero_std_fraction": ("frac_reward_zero_std",),
    "reward/component_mean": ("rewards/{component}/mean",),
    "reward/component_std": ("rewards/{component}/std",),
    "length/response_mean": ("completions/mean_length",),
    "length/response_min": ("completions/min_length",),
    "length/response_max": ("completions/max_length",),
    "length/response_clip_ratio": ("completions/clipped_ratio",),
    "length/response_terminated_mean": ("completions/mean_terminated_length",),
    "length/response_terminated_min": ("completions/min_terminated_length",),
    "length/response_terminated_max": ("completions/max_terminated_length",),
    "policy/loss_total": ("loss",),
    "policy/loss": ("policy_loss",),
    "policy/kl_ref": ("kl",),
    "policy/entropy": ("entropy",),
    "policy/clip_fraction": ("clip_ratio/region_mean",),
    "policy/clip_fraction_low": ("clip_ratio/low_mean",),
    "policy/clip_fraction_high": ("clip_ratio/high_mean",),
    "mismatch/logprob_diff_mean": ("sampling/sampling_logp_difference/mean",),
    "mismatch/logprob_diff_max": ("sampling/sampling_logp_difference/max",),
    "mismatch/is_weight_mean": ("sampling/importance_sampling_ratio/mean",),
    "mismatch/is_weight_min": ("sampling/importance_sampling_ratio/min",),
    "mismatch/is_weight_max": ("sampling/importance_sampling_ratio/max",),
    "agent/tool_calls_mean": ("tools/call_frequency",),
    "agent/tool_failure_rate": ("tools/failure_frequency",),
    "optim/grad_norm": ("grad_norm",),
    "policy/grad_norm": ("grad_norm",),
    "optim/learning_rate": ("learning_rate",),
    "policy/learning_rate": ("learning_rate",),
    "time/step_s": ("step_time",),
}

_TRL_PPO: Table = {
    "policy/kl_ref_sequence": ("objective/kl",),
    "policy/entropy_sequence": ("objective/entropy",),
    "reward/kl_penalty_mean": ("objective/non_score_reward",),
    "reward/mean": ("objective/rlhf_reward",),
    "reward/score_mean": ("objective/scores",),
    "policy/approx_kl": ("policy/approxkl_avg",),
    "policy/clip_fraction": ("policy/clipfrac_avg",),
    "policy/entropy": ("policy/entropy_avg",),
    "policy/loss": ("loss/policy_avg",),
    "value/loss": ("loss/value_avg",),
    "value/clip_fraction": ("val/clipfrac_avg",),
    "policy/ratio_mean": ("val/ratio",),
    "policy/ratio_var": ("val/ratio_var",),
    "optim/learning_rate": ("lr",),
    "policy/learning_rate": ("lr",),
}

_TRL_DPO: Table = {
    "preference/loss": ("loss",),
    "preference/chosen_reward": ("rewards/chosen",),
    "preference/rejected_reward": ("rewards/rejected",),
    "preference/margin": ("rewards/margins",),
    "preference/accuracy": ("rewards/accuracies",),
    "preference/chosen_logprob": ("logps/chosen",),
    "preference/rejected_logprob": ("logps/rejected",),
    "preference/nll_loss": ("nll_loss",),
    "preference/log_odds_ratio": ("log_odds_ratio",),
    "preference/log_odds_chosen": ("log_odds_chosen",),
    "preference/kl": ("kl",),
    "optim/grad_norm": ("grad_norm",),
    "optim/learning_rate": ("learning_rate",),
}

_TRL_RM: Table = {
    "rm/loss": ("loss",),
    "rm/accuracy": ("accuracy",),
    "rm/margin": ("margin",),
    "rm/score_mean": ("mean_reward",),
    "rm/score_min": ("min_reward",),
    "rm/score_max": ("max_reward",),
    "rm/grad_norm": ("grad_norm",),
    "optim/learning_rate": ("learning_rate",),
}

_TRL_SFT: Table = {
    "lm/loss": ("loss",),
    "lm/token_accuracy": ("mean_token_accuracy",),
    "lm/entropy": ("entropy",),
    "optim/grad_norm": ("grad_norm",),
    "optim/learning_rate": ("learning_rate",),
}

_SB3: Table = {
    "policy/approx_kl": ("train/approx_kl",),
    "policy/clip_fraction": ("train/clip_fraction",),
    "policy/clip_range": ("train/clip_range",),
    "policy/entropy": ("train/entropy_loss",),
    "policy/loss": ("train/policy_gradient_loss",),
    "policy/action_std": ("train/std",),
    "value/loss": ("train/value_loss",),
    "value/explained_variance": ("train/explained_variance",),
    "optim/loss": ("train/loss",),
    "optim/learning_rate": ("train/learning_rate",),
    "policy/learning_rate": ("train/learning_rate",),
    "outcome/return_mean": ("rollout/ep_rew_mean",),
    "outcome/episode_length_mean": ("rollout/ep_len_mean",),
    "outcome/success_rate": ("rollout/success_rate",),
    "throughput/env_steps_per_s": ("time/fps",),
    "eval/return_mean": ("eval/mean_reward",),
    "eval/episode_length_mean": ("eval/mean_ep_length",),
}

# Every name that the guides use for a metric, so that one call fills all of their tables.
_SEED: Table = {
    "reward/score_mean": ("env/reward_mean",),
    "reward/score_std": ("env/reward_std",),
    "reward/mean": ("critic/rewards/mean", "rewards", "Train/AvgReward", "reward_mean", "reward"),
    "reward/std": ("Train/RewardStd",),
    "reward/var": ("Train/RewardVariance",),
    "reward/min": ("Train/RewardMin",),
    "reward/max": ("Train/RewardMax",),
    "reward/kl_penalty_mean": ("ppo/mean_non_score_reward",),
    "reward/component_mean": ("{component}",),
    "policy/kl_ref_sequence": ("objective/kl",),
    "policy/kl_coef": ("objective/kl_coef", "actor/kl_coef"),
    "policy/kl_ref": ("actor/kl_loss",),
    "policy/kl_loss": ("Train/KLPenalty",),
    "policy/entropy_sequence": ("objective/entropy",),
    "policy/entropy": ("ppo/policy/entropy", "actor/entropy", "actor/entropy_loss", "entropy"),
    "policy/clip_fraction": ("ppo/policy/clipfrac", "actor/pg_clipfrac", "clipfrac"),
    "policy/approx_kl": (
        "ppo/policy/approxkl",
        "actor/approx_kl",
        "policy/approx_kl",
        "approx_kl",
    ),
    "policy/kl_old": ("actor/ppo_kl",),
    "policy/ratio_mean": ("ppo/policy/ratio",),
    "policy/clip_range": ("clip_epsilon",),
    "policy/loss": ("ppo/loss/policy", "actor/pg_loss", "Train/PolicyLoss"),
    "policy/loss_total": ("actor/loss", "Train/Loss"),
    "policy/grad_norm": ("actor/grad_norm", "pg_grad_norm"),
    "policy/learning_rate": ("actor/lr", "current_lr"),
    "policy/logprob_mean": ("objective/logprobs",),
    "policy/logprob_ref_mean": ("objective/ref_logprobs",),
    "policy/temperature": ("current_temperature",),
    "policy/action_share": ("action_replica_{action}",),
    "advantage/mean": ("ppo/policy/advantages_mean", "critic/advantages/mean"),
    "advantage/std": ("critic/advantages/std",),
    "value/mean": ("ppo/val/mean", "critic/value/mean"),
    "value/var": ("ppo/val/var",),
    "value/error": ("ppo/val/error",),
    "value/explained_variance": ("ppo/val/var_explained",),
    "value/clip_fraction": ("ppo/val/clipfrac",),
    "value/loss": ("ppo/loss/value", "critic/loss"),
    "value/learning_rate": ("critic/lr",),
    "returns/mean": ("ppo/returns/mean",),
    "returns/var": ("ppo/returns/var",),
    "optim/loss": ("ppo/loss/total",),
    "length/prompt_mean": ("tokens/queries_len_mean", "prompt_length/mean"),
    "length/prompt_max": ("prompt_length/max",),
    "length/prompt_clip_ratio": ("prompt_length/clip_ratio",),
    "length/response_mean": ("tokens/responses_len_mean", "response_length/mean"),
    "length/response_std": ("tokens/responses_len_std",),
    "length/response_max": ("response_length/max",),
    "length/response_clip_ratio": ("response_length/clip_ratio",),
    "length/aborted_ratio": ("response/aborted_ratio",),
    "agent/turns_min": ("num_turns/min",),
    "agent/turns_max": ("num_turns/max",),
    "agent/turns_mean": ("num_turns/mean",),
    "preference/loss": ("loss/dpo",),
    "preference/chosen_reward": ("rewards/chosen",),
    "preference/rejected_reward": ("rewards/rejected",),
    "preference/margin": ("rewards/margins",),
    "preference/accuracy": ("rewards/accuracy",),
    "rm/loss": ("rm/loss",),
    "rm/accuracy": ("rm/accuracy",),
    "rm/margin": ("rm/reward_margin",),
    "rm/grad_norm": ("rm/grad_norm",),
    "outcome/return_mean": ("avg_return", "avg_reward"),
    "outcome/win_rate": ("win_rate",),
    "outcome/win_rate{smoothing=ema}": ("win_rate_ema",),
    "throughput/env_steps_per_s": ("SPS",),
    "throughput/updates_per_s": ("updates_per_sec",),
    "throughput/generation_tokens_per_s": ("Performance/Generation_TokensPerSec",),
    "throughput/generation_tokens_per_s{stat=mean}": ("Performance/Generation_AvgTokensPerSec",),
    "throughput/generation_tokens_per_s{stat=p99}": ("Performance/Generation_P99TokensPerSec",),
    "throughput/tokens_per_s": ("Performance/Backprop_TokensPerSec",),
    "throughput/tokens_per_s{stat=mean}": ("Performance/Backprop_AvgTokensPerSec",),
    "throughput/tokens_per_s{stat=p99}": ("Performance/Backprop_P99TokensPerSec",),
    "time/generation_s": ("timing_s/gen", "Performance/Generation_Time"),
    "data/samples_per_step": ("Epoch/NumSamples",),
}

# The seeds' glossary uses veRL's names for all that it has no own name for.
_SEED_FALLBACK = (
    "balance/",
    "time/",
    "throughput/",
    "data/tokens_per_step",
    "eval/",
)

_TABLES: Mapping[str, Mapping[str, Table]] = {
    "verl": {"": _VERL, "sft": _VERL_SFT},
    "trl": {
        "": _TRL_ONLINE,
        "ppo": _TRL_PPO,
        "dpo": _TRL_DPO,
        "rm": _TRL_RM,
        "sft": _TRL_SFT,
        "validation": {k: v for k, v in _VERL.items() if k.startswith("eval/")},
        "episodes": {},
        "speed": {},
    },
    "sb3": {"": _SB3},
    "seed": {
        "": {**{k: v for k, v in _VERL.items() if k.startswith(_SEED_FALLBACK)}, **_SEED},
    },
}

_FACTORS: Mapping[tuple[str, str], float] = {
    ("sb3", "policy/entropy"): -1.0,  # logged as a loss
}


def table(names: str, family: str = "") -> Table:
    """The table of one framework for one family of bundles."""
    try:
        found = _TABLES[names]
    except KeyError:
        known = ", ".join(["canonical", *_TABLES])
        raise ConfigError(f"unknown naming {names!r}", hint=f"one of: {known}") from None
    return found.get(family, found[""])


def rename(
    values: Mapping[str, Scalar], names: Naming = "canonical", family: str = ""
) -> dict[str, Scalar]:
    """The same numbers under the names, and with the signs, that a framework would log.

    >>> rename({"policy/entropy": 0.5}, "sb3")
    {'train/entropy_loss': -0.5}
    """
    if names == "canonical":
        return dict(values)
    known = table(names, family)
    found: dict[str, Scalar] = {}
    for name, value in values.items():
        plain, labels = split_labels(name)
        theirs = known.get(name) or known.get(plain)
        factor = _FACTORS.get((names, plain), 1.0)
        if theirs is None or (labels and name not in known and "{" not in theirs[0]):
            found[name] = value
            continue
        for pattern in theirs:
            try:
                new = pattern.format(**labels)
            except KeyError:
                new = name
            found[new] = value if factor == 1.0 else value * factor
    return found
