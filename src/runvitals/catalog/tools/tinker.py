"""Names that the Tinker cookbook logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
progress/fraction: progress/done_frac
progress/step: progress/batch
progress/epoch: progress/epoch
progress/step: progress/step
optim/learning_rate: optim/lr
[RL]
policy/entropy: optim/entropy
mismatch/logprob_diff_mean: optim/kl_sample_train_v1
mismatch/kl: optim/kl_sample_train_v2  # 0.5*mean(d^2)
policy/kl_ref: kl_policy_base
# Statistics of the rollouts: of all, then of each tagged part of the data.
reward/score_mean: env/all/reward/total
length/response_mean: env/all/ac_tokens_per_turn
length/prompt_mean: env/all/ob_tokens_per_turn
agent/turns_mean: env/all/turns_per_episode
data/samples_per_step: env/all/total_episodes
reward/group_mixed_fraction: env/all/by_group/frac_mixed
reward/group_all_correct_fraction: env/all/by_group/frac_all_good
reward/group_all_wrong_fraction: env/all/by_group/frac_all_bad
reward/score_mean: env/{group}/reward/total
length/response_mean: env/{group}/ac_tokens_per_turn
length/prompt_mean: env/{group}/ob_tokens_per_turn
agent/turns_mean: env/{group}/turns_per_episode
data/samples_per_step: env/{group}/total_episodes
reward/group_mixed_fraction: env/{group}/by_group/frac_mixed
reward/group_all_correct_fraction: env/{group}/by_group/frac_all_good
reward/group_all_wrong_fraction: env/{group}/by_group/frac_all_bad
none: env/all/total_turns
data/tokens_per_step: env/all/total_ac_tokens
none: env/all/total_ob_tokens
env/metric (name={metric}): env/all/{metric}
eval/score_mean: test/env/all/reward/total
time/step_s: time/total []
[SFT]
lm/loss: train_mean_nll
eval/loss: test/nll
none: num_loss_tokens
preference/loss: dpo_loss [DPO]
"""

FRAMEWORK = Framework(
    id="tinker",
    title="Tinker cookbook",
    version="0.1 (2026)",
    names=("tinker-cookbook",),
    kind="llm",
    marks=("progress/done_frac optim/lr", "env/all/reward/total"),
    aliases=aliases(NAMES),
)
