"""Names that trlX logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
[PPO]
optim/loss: losses/total_loss  # sum
policy/loss: losses/policy_loss
value/loss: losses/value_loss  # 0.5*masked mean(max(...))
value/pred_mean: values/mean
value/min: values/min
value/max: values/max
value/std: values/std
value/error: values/values_error
none: values/values_mape_error
value/clip_fraction: values/clipfrac
value/mean: old_values/mean
returns/mean: returns/mean
returns/std: returns/std
returns/min: returns/min
returns/max: returns/max
policy/approx_kl: policy/approx_kl  # mean((r-1) - log r)
policy/clip_fraction: policy/clipfrac  # masked mean
policy/ratio_mean: ratio  # masked mean
data/padding_fraction: padding_percentage
policy/kl_ref_sequence (transform=x**2): policy/sqrt_kl  # sqrt(mean(sum))
policy/kl_ref (transform=x**2): policy/kl_per_token  # sqrt(mean)
policy/kl_coef: kl_ctl_value
reward/score_mean: rollout_scores/mean
reward/score_std: rollout_scores/std
reward/running_mean: rollout_scores/running_mean
reward/running_std: rollout_scores/running_std
time/generation_s: time/rollout_time
time/generation_s (part=generate): time/rollout_generate
time/reward_s: time/rollout_score
time/forward_s: time/forward []
time/backward_s: time/backward []
time/eval_s: time/generate [evaluation]
time/stage_s (stage=metric): time/metric [evaluation]
optim/learning_rate: learning_rate_group_{i} []
eval/score_mean: reward/mean{suffix} | metrics/{name}{suffix} [evaluation]
lm/loss: loss [SFT | RFT]
[ILQL]
optim/loss: losses/loss  # weighted sum
value/td_error: losses/loss_q
value/loss: losses/loss_v  # masked mean
none: losses/loss_cql
policy/loss: losses/loss_awac
value/q_mean: qvalues/{i}/mean
eval/score_mean: reward/mean []
"""

FRAMEWORK = Framework(
    id="trlx",
    title="trlX",
    version="repository snapshot 2024-01-09 (last release 0.7.0)",
    kind="llm",
    aliases=aliases(NAMES),
)
