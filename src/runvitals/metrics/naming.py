"""What frameworks call the canonical metrics: the tables behind `names="verl"` and its kin.

Each table maps a canonical name to the names under which the framework logs it, with the factor
that turns our number into theirs. A metric that a framework does not log keeps its canonical name,
so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from runvitals.metrics._types import Scalar
from runvitals.model import ConfigError
from runvitals.model.text import labelled as labelled
from runvitals.model.text import split_labels as split_labels

Naming: TypeAlias = Literal["canonical", "verl", "trl", "sb3", "seed"]
Table: TypeAlias = Mapping[str, tuple[str, ...]]


def _table(page: str) -> Table:
    """A line is `subject: metric = their name, another; metric = ...`; an indented one continues it."""
    found = {}
    for line in page.strip().replace("\n  ", " ").splitlines():
        subject, _, entries = line.partition(": ")
        for entry in entries.split("; "):
            metric, _, theirs = entry.partition(" = ")
            found[f"{subject}/{metric}"] = tuple(theirs.split(", "))
    return found


_VERL = _table("""
policy: loss = actor/pg_loss; loss_total = actor/loss; kl_old = actor/ppo_kl;
  clip_fraction = actor/pg_clipfrac; clip_fraction_dual = actor/pg_clipfrac_lower;
  entropy = actor/entropy; kl_ref = actor/kl_loss; kl_coef = actor/kl_coef;
  grad_norm = actor/grad_norm; learning_rate = actor/lr
value: loss = critic/vf_loss; clip_fraction = critic/vf_clipfrac; pred_mean = critic/vpred_mean;
  grad_norm = critic/grad_norm; learning_rate = critic/lr; mean = critic/values/mean;
  max = critic/values/max; min = critic/values/min; explained_variance = critic/vf_explained_var
reward: score_mean = critic/score/mean; score_max = critic/score/max; score_min = critic/score/min;
  mean = critic/rewards/mean; max = critic/rewards/max; min = critic/rewards/min;
  component_mean = gdpo/{component}/mean; component_std = gdpo/{component}/std;
  component_max = gdpo/{component}/max; component_min = gdpo/{component}/min
advantage: mean = critic/advantages/mean; max = critic/advantages/max; min = critic/advantages/min
returns: mean = critic/returns/mean; max = critic/returns/max; min = critic/returns/min
length: response_mean = response_length/mean; response_max = response_length/max;
  response_min = response_length/min; response_clip_ratio = response_length/clip_ratio;
  response_nonaborted_mean = response_length_non_aborted/mean;
  aborted_ratio = response/aborted_ratio; prompt_mean = prompt_length/mean;
  prompt_max = prompt_length/max; prompt_min = prompt_length/min;
  prompt_clip_ratio = prompt_length/clip_ratio
agent: turns_mean = num_turns/mean; turns_max = num_turns/max; turns_min = num_turns/min;
  tool_calls_mean = tool_call_counts/mean
eval: agent/turns_mean = val-aux/num_turns/mean; agent/turns_max = val-aux/num_turns/max;
  agent/turns_min = val-aux/num_turns/min; mean_at_n = {section}/{dataset}/{metric}/mean@{n};
  std_at_n = {section}/{dataset}/{metric}/std@{n};
  best_at_n = {section}/{dataset}/{metric}/best@{n}/{part};
  worst_at_n = {section}/{dataset}/{metric}/worst@{n}/{part};
  maj_at_n = {section}/{dataset}/{metric}/maj@{n}/{part}
balance: seqlen_min = global_seqlen/min; seqlen_max = global_seqlen/max;
  seqlen_mean = global_seqlen/mean; seqlen_diff = global_seqlen/minmax_diff;
  seqlen_balanced_min = global_seqlen/balanced_min; seqlen_balanced_max = global_seqlen/balanced_max
mismatch: kl = rollout_corr/kl; k3_kl = rollout_corr/k3_kl; ppl_train = rollout_corr/training_ppl;
  ppl_rollout = rollout_corr/rollout_ppl; log_ppl_diff_mean = rollout_corr/log_ppl_diff;
  log_ppl_diff_abs = rollout_corr/log_ppl_abs_diff;
  log_ppl_diff_max = rollout_corr/log_ppl_diff_max;
  log_ppl_diff_min = rollout_corr/log_ppl_diff_min; ppl_ratio = rollout_corr/ppl_ratio;
  chi2_token = rollout_corr/chi2_token; chi2_sequence = rollout_corr/chi2_seq;
  is_weight_mean = rollout_corr/rollout_is_mean; is_weight_max = rollout_corr/rollout_is_max;
  is_weight_min = rollout_corr/rollout_is_min; is_weight_std = rollout_corr/rollout_is_std;
  is_weight_fraction_high = rollout_corr/rollout_is_ratio_fraction_high;
  is_weight_fraction_low = rollout_corr/rollout_is_ratio_fraction_low;
  effective_sample_size = rollout_corr/rollout_is_eff_sample_size;
  masked_fraction = rollout_corr/rollout_rs_masked_fraction;
  prob_diff_mean = training/rollout_probs_diff_mean;
  prob_diff_max = training/rollout_probs_diff_max; prob_diff_std = training/rollout_probs_diff_std;
  prob_correlation = training/rollout_actor_probs_pearson_corr
time: step_s = perf/time_per_step, timing_s/step; generation_s = timing_s/gen;
  reward_s = timing_s/reward; old_logprob_s = timing_s/old_log_prob; ref_logprob_s = timing_s/ref;
  value_s = timing_s/values; advantage_s = timing_s/adv; policy_update_s = timing_s/update_actor;
  value_update_s = timing_s/update_critic; weight_sync_s = timing_s/update_weights;
  per_token_ms = timing_per_token_ms/{stage}
data: tokens_per_step = perf/total_num_tokens
throughput: tokens_per_s_per_device = perf/throughput; mfu = perf/mfu/actor;
  mfu_inference = perf/mfu/actor_infer; mfu_value = perf/mfu/critic
""")

_VERL_SFT = _table("""
lm: loss = train/loss
optim: grad_norm = train/grad_norm; learning_rate = train/lr
throughput: mfu = train/mfu
data: tokens_per_step = train/global_tokens
eval: loss = val/loss
""")

_TRL_ONLINE = _table("""
reward: score_mean = reward; std = reward_std; zero_std_fraction = frac_reward_zero_std;
  component_mean = rewards/{component}/mean; component_std = rewards/{component}/std
length: response_mean = completions/mean_length; response_min = completions/min_length;
  response_max = completions/max_length; response_clip_ratio = completions/clipped_ratio;
  response_terminated_mean = completions/mean_terminated_length;
  response_terminated_min = completions/min_terminated_length;
  response_terminated_max = completions/max_terminated_length
policy: loss_total = loss; loss = policy_loss; kl_ref = kl; entropy = entropy;
  clip_fraction = clip_ratio/region_mean; clip_fraction_low = clip_ratio/low_mean;
  clip_fraction_high = clip_ratio/high_mean; grad_norm = grad_norm; learning_rate = learning_rate
mismatch: logprob_diff_mean = sampling/sampling_logp_difference/mean;
  logprob_diff_max = sampling/sampling_logp_difference/max;
  is_weight_mean = sampling/importance_sampling_ratio/mean;
  is_weight_min = sampling/importance_sampling_ratio/min;
  is_weight_max = sampling/importance_sampling_ratio/max
agent: tool_calls_mean = tools/call_frequency; tool_failure_rate = tools/failure_frequency
optim: grad_norm = grad_norm; learning_rate = learning_rate
time: step_s = step_time
""")

_TRL_PPO = _table("""
policy: kl_ref_sequence = objective/kl; entropy_sequence = objective/entropy;
  approx_kl = policy/approxkl_avg; clip_fraction = policy/clipfrac_avg;
  entropy = policy/entropy_avg; loss = loss/policy_avg; ratio_mean = val/ratio;
  ratio_var = val/ratio_var; learning_rate = lr
reward: kl_penalty_mean = objective/non_score_reward; mean = objective/rlhf_reward;
  score_mean = objective/scores
value: loss = loss/value_avg; clip_fraction = val/clipfrac_avg
optim: learning_rate = lr
""")

_TRL_DPO = _table("""
preference: loss = loss; chosen_reward = rewards/chosen; rejected_reward = rewards/rejected;
  margin = rewards/margins; accuracy = rewards/accuracies; chosen_logprob = logps/chosen;
  rejected_logprob = logps/rejected; nll_loss = nll_loss; log_odds_ratio = log_odds_ratio;
  log_odds_chosen = log_odds_chosen; kl = kl
optim: grad_norm = grad_norm; learning_rate = learning_rate
""")

_TRL_RM = _table("""
rm: loss = loss; accuracy = accuracy; margin = margin; score_mean = mean_reward;
  score_min = min_reward; score_max = max_reward; grad_norm = grad_norm
optim: learning_rate = learning_rate
""")

_TRL_SFT = _table("""
lm: loss = loss; token_accuracy = mean_token_accuracy; entropy = entropy
optim: grad_norm = grad_norm; learning_rate = learning_rate
""")

_SB3 = _table("""
policy: approx_kl = train/approx_kl; clip_fraction = train/clip_fraction;
  clip_range = train/clip_range; entropy = train/entropy_loss; loss = train/policy_gradient_loss;
  action_std = train/std; learning_rate = train/learning_rate
value: loss = train/value_loss; explained_variance = train/explained_variance
optim: loss = train/loss; learning_rate = train/learning_rate
outcome: return_mean = rollout/ep_rew_mean; episode_length_mean = rollout/ep_len_mean;
  success_rate = rollout/success_rate
throughput: env_steps_per_s = time/fps
eval: return_mean = eval/mean_reward; episode_length_mean = eval/mean_ep_length
""")

# Every name that the guides use for a metric, so that one call fills all of their tables.
_SEED = _table("""
reward: score_mean = env/reward_mean; score_std = env/reward_std;
  mean = critic/rewards/mean, rewards, Train/AvgReward, reward_mean, reward; std = Train/RewardStd;
  var = Train/RewardVariance; min = Train/RewardMin; max = Train/RewardMax;
  kl_penalty_mean = ppo/mean_non_score_reward; component_mean = {component}
policy: kl_ref_sequence = objective/kl; kl_coef = objective/kl_coef, actor/kl_coef;
  kl_ref = actor/kl_loss; kl_loss = Train/KLPenalty; entropy_sequence = objective/entropy;
  entropy = ppo/policy/entropy, actor/entropy, actor/entropy_loss, entropy;
  clip_fraction = ppo/policy/clipfrac, actor/pg_clipfrac, clipfrac;
  approx_kl = ppo/policy/approxkl, actor/approx_kl, policy/approx_kl, approx_kl;
  kl_old = actor/ppo_kl; ratio_mean = ppo/policy/ratio; clip_range = clip_epsilon;
  loss = ppo/loss/policy, actor/pg_loss, Train/PolicyLoss; loss_total = actor/loss, Train/Loss;
  grad_norm = actor/grad_norm, pg_grad_norm; learning_rate = actor/lr, current_lr;
  logprob_mean = objective/logprobs; logprob_ref_mean = objective/ref_logprobs;
  temperature = current_temperature; action_share = action_replica_{action}
advantage: mean = ppo/policy/advantages_mean, critic/advantages/mean; std = critic/advantages/std
value: mean = ppo/val/mean, critic/value/mean; var = ppo/val/var; error = ppo/val/error;
  explained_variance = ppo/val/var_explained; clip_fraction = ppo/val/clipfrac;
  loss = ppo/loss/value, critic/loss; learning_rate = critic/lr
returns: mean = ppo/returns/mean; var = ppo/returns/var
optim: loss = ppo/loss/total
length: prompt_mean = tokens/queries_len_mean, prompt_length/mean; prompt_max = prompt_length/max;
  prompt_clip_ratio = prompt_length/clip_ratio;
  response_mean = tokens/responses_len_mean, response_length/mean;
  response_std = tokens/responses_len_std; response_max = response_length/max;
  response_clip_ratio = response_length/clip_ratio; aborted_ratio = response/aborted_ratio
agent: turns_min = num_turns/min; turns_max = num_turns/max; turns_mean = num_turns/mean
preference: loss = loss/dpo; chosen_reward = rewards/chosen; rejected_reward = rewards/rejected;
  margin = rewards/margins; accuracy = rewards/accuracy
rm: loss = rm/loss; accuracy = rm/accuracy; margin = rm/reward_margin; grad_norm = rm/grad_norm
outcome: return_mean = avg_return, avg_reward; win_rate = win_rate;
  win_rate{smoothing=ema} = win_rate_ema
throughput: env_steps_per_s = SPS; updates_per_s = updates_per_sec;
  generation_tokens_per_s = Performance/Generation_TokensPerSec;
  generation_tokens_per_s{stat=mean} = Performance/Generation_AvgTokensPerSec;
  generation_tokens_per_s{stat=p99} = Performance/Generation_P99TokensPerSec;
  tokens_per_s = Performance/Backprop_TokensPerSec;
  tokens_per_s{stat=mean} = Performance/Backprop_AvgTokensPerSec;
  tokens_per_s{stat=p99} = Performance/Backprop_P99TokensPerSec
time: generation_s = timing_s/gen, Performance/Generation_Time
data: samples_per_step = Epoch/NumSamples
""")

# The seeds' glossary uses veRL's names for all that it has no own name for.
_SEED_FALLBACK = ("balance/", "time/", "throughput/", "data/tokens_per_step", "eval/")

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
    "seed": {"": {**{k: v for k, v in _VERL.items() if k.startswith(_SEED_FALLBACK)}, **_SEED}},
}

_FACTORS: Mapping[tuple[str, str], float] = {
    ("sb3", "policy/entropy"): -1.0  # logged as a loss
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
