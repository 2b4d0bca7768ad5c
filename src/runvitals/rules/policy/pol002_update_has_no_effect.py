from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, constant, rule, stretch
from runvitals.rules.policy import (
    chooses_evenly_among,
    gain_may_be_drift,
    log_is_rounded,
    moves,
    never_moved,
    one_update_per_batch,
)

MIN_POINTS, MIN_SAME = 10, 20  # zeros; equal numbers of few decimals, which repeat by chance
NO_KL = 1e-8  # what rounding leaves of a KL of 0
LOSSES = ("lm/loss", "preference/loss", "rm/loss", "supervised/loss")
SUPERVISED = ("sft", "preference", "reward-model")
STEP = "print how much the parameters change in one optimiser step, and which are trainable"


class Sign(NamedTuple):
    """One way in which it shows that nothing changes."""

    series: Series
    first: int  # index from which on, to the end
    share: float  # of the run
    message: str
    cause: str
    advice: str


@rule("POL002", families=(), severity="critical", verdict="not learning", fact=True)
def update_has_no_effect(patient: Patient) -> Hit | None:
    """Training runs, but the model does not change.

    ## What it looks for
    One of these, through the end of the run, for at least 10 points and half of the run:

    - a parameter update of exactly 0
    - a learning rate of exactly 0
    - a gradient norm of exactly 0
    - a KL of 0 although each batch gets several updates
    - a supervised or policy loss with the same value for 20 points
    - a held-out loss, or a norm of the parameters, that never changes
    - an entropy that never leaves that of equal chances, while the outcome gains less than a quarter
      of its size

    It is critical if this holds for 95% of the run, otherwise a warning. The rule is silent while
    the outcome is doing well, unless that gain is less than a quarter of its size and may be drift,
    or a held-out loss never changes. It is also silent if the log keeps so few decimals that small
    numbers read as 0. In GRPO and RLOO, a policy loss of 0 means nothing.

    ## Why it matters
    All the compute is wasted, and the curves do not show it: rewards still drift by chance.

    ## Usual causes
    1. The schedule has ended, or never started.
    2. The optimiser step is missing, or the optimiser holds frozen parameters or another copy of
       the model.
    3. Every advantage is zero, or every label is masked.

    ## What to try
    Print the number of trainable parameters, and how much they change in one step. Check how many
    steps the schedule was made for.

    ## When to ignore it
    A finished model is only being evaluated.

    ## Sources
    Training Metrics and Telemetry (a loss that flatlines); TrainCheck's cases of idle updates.
    """
    if log_is_rounded(patient):
        return None
    signs = list(_proof(patient))
    if not patient.health.good or gain_may_be_drift(patient):
        signs += _signs(patient)
    if not signs:
        return None
    best = max(signs, key=lambda sign: sign.share > 0.95)
    return stretch(best.series, best.first).hit(
        best.message,
        advice=best.advice,
        severity=None if best.share > 0.95 else "warning",
        causes=(
            *dict.fromkeys((best.cause, *(sign.cause for sign in signs))),
            "parameters frozen, or the optimiser holds another copy of the model",
        ),
        also=tuple(sign.series.name for sign in signs if sign.series.name != best.series.name),
    )


def _proof(patient: Patient) -> Iterator[Sign]:
    """What no outcome can deny."""
    series = never_moved(patient)
    if series is not None:
        yield Sign(
            series,
            0,
            1.0,
            f"the model never changes: exactly {float(series.values[0]):.6g} at all "
            f"{len(series):,} points",
            "the optimiser step is missing, or the learning rate is 0",
            STEP,
        )


def _signs(patient: Patient) -> Iterator[Sign]:
    """The strongest first."""
    yield from _zero(
        patient.find("optim/update_norm"),
        "parameters do not change: the update norm is 0",
        "the optimiser step is missing",
        STEP,
    )
    rate = patient.find("policy/learning_rate", "optim/learning_rate")
    for sign in _zero(
        rate,
        "learning rate is exactly 0",
        "the schedule has ended, or never started",
        "check how many steps the learning-rate schedule was made for, and where it starts",
    ):
        if not moves(patient, since=int(sign.series.steps[sign.first])):
            yield sign
    yield from _zero(
        patient.find("policy/grad_norm", "optim/grad_norm"),
        "gradient norm is exactly 0",
        "no signal: every advantage is zero, or every label is masked",
        "check that advantages or labels are not all zero or masked, and that gradients flow",
    )
    kl = patient.find("policy/approx_kl")
    if kl is not None and not one_update_per_batch(patient):
        yield from _zero(
            replace(kl, values=np.where(np.abs(kl.values) <= NO_KL, 0.0, kl.values)),
            "although each batch gets several updates, policy KL is 0",
            "the optimiser step is missing, or the policy is saturated",
            "compare the parameters before and after one optimiser step",
        )
    yield from _frozen_loss(patient)
    actions, entropy = chooses_evenly_among(patient), patient.find("policy/entropy")
    if actions is not None and entropy is not None and gain_may_be_drift(patient):
        yield Sign(
            entropy,
            0,
            1.0,
            f"the policy still chooses among {actions} actions by chance after {len(entropy):,} "
            "updates, so the outcome has changed by chance",
            "updates too small, or no signal in the advantages",
            "check that advantages are not all near zero, then raise the learning rate",
        )


def _zero(series: Series | None, message: str, cause: str, advice: str) -> Iterator[Sign]:
    """A series that is 0 up to the end, and for half of the run."""
    found = None if series is None else constant(series, MIN_POINTS, value=0.0)
    if series is None or found is None:
        return
    share = float((series.values[1:] == 0).mean())  # a warm-up begins at 0, and 0 may come first
    if share >= 0.5:
        said = f"{message} at the last {found.count:,} points"
        yield Sign(series, found.first, share, said, cause, advice)


def _frozen_loss(patient: Patient) -> Iterator[Sign]:
    losses = LOSSES if patient.kind in SUPERVISED else ("policy/loss",)
    loss = patient.find(*losses) if patient.kind in (*SUPERVISED, "on-policy") else None
    found = None if loss is None or patient.health.early else constant(loss, MIN_SAME)
    if loss is not None and found is not None and found.share >= 0.5:
        yield Sign(
            loss,
            found.first,
            found.share,
            f"loss is exactly {found.level:.6g} at the last {found.count:,} points",
            "nothing is learned, or the loss is not computed from the batch",
            "check that the loss depends on the batch and that parameters require gradients",
        )
