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
    from runvitals.metrics._arrays import ShapeError as ShapeError
    from runvitals.metrics.actions import action_distribution as action_distribution
    from runvitals.metrics.actions import action_shares as action_shares
    from runvitals.metrics.actions import continuous_action_stats as continuous_action_stats
    from runvitals.metrics.actions import distance_from_uniform as distance_from_uniform
    from runvitals.metrics.advantage import Advantages as Advantages
    from runvitals.metrics.advantage import advantage_stats as advantage_stats
    from runvitals.metrics.advantage import discounted_returns as discounted_returns
    from runvitals.metrics.advantage import gae as gae
    from runvitals.metrics.advantage import gae_tokens as gae_tokens
    from runvitals.metrics.advantage import return_stats as return_stats
    from runvitals.metrics.advantage import td_lambda_returns as td_lambda_returns
    from runvitals.metrics.advantage import whiten as whiten
    from runvitals.metrics.balance import balanced_partition as balanced_partition
    from runvitals.metrics.balance import expert_load_violation as expert_load_violation
    from runvitals.metrics.balance import load_balance_penalty as load_balance_penalty
    from runvitals.metrics.balance import load_imbalance as load_imbalance
    from runvitals.metrics.balance import seqlen_balance as seqlen_balance
    from runvitals.metrics.bundles import dpo_health as dpo_health
    from runvitals.metrics.bundles import grpo_health as grpo_health
    from runvitals.metrics.bundles import ppo_health as ppo_health
    from runvitals.metrics.bundles import reward_model_health as reward_model_health
    from runvitals.metrics.bundles import sft_health as sft_health
    from runvitals.metrics.clipping import ClipFractions as ClipFractions
    from runvitals.metrics.clipping import clip_fraction as clip_fraction
    from runvitals.metrics.clipping import clip_fractions as clip_fractions
    from runvitals.metrics.clipping import dual_clip_fraction as dual_clip_fraction
    from runvitals.metrics.clipping import effective_sample_size as effective_sample_size
    from runvitals.metrics.clipping import ppo_loss as ppo_loss
    from runvitals.metrics.clipping import ratio_stats as ratio_stats
    from runvitals.metrics.distribution import describe as describe
    from runvitals.metrics.distribution import excess_kurtosis as excess_kurtosis
    from runvitals.metrics.distribution import histogram as histogram
    from runvitals.metrics.distribution import percentile as percentile
    from runvitals.metrics.distribution import quantiles as quantiles
    from runvitals.metrics.distribution import skewness as skewness
    from runvitals.metrics.episodes import EpisodeTracker as EpisodeTracker
    from runvitals.metrics.flops import TransformerShape as TransformerShape
    from runvitals.metrics.flops import batch_flops as batch_flops
    from runvitals.metrics.flops import mfu as mfu
    from runvitals.metrics.flops import mfu_stats as mfu_stats
    from runvitals.metrics.flops import peak_flops as peak_flops
    from runvitals.metrics.gradients import dead_unit_fraction as dead_unit_fraction
    from runvitals.metrics.gradients import dormant_unit_fraction as dormant_unit_fraction
    from runvitals.metrics.gradients import global_norm as global_norm
    from runvitals.metrics.gradients import grad_clip_fraction as grad_clip_fraction
    from runvitals.metrics.gradients import grad_norm as grad_norm
    from runvitals.metrics.gradients import update_ratio as update_ratio
    from runvitals.metrics.groups import group_advantages as group_advantages
    from runvitals.metrics.groups import group_stats as group_stats
    from runvitals.metrics.groups import rloo_advantages as rloo_advantages
    from runvitals.metrics.kl import AdaptiveKL as AdaptiveKL
    from runvitals.metrics.kl import FixedKL as FixedKL
    from runvitals.metrics.kl import StepKL as StepKL
    from runvitals.metrics.kl import approx_kl as approx_kl
    from runvitals.metrics.kl import kl_categorical as kl_categorical
    from runvitals.metrics.kl import kl_gaussian as kl_gaussian
    from runvitals.metrics.kl import kl_ref as kl_ref
    from runvitals.metrics.kl import kl_terms as kl_terms
    from runvitals.metrics.kl import sampled_kl as sampled_kl
    from runvitals.metrics.language import bits_per_byte as bits_per_byte
    from runvitals.metrics.language import cross_entropy as cross_entropy
    from runvitals.metrics.language import language_stats as language_stats
    from runvitals.metrics.language import perplexity as perplexity
    from runvitals.metrics.language import sequence_accuracy as sequence_accuracy
    from runvitals.metrics.language import token_accuracy as token_accuracy
    from runvitals.metrics.lengths import length_stats as length_stats
    from runvitals.metrics.lengths import lengths_from_mask as lengths_from_mask
    from runvitals.metrics.lengths import padding_fraction as padding_fraction
    from runvitals.metrics.lengths import turn_stats as turn_stats
    from runvitals.metrics.logprob import entropy_from_logits as entropy_from_logits
    from runvitals.metrics.logprob import entropy_from_probs as entropy_from_probs
    from runvitals.metrics.logprob import entropy_gaussian as entropy_gaussian
    from runvitals.metrics.logprob import entropy_sampled as entropy_sampled
    from runvitals.metrics.logprob import logprob_stats as logprob_stats
    from runvitals.metrics.logprob import mean_entropy as mean_entropy
    from runvitals.metrics.logprob import sequence_logprobs as sequence_logprobs
    from runvitals.metrics.logprob import token_entropy as token_entropy
    from runvitals.metrics.logprob import token_logprobs as token_logprobs
    from runvitals.metrics.mismatch import rollout_mismatch as rollout_mismatch
    from runvitals.metrics.naming import rename as rename
    from runvitals.metrics.passk import best_at_n as best_at_n
    from runvitals.metrics.passk import maj_at_n as maj_at_n
    from runvitals.metrics.passk import mean_at_n as mean_at_n
    from runvitals.metrics.passk import pass_at_k as pass_at_k
    from runvitals.metrics.passk import pass_at_k_each as pass_at_k_each
    from runvitals.metrics.passk import pass_hat_k as pass_hat_k
    from runvitals.metrics.passk import std_at_n as std_at_n
    from runvitals.metrics.passk import worst_at_n as worst_at_n
    from runvitals.metrics.preference import cpo as cpo
    from runvitals.metrics.preference import dpo as dpo
    from runvitals.metrics.preference import kto as kto
    from runvitals.metrics.preference import logprob_displacement as logprob_displacement
    from runvitals.metrics.preference import orpo as orpo
    from runvitals.metrics.preference import simpo as simpo
    from runvitals.metrics.rewards import bradley_terry_loss as bradley_terry_loss
    from runvitals.metrics.rewards import calibration_error as calibration_error
    from runvitals.metrics.rewards import kl_penalty_mean as kl_penalty_mean
    from runvitals.metrics.rewards import penalised_rewards as penalised_rewards
    from runvitals.metrics.rewards import ranking_accuracy as ranking_accuracy
    from runvitals.metrics.rewards import reward_breakdown as reward_breakdown
    from runvitals.metrics.rewards import reward_model_stats as reward_model_stats
    from runvitals.metrics.rewards import reward_stats as reward_stats
    from runvitals.metrics.rewards import score_stats as score_stats
    from runvitals.metrics.running import Ema as Ema
    from runvitals.metrics.running import EpochTracker as EpochTracker
    from runvitals.metrics.running import Window as Window
    from runvitals.metrics.speed import SpeedMeter as SpeedMeter
    from runvitals.metrics.speed import SpeedTracker as SpeedTracker
    from runvitals.metrics.speed import Stopwatch as Stopwatch
    from runvitals.metrics.speed import per_token_ms as per_token_ms
    from runvitals.metrics.speed import steps_per_second as steps_per_second
    from runvitals.metrics.speed import throughput_stats as throughput_stats
    from runvitals.metrics.speed import timing_stats as timing_stats
    from runvitals.metrics.speed import tokens_per_second as tokens_per_second
    from runvitals.metrics.speed import updates_per_second as updates_per_second
    from runvitals.metrics.validation_bundle import ValidationScore as ValidationScore
    from runvitals.metrics.validation_bundle import validation as validation
    from runvitals.metrics.validation_bundle import validation_scores as validation_scores
    from runvitals.metrics.value import explained_variance as explained_variance
    from runvitals.metrics.value import td_error as td_error
    from runvitals.metrics.value import value_clip_fraction as value_clip_fraction
    from runvitals.metrics.value import value_error as value_error
    from runvitals.metrics.value import value_loss as value_loss
    from runvitals.metrics.value import value_stats as value_stats
    from runvitals.model.text import labelled as labelled

_HOMES = homes("""
_arrays: ShapeError
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
