"""Up to where a policy may move: in one update, and away from its reference."""

from __future__ import annotations

import numpy as np

from runvitals.model import Limit, Series
from runvitals.rules.patient import Patient
from runvitals.signals.pairs import aligned

# of one update, without a target: the top of what the RL metrics table gives, and three times that for
# continuous actions (judgement), whose tuned runs move further
DISCRETE, CONTINUOUS = 0.05, 0.15
MIN_TARGET = 1e-3  # a smaller target is a mistake of its own, and no measure for anything
TIMES_TARGET = 2.0  # where RLlib and rsl_rl push back; SB3 stops at 1.5 times and overshoots
# to the reference: ten times the top of the RL metrics table, and of the 6 that TRL's controllers want
PER_TOKEN, PER_SEQUENCE = 1.0, 60.0
LITTLE_ABOVE = (
    1.2  # times a target: an update that is stopped at its target ends so high (judgement)
)
MIN_SUMMED = 20.0  # nats: a log-probability that low is a sum, no mean per token (judgement)


# How far one update moved the policy. The plain mean of the log-ratio (`actor/ppo_kl`) stands in where
# no better estimate was logged: it strays more, and below 0 too.
UPDATE_KL = "policy/approx_kl|policy/kl_old"


def update_kl(patient: Patient) -> Series | None:
    """The KL of single updates; None if not logged."""
    return patient.find(*UPDATE_KL.split("|"))


def update_target(patient: Patient) -> Limit | None:
    """The run's own target for an update, if it has one that makes sense."""
    target = patient.number("target_kl")
    if target is None or target < MIN_TARGET:
        return None
    return Limit(target, f"this run's target_kl {target:g}", from_run=True)


def tighten(patient: Patient) -> str:
    """How to hold updates back: by the run's KL coefficient if it has one, and by fewer epochs."""
    coefficient = patient.number("kl_coef")
    if coefficient is None and update_target(patient) is None:
        return "use fewer epochs per batch"
    known = "" if coefficient is None else f" (this run: kl_coef {coefficient:g})"
    return f"increase kl_coef or reduce PPO epochs{known}"


def update_limit(patient: Patient, option: float | None) -> Limit:
    """Twice the target, where controllers begin to push back; else what is usual."""
    usual = CONTINUOUS if patient.continuous else DISCRETE
    why = "usual for clipped updates"
    if option is None and update_target(patient) is None:
        return Limit(usual, why)
    return patient.limit(option, setting="target_kl", times=TIMES_TARGET, otherwise=usual, why=why)


def reference_kl(patient: Patient) -> tuple[Series, bool] | None:
    """The KL to the reference, and whether it is summed over the response; None if not logged."""
    per_token = patient.find("policy/kl_ref")
    if per_token is not None:
        return per_token, False
    summed = patient.find("policy/kl_ref_sequence")
    if summed is not None:
        return summed, True
    return reference_gap(patient)


def reference_gap(patient: Patient) -> tuple[Series, bool] | None:
    """How much likelier the samples are for the policy than for its reference, in nats: a plain KL.

    And whether it is summed over the response; None where the log-probabilities were not logged.
    """
    mine, reference = (
        patient.find("policy/logprob_mean"),
        patient.find("policy/logprob_ref_mean"),
    )
    if mine is None or reference is None:
        return None
    steps, one, other = aligned(mine, reference)
    if not len(steps):
        return None
    gap = Series(
        mine.name, steps.astype(np.int64), one - other, np.full(len(steps), np.nan), mine.metric
    )
    return gap, float(np.abs(one).max()) > MIN_SUMMED


def reference_limit(patient: Patient, option: float | None, *, summed: bool) -> Limit:
    """Twice the controller's target if there is one; else far beyond what is usual."""
    if not summed:
        return patient.limit(option, otherwise=PER_TOKEN, why="ten times the usual band per token")
    return patient.limit(
        option,
        setting="target_kl_ref",
        times=TIMES_TARGET,
        otherwise=PER_SEQUENCE,
        why="ten times the usual target per response",
    )
