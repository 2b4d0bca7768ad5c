"""The metrics themselves: log-probabilities in, KL out.

Small pure functions on NumPy, PyTorch and JAX arrays. Results are Python floats for NumPy input
and 0-d arrays on the input's device otherwise: nothing waits for the device, no gradient is kept.
Nothing is imported before it is used, and no array library but NumPy ever is.

>>> import numpy as np
>>> from runvitals import metrics
>>> metrics.approx_kl(np.array([-1.0, -2.0]), np.array([-1.0, -2.0]))
0.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runvitals.lazy_names import homes, lazy_names

if TYPE_CHECKING:
    from runvitals.metrics._types import ShapeError as ShapeError
    from runvitals.metrics.actions import *
    from runvitals.metrics.advantage import *
    from runvitals.metrics.balance import *
    from runvitals.metrics.bundles import *
    from runvitals.metrics.clipping import *
    from runvitals.metrics.distribution import *
    from runvitals.metrics.episodes import *
    from runvitals.metrics.flops import *
    from runvitals.metrics.gradients import *
    from runvitals.metrics.groups import *
    from runvitals.metrics.kl import *
    from runvitals.metrics.language import *
    from runvitals.metrics.lengths import *
    from runvitals.metrics.logprob import *
    from runvitals.metrics.mismatch import *
    from runvitals.metrics.naming import *
    from runvitals.metrics.passk import *
    from runvitals.metrics.preference import *
    from runvitals.metrics.rewards import *
    from runvitals.metrics.running import *
    from runvitals.metrics.speed import *
    from runvitals.metrics.validation_bundle import *
    from runvitals.metrics.value import *
    from runvitals.model.text import labelled as labelled

_HOMES = homes("""
_types: ShapeError
actions: action_distribution action_shares continuous_action_stats distance_from_uniform
advantage: Advantages advantage_stats discounted_returns gae gae_tokens return_stats
  td_lambda_returns whiten
balance: balanced_partition expert_load_violation load_balance_penalty load_imbalance
  seqlen_balance
bundles: dpo_health grpo_health ppo_health reward_model_health sft_health
clipping: ClipFractions clip_fraction clip_fractions dual_clip_fraction effective_sample_size
  ppo_loss ratio_stats
distribution: describe excess_kurtosis histogram percentile quantiles skewness
episodes: EpisodeTracker
flops: TransformerShape batch_flops mfu mfu_stats peak_flops
gradients: dead_unit_fraction dormant_unit_fraction global_norm grad_clip_fraction grad_norm
  update_ratio
groups: group_advantages group_stats rloo_advantages
kl: AdaptiveKL FixedKL StepKL approx_kl kl_categorical kl_gaussian kl_ref kl_terms sampled_kl
language: bits_per_byte cross_entropy language_stats perplexity sequence_accuracy token_accuracy
lengths: length_stats lengths_from_mask padding_fraction turn_stats
logprob: entropy_from_logits entropy_from_probs entropy_gaussian entropy_sampled logprob_stats
  mean_entropy sequence_logprobs token_entropy token_logprobs
mismatch: rollout_mismatch
naming: labelled rename
passk: best_at_n maj_at_n mean_at_n pass_at_k pass_at_k_each pass_hat_k std_at_n worst_at_n
preference: cpo dpo kto logprob_displacement orpo simpo
rewards: bradley_terry_loss calibration_error kl_penalty_mean penalised_rewards
  ranking_accuracy reward_breakdown reward_model_stats reward_stats score_stats
running: Ema EpochTracker Window
speed: SpeedMeter SpeedTracker Stopwatch per_token_ms steps_per_second throughput_stats
  timing_stats tokens_per_second updates_per_second
validation_bundle: ValidationScore validation_scores validation
value: explained_variance td_error value_clip_fraction value_error value_loss value_stats
""")
__all__ = sorted(_HOMES)


__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
