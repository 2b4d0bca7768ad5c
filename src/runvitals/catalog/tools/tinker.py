"""Names that the Tinker cookbook logs, and the metrics they are."""

from runvitals.model import Alias, Framework

SFT = ("SFT",)
DPO = ("DPO",)
RL = ("RL",)
_GROUP = {"group": "{group}"}
# Statistics of the rollouts, of all and of each tagged part of the data.
_ROLLOUTS = (
    ("reward/total", "reward/score_mean"),
    ("ac_tokens_per_turn", "length/response_mean"),
    ("ob_tokens_per_turn", "length/prompt_mean"),
    ("turns_per_episode", "agent/turns_mean"),
    ("total_episodes", "data/samples_per_step"),
    ("by_group/frac_mixed", "reward/group_mixed_fraction"),
    ("by_group/frac_all_good", "reward/group_all_correct_fraction"),
    ("by_group/frac_all_bad", "reward/group_all_wrong_fraction"),
)

FRAMEWORK = Framework(
    id="tinker",
    title="Tinker cookbook",
    version="0.1 (2026)",
    names=("tinker-cookbook",),
    kind="llm",
    marks=("progress/done_frac optim/lr", "env/all/reward/total"),
    aliases=(
        Alias("progress/done_frac", "progress/fraction"),
        Alias("progress/batch", "progress/step"),
        Alias("progress/epoch", "progress/epoch"),
        Alias("progress/step", "progress/step"),
        Alias("optim/lr", "optim/learning_rate"),
        Alias("optim/entropy", "policy/entropy", RL),
        Alias("optim/kl_sample_train_v1", "mismatch/logprob_diff_mean", RL),
        Alias("optim/kl_sample_train_v2", "mismatch/kl", RL, note="0.5*mean(d^2)"),
        Alias("kl_policy_base", "policy/kl_ref", RL),
        *(Alias(f"env/all/{name}", metric, RL) for name, metric in _ROLLOUTS),
        *(Alias(f"env/{{group}}/{name}", metric, RL, labels=_GROUP) for name, metric in _ROLLOUTS),
        Alias("env/all/total_turns", None, RL),
        Alias("env/all/total_ac_tokens", "data/tokens_per_step", RL),
        Alias("env/all/total_ob_tokens", None, RL),
        Alias("env/all/{metric}", "env/metric", RL, labels={"name": "{metric}"}),
        Alias("test/env/all/reward/total", "eval/score_mean", RL),
        Alias("time/total", "time/step_s"),
        Alias("train_mean_nll", "lm/loss", SFT),
        Alias("test/nll", "eval/loss", SFT),
        Alias("num_loss_tokens", None, SFT),
        Alias("dpo_loss", "preference/loss", DPO),
    ),
)
