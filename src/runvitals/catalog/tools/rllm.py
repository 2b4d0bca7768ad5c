"""Names that rLLM logs, and the metrics they are."""

from runvitals.model import Alias, Framework

VERL_WORKFLOW_TRAINER = ("verl workflow trainer",)
TINKER_FIREWORKS = ("tinker", "fireworks")

FRAMEWORK = Framework(
    id="rllm",
    title="rLLM",
    version="0.3.0.pre (repository snapshot 2026-08-15)",
    kind="llm",
    aliases=(
        Alias("reward/{role}/mean", "reward/score_mean", labels={"role": "{role}"}),
        Alias("reward/{role}/std", "reward/std", labels={"role": "{role}"}, note="population"),
        Alias("reward/{role}/max", "reward/max", labels={"role": "{role}"}),
        Alias("reward/{role}/min", "reward/min", labels={"role": "{role}"}),
        Alias("advantage/{role}/mean", "advantage/mean", labels={"role": "{role}"}),
        Alias("advantage/{role}/std", "advantage/std", labels={"role": "{role}"}),
        Alias("advantage/{role}/max", "advantage/max", labels={"role": "{role}"}),
        Alias("advantage/{role}/min", "advantage/min", labels={"role": "{role}"}),
        Alias(
            "advantage/{role}/fraction_zero", "advantage/zero_fraction", labels={"role": "{role}"}
        ),
        Alias(
            "batch/{role}/fractions/effective",
            "reward/group_mixed_fraction",
            labels={"role": "{role}"},
        ),
        Alias(
            "batch/{role}/fractions/too_easy",
            "reward/group_all_correct_fraction",
            labels={"role": "{role}"},
        ),
        Alias(
            "batch/{role}/fractions/too_hard",
            "reward/group_all_wrong_fraction",
            labels={"role": "{role}"},
        ),
        Alias("batch/{role}/total", "data/prompts_per_step", labels={"role": "{role}"}),
        Alias("batch/{role}/informative", None),
        Alias("batch/{role}/group_reward_mean/p{p}", None),
        Alias("batch/{role}/group_reward_std/p{p}", None),
        Alias("batch/termination_reason/{reason}", None),
        Alias("batch/{key}", None),
        Alias("batch/solve_none", "reward/group_all_wrong_fraction", VERL_WORKFLOW_TRAINER),
        Alias("batch/solve_all", "reward/group_all_correct_fraction", VERL_WORKFLOW_TRAINER),
        Alias("batch/solve_partial", "reward/group_mixed_fraction", VERL_WORKFLOW_TRAINER),
        Alias("batch/num_tasks", "data/prompts_per_step", VERL_WORKFLOW_TRAINER),
        Alias("batch/steps_per_traj/mean", "agent/turns_mean"),
        Alias("batch/steps_per_traj/max", "agent/turns_max"),
        Alias("batch/steps_per_traj/min", "agent/turns_min"),
        Alias("batch/step_response_length/mean", "agent/tokens_per_turn_mean"),
        Alias("batch/action_token_ratio/mean", None),
        Alias("groups/num_trajs_before_filter", None),
        Alias("groups/num_trajs_after_filter", "data/samples_per_step"),
        Alias("groups/num_groups", "data/prompts_per_step"),
        Alias("groups/dropped_zero_adv", "data/groups_filtered", ("async",)),
        Alias("train/kl_sample_train_v1", "mismatch/logprob_diff_mean", ("tinker",)),
        Alias("train/kl_sample_train_v2", "mismatch/kl", ("tinker",), note="0.5*mean(d^2)"),
        Alias("train/entropy", "policy/nll_mean", TINKER_FIREWORKS),
        Alias("train/perplexity", "lm/perplexity", TINKER_FIREWORKS),
        Alias("train/num_sequences", "data/samples_per_step", ("fireworks",)),
        Alias("train/active_tokens", "data/tokens_per_step", ("fireworks",)),
        Alias("offpolicy/kl", "mismatch/kl", ("fireworks",), note="mean(rollout - old)"),
        Alias("offpolicy/k3_kl", "mismatch/k3_kl", ("fireworks",)),
        Alias("offpolicy/logprob_abs_diff/mean", "mismatch/logprob_diff_mean", ("fireworks",)),
        Alias("offpolicy/logprob_abs_diff/max", "mismatch/logprob_diff_max", ("fireworks",)),
        Alias("offpolicy/prob_abs_diff/mean", "mismatch/prob_diff_mean", ("fireworks",)),
        Alias("offpolicy/prob_pearson_corr", "mismatch/prob_correlation", ("fireworks",)),
        Alias("offpolicy/ratio/mean", "mismatch/is_weight_mean", ("fireworks",)),
        Alias("offpolicy/{verl_key}", None, ("fireworks",)),
        Alias("async/weight_version", "progress/weight_version", ("async",)),
        Alias("async/buffer_qsize", "async/queue_size", ("async",)),
        Alias(
            "async/buffer_filtered", "data/groups_filtered", ("async",), labels={"where": "buffer"}
        ),
        Alias("async/trainer_idle_ratio", "async/trainer_idle_fraction", ("async",)),
        Alias("async/in_flight_groups", "rollout/running_requests", ("async",)),
        Alias("progress/batch", "progress/step", ("tinker",)),
        Alias("progress/epoch", "progress/epoch", ("tinker",)),
        Alias("progress/lr", "policy/learning_rate", ("tinker",)),
        Alias("progress/done_frac", "progress/fraction", ("tinker",)),
        Alias("time/step", "time/step_s"),
        Alias("time/{stage}", "time/stage_s", labels={"stage": "{stage}"}),
        Alias(
            "val/{data_source}/pass@1",
            "eval/score_mean",
            ("validation",),
            labels={"dataset": "{data_source}"},
        ),
        Alias(
            "val/{data_source}/pass@{n}",
            "eval/any_correct_at_n",
            ("validation",),
            labels={"dataset": "{data_source}", "n": "{n}"},
            note="mean(any)",
        ),
        Alias("val/{data_source}/{key}", None, ("validation",)),
        Alias(
            "val/reward/{role}/mean", "eval/reward/mean", ("validation",), labels={"role": "{role}"}
        ),
    ),
)
