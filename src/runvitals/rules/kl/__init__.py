"""How far updates move the policy."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from runvitals.model import Limit, Series
from runvitals.rules.patient import Patient
from runvitals.signals.pairs import aligned

FAR_BEYOND = 10.0  # times a limit: no outcome excuses it, and a run that struggles is lost
LITTLE_ABOVE = 1.2  # times a target: where updates end that are stopped at their target
MIN_TARGET = 1e-3  # a smaller target stops every update at once, so nothing can be measured by it
# to the reference: ten times the top of the RL metrics table, and what TRL's controllers aim at
PER_TOKEN, PER_RESPONSE = 1.0, 6.0
MIN_SUMMED = 20.0  # nats: a log-probability that low is a sum over the response

# How far one update moved the policy. The plain mean of the log-ratio (`actor/ppo_kl`) stands in where
# no better estimate was logged: it strays more, and below 0 too.
UPDATE_KL = "policy/approx_kl|policy/kl_old"
ANY_KL = f"{UPDATE_KL}|policy/kl_ref|policy/kl_ref_sequence"


class ReferenceKL(NamedTuple):
    """A KL to the reference, what it should stay below, and what it is counted per."""

    series: Series
    limit: Limit
    most: Limit  # beyond this, a better reward is probably not worth it
    unit: str


def far_beyond(limit: Limit) -> Limit:
    """Where no outcome excuses it, and a run that struggles is lost."""
    return Limit(FAR_BEYOND * limit.value, limit.source, limit.from_run)


def update_kl(patient: Patient) -> Series | None:
    """The KL of single updates; None if not logged."""
    return patient.find(*UPDATE_KL.split("|"))


def update_limit(patient: Patient, option: float | None = None) -> Limit | None:
    """Slightly above the run's target, or the healthy range of an update; None if both are unknown."""
    kl = update_kl(patient)
    bound = None if kl is None else patient.band(kl.metric or kl.name, option=option)
    if bound is None or option is not None or not bound.from_run:
        return bound
    at = max(LITTLE_ABOVE * bound.value, MIN_TARGET)
    return Limit(at, f"{LITTLE_ABOVE:g} times {bound.source}", from_run=True)


def all_kls(patient: Patient, option: float | None = None) -> Iterator[tuple[Series, Limit]]:
    """Every KL that was logged, of single updates first, and its limit."""
    kl, bound = update_kl(patient), update_limit(patient, option)
    if kl is not None and bound is not None:
        yield kl, bound
    for one in reference_kls(patient):
        yield one.series, one.limit


def is_above_its_limit(patient: Patient) -> bool | None:
    """True if most updates move the policy further than they should; None if that is unknown."""
    kl, bound = update_kl(patient), update_limit(patient)
    if kl is None or bound is None:
        return None
    return float(np.median(np.abs(kl.values))) > bound.value


def reference_kls(patient: Patient, option: float | None = None) -> Iterator[ReferenceKL]:
    """The KL to the reference as it was logged, and as the log-probabilities of both models say."""
    per_token, summed = patient.find("policy/kl_ref"), patient.find("policy/kl_ref_sequence")
    if per_token is not None:
        why = "ten times the RL metrics table"
        bound = patient.band("policy/kl_ref", option=option) or Limit(PER_TOKEN, why)
        yield ReferenceKL(per_token, bound, Limit(PER_TOKEN, why), "per token")
    elif summed is not None:
        band = patient.band("policy/kl_ref_sequence") or Limit(PER_RESPONSE, "TRL's controllers")
        bound = patient.limit(
            option, setting="target_kl_ref", times=2, otherwise=band.value, why=band.source
        )
        most = far_beyond(Limit(max(bound.value, PER_RESPONSE), bound.source))
        yield ReferenceKL(summed, bound, most, "per response")
    yield from _by_log_probabilities(patient, option)


def _by_log_probabilities(patient: Patient, option: float | None) -> Iterator[ReferenceKL]:
    """How far the policy's log-probabilities of the samples are from its reference's: a plain KL."""
    mine, reference = patient.find("policy/logprob_mean"), patient.find("policy/logprob_ref_mean")
    if mine is None or reference is None:
        return
    steps, one, other = aligned(mine, reference)
    if not len(steps):
        return
    apart = Series(
        mine.name, steps.astype(np.int64), np.abs(one - other), np.full(len(steps), np.nan)
    )
    is_sum = float(np.abs(one).max()) > MIN_SUMMED
    unit, usual = ("per response", PER_RESPONSE) if is_sum else ("per token", PER_TOKEN)
    bound = patient.limit(option, otherwise=usual, why="as for a KL to the reference")
    yield ReferenceKL(apart, bound, far_beyond(bound) if is_sum else bound, unit)
