"""Names that TRL logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Alias, Framework

REWARD_PRM = ("Reward", "PRM")
DPO_CPO_SIMPO = ("DPO", "CPO", "SimPO", "ORPO", "KTO", "BCO", "TPO", "OnlineDPO", "XPO", "NashMD")
DPO_CPO_SIMPO_7 = ("DPO", "CPO", "SimPO", "ORPO", "KTO", "BCO", "TPO")
GRPO_RLOO_DISTILLATION = ("GRPO", "RLOO", "Distillation")
GRPO_RLOO_GMPO = ("GRPO", "RLOO", "GMPO", "AsyncGRPO")
GRPO_DISTILLATION = ("GRPO", "Distillation")
WINRATECALLBACK = ("WinRateCallback",)
PPO_RLOO_OLD_ONLINEDPO = ("PPO", "RLOO-old", "OnlineDPO")
PPO_RLOO_OLD = ("PPO", "RLOO-old")
XPO_NASHMD = ("XPO", "NashMD")
DDPO_ALIGNPROP = ("DDPO", "AlignProp")
GOLD_GKD_IW_OPD = ("GOLD", "GKD", "IW-OPD")
ASYNCGRPO_ASYNCDISTILLATION = ("AsyncGRPO", "AsyncDistillation")

FRAMEWORK = Framework(
    id="trl",
    title="TRL",
    version="1.16.0",
    inherits=("transformers",),
    kind="llm",
    aliases=(
        Alias("loss", "lm/loss", ("SFT",)),
        Alias(
            "loss",
            "preference/loss",
            ("DPO", "KTO", "CPO", "SimPO", "ORPO", "BCO", "TPO", "OnlineDPO", "NashMD", "XPO"),
        ),
        Alias("loss", "rm/loss", REWARD_PRM),
        Alias("loss", "policy/loss_total", ("GRPO", "RLOO")),
        Alias("loss", "distill/loss", ("GKD", "Distillation")),
        Alias("grad_norm", "optim/grad_norm"),
        Alias("learning_rate", "optim/learning_rate"),
        Alias("epoch", "progress/epoch"),
        Alias(
            "num_tokens",
            "progress/tokens",
            ("SFT", "DPO", "KTO", "Reward", "GRPO", "RLOO", "Distillation"),
            versions=">=0.16",
        ),
        Alias(
            "mean_token_accuracy",
            "lm/token_accuracy",
            ("SFT", "DPO", "TPO"),
            versions="SFT >=0.15, DPO >=0.29",
        ),
        Alias(
            "entropy",
            "lm/entropy",
            ("SFT", "DPO", "KTO", "TPO", "Distillation"),
            versions="SFT >=0.22, DPO >=0.29",
        ),
        Alias("aux_loss", "lm/aux_loss", ("SFT", "DPO", "KTO", "GRPO", "RLOO")),
        Alias(
            "rewards/chosen",
            "preference/chosen_reward",
            DPO_CPO_SIMPO,
            always=True,
            note=(
                "DPO: beta*(logp_pi - logp_ref); CPO, ORPO: beta*logp_pi; SimPO: "
                "beta*logp_pi/length"
            ),
        ),
        Alias(
            "rewards/rejected",
            "preference/rejected_reward",
            DPO_CPO_SIMPO,
            note="as rewards/chosen",
        ),
        Alias(
            "rewards/margins",
            "preference/margin",
            DPO_CPO_SIMPO,
            note="pairs: mean of differences; KTO, BCO: difference of the two means",
        ),
        Alias(
            "rewards/accuracies",
            "preference/accuracy",
            ("DPO", "CPO", "SimPO", "ORPO", "TPO", "OnlineDPO", "XPO", "NashMD"),
            note="mean(chosen > rejected)",
        ),
        Alias("logps/chosen", "preference/chosen_logprob", DPO_CPO_SIMPO),
        Alias("logps/rejected", "preference/rejected_logprob", DPO_CPO_SIMPO),
        Alias("logits/chosen", "preference/chosen_logits", DPO_CPO_SIMPO_7),
        Alias("logits/rejected", "preference/rejected_logits", DPO_CPO_SIMPO_7),
        Alias("rewards/accuracy", "preference/accuracy", DPO_CPO_SIMPO, note="of forks"),
        Alias("rewards/margin", "preference/margin", DPO_CPO_SIMPO, note="of forks"),
        Alias("nll_loss", "preference/nll_loss", ("CPO", "SimPO", "ORPO"), always=True),
        Alias("nll_loss", "preference/nll_loss", ("DPO",), note="with rpo_alpha"),
        Alias("log_odds_ratio", "preference/log_odds_ratio", ("ORPO",), always=True),
        Alias("log_odds_chosen", "preference/log_odds_chosen", ("ORPO",)),
        Alias("kl", "preference/kl", ("KTO",), always=True),
        Alias("delta", None, ("BCO",), always=True),
        Alias(
            "reward",
            "reward/score_mean",
            ("GRPO", "RLOO"),
            always=True,
            note="mean over completions of sum_i w_i r_i",
        ),
        Alias(
            "reward_std",
            "reward/std",
            ("GRPO", "RLOO"),
            versions=">=0.27",
            note="unbiased std over the batch",
        ),
        Alias(
            "reward_std",
            "reward/group_std_mean",
            ("GRPO",),
            versions="0.14 to 0.26",
            note="mean over groups of unbiased std",
        ),
        Alias(
            "frac_reward_zero_std",
            "reward/zero_std_fraction",
            ("GRPO", "RLOO"),
            versions=">=0.18",
            note="mean(isclose(group std, 0))",
            always=True,
        ),
        Alias(
            "rewards/{func}/mean",
            "reward/component_mean",
            ("GRPO", "RLOO"),
            labels={"component": "{func}"},
            versions=">=0.17",
        ),
        Alias(
            "rewards/{func}/std",
            "reward/component_std",
            ("GRPO", "RLOO"),
            labels={"component": "{func}"},
            versions=">=0.17",
        ),
        Alias(
            "rewards/{func}",
            "reward/component_mean",
            ("GRPO",),
            labels={"component": "{func}"},
            versions="0.14 to 0.16",
        ),
        Alias(
            "completion_length",
            "length/response_mean",
            ("GRPO",),
            versions=">=0.14",
            note="of TRL itself up to 0.16, of Unsloth and forks in later ones too",
        ),
        Alias(
            "completions/mean_length",
            "length/response_mean",
            GRPO_RLOO_DISTILLATION,
            versions=">=0.17",
            always=True,
        ),
        Alias(
            "completions/min_length",
            "length/response_min",
            GRPO_RLOO_DISTILLATION,
            versions=">=0.17",
        ),
        Alias(
            "completions/max_length",
            "length/response_max",
            GRPO_RLOO_DISTILLATION,
            versions=">=0.17",
        ),
        Alias(
            "completions/clipped_ratio",
            "length/response_clip_ratio",
            GRPO_RLOO_DISTILLATION,
            versions=">=0.17",
            note="mean(truncated)",
        ),
        Alias(
            "completions/mean_terminated_length",
            "length/response_terminated_mean",
            GRPO_RLOO_DISTILLATION,
            versions=">=0.17",
        ),
        Alias(
            "completions/min_terminated_length",
            "length/response_terminated_min",
            GRPO_RLOO_DISTILLATION,
            versions=">=0.17",
        ),
        Alias(
            "completions/max_terminated_length",
            "length/response_terminated_max",
            GRPO_RLOO_DISTILLATION,
            versions=">=0.17",
        ),
        Alias("kl", "policy/kl_ref", ("GRPO",), note="mean(exp(ref-pi) - (ref-pi) - 1)"),
        Alias(
            "kl", "policy/kl_ref", ("RLOO",), versions=">=0.22", note="mean(old - ref) over tokens"
        ),
        Alias(
            "entropy", "policy/entropy", ("GRPO", "RLOO"), versions=">=0.20", note="H from logits"
        ),
        Alias("clip_ratio/low_mean", "policy/clip_fraction_low", GRPO_RLOO_GMPO, versions=">=0.17"),
        Alias(
            "clip_ratio/low_min", "policy/clip_fraction_low_min", GRPO_RLOO_GMPO, versions=">=0.17"
        ),
        Alias(
            "clip_ratio/high_mean", "policy/clip_fraction_high", GRPO_RLOO_GMPO, versions=">=0.17"
        ),
        Alias(
            "clip_ratio/high_max",
            "policy/clip_fraction_high_max",
            GRPO_RLOO_GMPO,
            versions=">=0.17",
        ),
        Alias("clip_ratio/region_mean", "policy/clip_fraction", GRPO_RLOO_GMPO, versions=">=0.17"),
        Alias(
            "clip_ratio",
            "policy/clip_fraction",
            ("GRPO",),
            versions="0.16 and Liger path up to 1.x",
        ),
        Alias("cispo_clip_ratio", "policy/clip_fraction", ("GRPO",), labels={"kind": "cispo"}),
        Alias("vespo/phi_seq_mean", None, ("GRPO",)),
        Alias("policy_loss", "policy/loss", ("GRPO",)),
        Alias("entropy_coef", "policy/entropy_coef", ("GRPO",)),
        Alias("step_time", "time/step_s", GRPO_RLOO_DISTILLATION, versions=">=0.26", always=True),
        Alias(
            "sampling/sampling_logp_difference/mean",
            "mismatch/logprob_diff_mean",
            ("GRPO",),
            versions=">=0.23",
        ),
        Alias(
            "sampling/sampling_logp_difference/max",
            "mismatch/logprob_diff_max",
            ("GRPO",),
            versions=">=0.23",
        ),
        Alias(
            "sampling/importance_sampling_ratio/min",
            "mismatch/is_weight_min",
            ("GRPO",),
            versions=">=0.23",
        ),
        Alias(
            "sampling/importance_sampling_ratio/mean",
            "mismatch/is_weight_mean",
            ("GRPO",),
            versions=">=0.23",
        ),
        Alias(
            "sampling/importance_sampling_ratio/max",
            "mismatch/is_weight_max",
            ("GRPO",),
            versions=">=0.23",
        ),
        Alias(
            "tools/call_frequency", "agent/tool_calls_mean", GRPO_DISTILLATION, versions=">=0.26"
        ),
        Alias(
            "tools/failure_frequency",
            "agent/tool_failure_rate",
            GRPO_DISTILLATION,
            versions=">=0.26",
        ),
        Alias("min_reward", "rm/score_min", ("Reward",), versions=">=0.24"),
        Alias("mean_reward", "rm/score_mean", ("Reward",), versions=">=0.24"),
        Alias("max_reward", "rm/score_max", ("Reward",), versions=">=0.24"),
        Alias("accuracy", "rm/accuracy", ("Reward",), versions=">=0.24"),
        Alias("margin", "rm/margin", ("Reward",), versions=">=0.24"),
        Alias("eval_accuracy", "eval/rm/accuracy", REWARD_PRM),
        Alias("eval_{metric}", None),
        Alias("eval_win_rate", "eval/win_rate", WINRATECALLBACK),
        Alias("eval_avg_win_prob", "eval/win_rate", WINRATECALLBACK),
        Alias(
            "objective/kl",
            "policy/kl_ref_sequence",
            ("PPO", "RLOO-old", "OnlineDPO", "XPO"),
            versions="0.9 (PPOv2) to 1.12, RLOO <= 0.21",
            note="mean over sequences of sum(logp - ref_logp)",
        ),
        Alias(
            "objective/entropy",
            "policy/entropy_sequence",
            ("PPO", "RLOO-old", "OnlineDPO", "XPO", "NashMD"),
            note="mean over sequences of sum(-logp)",
        ),
        Alias("objective/non_score_reward", "reward/kl_penalty_mean", PPO_RLOO_OLD_ONLINEDPO),
        Alias(
            "objective/rlhf_reward",
            "reward/mean",
            PPO_RLOO_OLD_ONLINEDPO,
            note="scores + non_score_reward",
        ),
        Alias("objective/scores", "reward/score_mean", PPO_RLOO_OLD_ONLINEDPO),
        Alias("objective/scores_margin", "preference/score_margin", ("OnlineDPO", "XPO")),
        Alias(
            "policy/approxkl_avg", "policy/approx_kl", PPO_RLOO_OLD, note="0.5*mean((new-old)^2)"
        ),
        Alias("policy/clipfrac_avg", "policy/clip_fraction", PPO_RLOO_OLD, note="masked mean"),
        Alias("policy/entropy_avg", "policy/entropy", PPO_RLOO_OLD, note="H from logits"),
        Alias("loss/policy_avg", "policy/loss", PPO_RLOO_OLD),
        Alias(
            "loss/value_avg",
            "value/loss",
            ("PPO",),
            note="0.5*masked mean(max(...))",
            always=True,
        ),
        Alias("val/clipfrac_avg", "value/clip_fraction", ("PPO",)),
        Alias("val/ratio", "policy/ratio_mean", PPO_RLOO_OLD, note="mean exp(new-old)"),
        Alias(
            "val/ratio_var",
            "policy/ratio_var",
            PPO_RLOO_OLD,
            note="var over epochs and mini-batches",
        ),
        Alias("val/num_eos_tokens", "length/stop_token_count", PPO_RLOO_OLD),
        Alias("val/contain_eos_token", "length/stop_rate", ("OnlineDPO",)),
        Alias("val/model_contain_eos_token", "length/stop_rate", XPO_NASHMD),
        Alias("val/ref_contain_eos_token", None, XPO_NASHMD),
        Alias("lr", "optim/learning_rate", PPO_RLOO_OLD),
        Alias("eps", "throughput/episodes_per_s", PPO_RLOO_OLD),
        Alias("episode", "progress/episodes", PPO_RLOO_OLD),
        Alias("beta", "preference/beta", ("OnlineDPO", "XPO", "NashMD"), always=True),
        Alias("loss/dpo", "preference/loss", ("XPO",)),
        Alias("loss/xpo", None, ("XPO",)),
        Alias("objective/model_scores", "reward/score_mean", ("XPO",)),
        Alias("objective/ref_scores", None, ("XPO",)),
        Alias("alpha", None, ("XPO",)),
        Alias("loss/score", "policy/loss", ("NashMD",)),
        Alias("loss/kl", "policy/kl_loss", ("NashMD",)),
        Alias("rewards/probabilities", "outcome/win_rate", ("NashMD",)),
        Alias("mixture_coef", None, ("NashMD",)),
        Alias(
            "objective/kl",
            "policy/kl_ref_sequence",
            ("PPO-legacy",),
            versions="<=0.11",
            note="mean over sequences of sum(logp - ref_logp)",
        ),
        Alias(
            "objective/kl_dist",
            "policy/kl_ref_sequence",
            ("PPO-legacy",),
            labels={"stat": "distribution"},
            versions="<=0.11",
            note="array",
        ),
        Alias("objective/kl_coef", "policy/kl_coef", ("PPO-legacy",), versions="<=0.11"),
        Alias(
            "objective/entropy",
            "policy/entropy_sequence",
            ("PPO-legacy",),
            versions="<=0.11",
            note="mean over sequences of sum(-logp*mask)",
        ),
        Alias("objective/logprobs", "policy/logprob_mean", ("PPO-legacy",), versions="<=0.11"),
        Alias(
            "objective/ref_logprobs", "policy/logprob_ref_mean", ("PPO-legacy",), versions="<=0.11"
        ),
        Alias(
            "ppo/mean_non_score_reward",
            "reward/kl_penalty_mean",
            ("PPO-legacy",),
            versions="<=0.11",
        ),
        Alias("ppo/mean_scores", "reward/score_mean", ("PPO-legacy",), versions="<=0.11"),
        Alias("ppo/std_scores", "reward/score_std", ("PPO-legacy",), versions="<=0.11"),
        Alias("ppo/loss/policy", "policy/loss", ("PPO-legacy",), versions="<=0.11"),
        Alias(
            "ppo/loss/value",
            "value/loss",
            ("PPO-legacy",),
            versions="<=0.11",
            note="0.5*masked mean(max(...))",
        ),
        Alias("ppo/loss/total", "optim/loss", ("PPO-legacy",), versions="<=0.11", note="sum"),
        Alias(
            "ppo/policy/entropy",
            "policy/entropy",
            ("PPO-legacy",),
            versions="<=0.11",
            note="masked mean",
        ),
        Alias(
            "ppo/policy/approxkl",
            "policy/approx_kl",
            ("PPO-legacy",),
            versions="<=0.11",
            note="0.5*masked mean((new-old)^2)",
        ),
        Alias(
            "ppo/policy/policykl",
            "policy/kl_old",
            ("PPO-legacy",),
            versions="<=0.11",
            note="masked mean(old - new)",
        ),
        Alias(
            "ppo/policy/clipfrac",
            "policy/clip_fraction",
            ("PPO-legacy",),
            versions="<=0.11",
            note="masked mean",
        ),
        Alias(
            "ppo/policy/advantages",
            "advantage/mean",
            ("PPO-legacy",),
            labels={"stat": "distribution"},
            versions="<=0.11",
        ),
        Alias("ppo/policy/advantages_mean", "advantage/mean", ("PPO-legacy",), versions="<=0.11"),
        Alias(
            "ppo/policy/ratio",
            "policy/ratio_mean",
            ("PPO-legacy",),
            versions="<=0.11",
            note="array",
        ),
        Alias("ppo/returns/mean", "returns/mean", ("PPO-legacy",), versions="<=0.11"),
        Alias("ppo/returns/var", "returns/var", ("PPO-legacy",), versions="<=0.11"),
        Alias("ppo/val/vpred", "value/pred_mean", ("PPO-legacy",), versions="<=0.11"),
        Alias("ppo/val/error", "value/error", ("PPO-legacy",), versions="<=0.11"),
        Alias("ppo/val/clipfrac", "value/clip_fraction", ("PPO-legacy",), versions="<=0.11"),
        Alias("ppo/val/mean", "value/mean", ("PPO-legacy",), versions="<=0.11"),
        Alias("ppo/val/var", "value/var", ("PPO-legacy",), versions="<=0.11"),
        Alias(
            "ppo/val/var_explained",
            "value/explained_variance",
            ("PPO-legacy",),
            versions="<=0.11",
            note="1 - val/error / returns/var",
        ),
        Alias("ppo/learning_rate", "policy/learning_rate", ("PPO-legacy",), versions="<=0.11"),
        Alias("tokens/queries_len_mean", "length/prompt_mean", ("PPO-legacy",), versions="<=0.11"),
        Alias("tokens/queries_len_std", "length/prompt_std", ("PPO-legacy",), versions="<=0.11"),
        Alias(
            "tokens/queries_dist",
            "length/prompt_mean",
            ("PPO-legacy",),
            labels={"stat": "distribution"},
            versions="<=0.11",
        ),
        Alias(
            "tokens/responses_len_mean", "length/response_mean", ("PPO-legacy",), versions="<=0.11"
        ),
        Alias(
            "tokens/responses_len_std", "length/response_std", ("PPO-legacy",), versions="<=0.11"
        ),
        Alias(
            "tokens/responses_dist",
            "length/response_mean",
            ("PPO-legacy",),
            labels={"stat": "distribution"},
            versions="<=0.11",
        ),
        Alias("env/reward_mean", "reward/score_mean", ("PPO-legacy",), versions="<=0.11"),
        Alias("env/reward_std", "reward/score_std", ("PPO-legacy",), versions="<=0.11"),
        Alias(
            "env/reward_dist",
            "reward/score_mean",
            ("PPO-legacy",),
            labels={"stat": "distribution"},
            versions="<=0.11",
            note="array",
        ),
        Alias("time/ppo/forward_pass", "time/logprob_s", ("PPO-legacy",), versions="<=0.11"),
        Alias("time/ppo/compute_rewards", "time/reward_s", ("PPO-legacy",), versions="<=0.11"),
        Alias(
            "time/ppo/compute_advantages", "time/advantage_s", ("PPO-legacy",), versions="<=0.11"
        ),
        Alias("time/ppo/optimize_step", "time/policy_update_s", ("PPO-legacy",), versions="<=0.11"),
        Alias(
            "time/ppo/calc_stats",
            "time/stage_s",
            ("PPO-legacy",),
            labels={"stage": "calc_stats"},
            versions="<=0.11",
        ),
        Alias("time/ppo/total", "time/step_s", ("PPO-legacy",), versions="<=0.11"),
        Alias(
            "approx_kl",
            "policy/approx_kl",
            ("DDPO",),
            versions="<=0.23",
            note="0.5*mean((new-old)^2)",
        ),
        Alias(
            "clipfrac",
            "policy/clip_fraction",
            ("DDPO",),
            versions="<=0.23",
            note="mean(abs(r-1)>eps)",
        ),
        Alias("reward_mean", "reward/mean", DDPO_ALIGNPROP, versions="<=0.23"),
        Alias("reward_std", "reward/std", DDPO_ALIGNPROP, versions="<=0.23", note="std"),
        Alias("on_policy_loss", "distill/loss", GOLD_GKD_IW_OPD, labels={"kind": "on_policy"}),
        Alias("off_policy_loss", "distill/loss", GOLD_GKD_IW_OPD, labels={"kind": "off_policy"}),
        Alias("self_distillation/{stat}", None, ("SDPO", "SDFT")),
        Alias("self_distillation/flat_group_fraction", "reward/zero_std_fraction", ("SDPO",)),
        Alias("ratio", "policy/ratio_mean", ("AsyncGRPO",), note="token mean"),
        Alias("kl", "policy/approx_kl", ("AsyncGRPO",), note="mean((r-1) - log r)"),
        Alias("entropy", "policy/entropy", ("AsyncGRPO",)),
        Alias("sample/staleness_mean", "async/staleness_mean", ASYNCGRPO_ASYNCDISTILLATION),
        Alias("sample/staleness_max", "async/staleness_max", ASYNCGRPO_ASYNCDISTILLATION),
        Alias("sample/dropped_stale_total", "async/dropped_samples", ASYNCGRPO_ASYNCDISTILLATION),
        Alias("sample/rollout_queue_size", "async/queue_size", ASYNCGRPO_ASYNCDISTILLATION),
        Alias(
            "sample/time_in_queue_s",
            "time/wait_s",
            ASYNCGRPO_ASYNCDISTILLATION,
            labels={"stage": "queue"},
        ),
        Alias("sample/forwarded_tokens_mean", "length/total_mean", ASYNCGRPO_ASYNCDISTILLATION),
        Alias("sample/forwarded_tokens_max", "length/total_max", ASYNCGRPO_ASYNCDISTILLATION),
        Alias("batch/pad_frac", "data/padding_fraction", ASYNCGRPO_ASYNCDISTILLATION),
        Alias("batch/row_imbalance", "balance/token_imbalance", ASYNCGRPO_ASYNCDISTILLATION),
        Alias(
            "batch/forwarded_tokens_per_step", "data/tokens_per_step", ASYNCGRPO_ASYNCDISTILLATION
        ),
        Alias("batch/samples_per_step", "data/samples_per_step", ASYNCGRPO_ASYNCDISTILLATION),
        Alias("batch/groups_per_step", "data/prompts_per_step", ("AsyncGRPO",)),
        Alias("perf/step_s", "time/step_s", ASYNCGRPO_ASYNCDISTILLATION),
        Alias("perf/fwd_bwd_s", "time/training_s", ASYNCGRPO_ASYNCDISTILLATION),
        Alias("perf/fwd_s", "time/forward_s", ASYNCGRPO_ASYNCDISTILLATION),
        Alias("perf/optimizer_s", "time/optimizer_s", ASYNCGRPO_ASYNCDISTILLATION),
        Alias("perf/rollout_wait_s", "time/wait_s", ASYNCGRPO_ASYNCDISTILLATION),
        Alias("perf/weight_sync_s", "time/weight_sync_s", ASYNCGRPO_ASYNCDISTILLATION),
        Alias(
            "perf/forwarded_tok_s_fwd_bwd",
            "throughput/tokens_per_s",
            ASYNCGRPO_ASYNCDISTILLATION,
            labels={"clock": "fwd_bwd"},
        ),
        Alias(
            "perf/forwarded_tok_s_wall_clock",
            "throughput/tokens_per_s",
            ASYNCGRPO_ASYNCDISTILLATION,
            labels={"clock": "wall"},
        ),
        Alias(
            "perf/mfu_fwd_bwd",
            "throughput/mfu",
            ASYNCGRPO_ASYNCDISTILLATION,
            labels={"clock": "fwd_bwd"},
            scale=0.01,
            note="100 * flops per token * tokens per s / (peak * devices)",
        ),
        Alias(
            "perf/mfu_wall_clock",
            "throughput/mfu",
            ASYNCGRPO_ASYNCDISTILLATION,
            labels={"clock": "wall"},
            scale=0.01,
            note="as above",
        ),
        Alias(
            "profiling/Time taken: {method}",
            "time/stage_s",
            ("GRPO", "RLOO", "OnlineDPO"),
            labels={"stage": "{method}"},
        ),
        *aliases(
            """
            throughput/generation_tokens_per_s: rollout/generated_tok_s
            rollout/running_requests: rollout/inflight
            time/reward_s: rollout/score_s
            time/stage_s: perf/weight_sync_{stage}_s
            time/tool_calls_s: tools/latency_s | tools/{tool}/latency_s
            outcome/success_rate: rollout/correctness_mean
            agent/turn_limit_rate: tools/loop_exhausted_frac
            data/packing_ratio: batch/packing_ratio
            data/batch_fill_ratio: batch/row_fill_frac
            data/tokens_per_step: batch/trained_tokens_per_step
            distill/teacher_entropy: teacher_entropy | teacher_entropy/{teacher}
            distill/loss: {mode}/distillation_loss
            none (how rows are packed, not how training goes): batch/dropped_oversize_total
                | batch/masked_token_frac | batch/microbatches_per_step | batch/row_tokens_max
                | batch/row_tokens_mean | batch/samples_per_row | sample/trained_tokens_mean
                | rollout/samples_per_rollout
            none (tokens that count in the loss, where others count all): perf/trained_tok_s_wall_clock
            none (how the rollout worker keeps up with itself): rollout/backpressure_s
                | rollout/score_block_s | rollout/score_wait_s | rollout/score_queue_size
                | rollout/vllm_retry_total | teacher_score_s/{teacher}
            none (how well a chat was put together again): rollout/drift_tokens_max | rollout/fork_frac
                | rollout/drift_tokens_mean | rollout/realign_frac
            none (a count since the start, or of one tool): tools/unknown_name_total
                | tools/parallel_calls_mean | tools/{tool}/call_total | tools/{tool}/failure_total
            none (a divergence other than the KL, or of one teacher): jsd | teacher_jsd/{teacher}
                | teacher_token_frac/{teacher} | iw_opd/{what} | matched_loss | unmatched_loss
            none (length of one part of a completion): completions/{part}_{stat}_length
            none (rewards that the student is not trained on): self_distillation/rewards/{what}
            none (means that single trainers add for their papers): implicit_reward | v_star
            """,
            "AsyncGRPO",
            "AsyncDistillation",
            "IW-OPD",
        ),
    ),
)
