"""Names that PufferLib logs, and the metrics they are."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
[PPO]
throughput/env_steps_per_s: SPS
progress/agent_steps: agent_steps
time/elapsed_s: uptime
progress/step: epoch
optim/learning_rate: learning_rate
env/metric (name={key}): environment/{key}
outcome/return_mean: environment/episode_return
outcome/episode_length_mean: environment/episode_length
outcome/score_mean: environment/score
outcome/score_mean (name=perf): environment/perf  # convention of the bundled Ocean environments
policy/loss: losses/policy_loss
value/loss: losses/value_loss  # 0.5*mean(max)
policy/entropy: losses/entropy
policy/kl_old: losses/old_approx_kl  # estimator k1; can be negative
policy/approx_kl: losses/approx_kl  # estimator k3; mean((r-1)-log r)
policy/clip_fraction: losses/clipfrac  # mean(|r-1|>eps)
policy/ratio_mean: losses/importance  # mean(r)
value/explained_variance: losses/explained_variance  # values were overwritten by the new critic
  during the update
time/generation_s: performance/eval  # cumulative over sampled epochs
time/policy_update_s: performance/train  # cumulative over sampled epochs
time/env_step_s: performance/env  # cumulative over sampled epochs
time/inference_s: performance/eval_forward  # cumulative over sampled epochs
none: performance/learn  # cumulative over sampled epochs
throughput/env_steps_per_s: 0verview/SPS [PPO (1.x)]  # also 0verview/agent_steps, 0verview/epoch,
  0verview/learning_rate; the first character is a zero
"""

FRAMEWORK = Framework(
    id="pufferlib",
    title="PufferLib",
    version="3.0.0 (1.x names listed)",
    names=("puffer",),
    kind="classic",
    aliases=aliases(NAMES),
)
