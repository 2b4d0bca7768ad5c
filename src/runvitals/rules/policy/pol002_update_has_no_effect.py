"""POL002."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from runvitals.model import Hit, Series, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.policy._still import never_moved
from runvitals.rules.policy._updates import log_is_rounded, one_update_per_batch
from runvitals.rules.registry import rule
from runvitals.signals.crossing import frozen

MIN_POINTS = 10  # judgement
FROZEN_POINTS = 20  # of a loss: few decimals repeat by chance (judgement)
FIRST = 5  # points that are the start (judgement)
NO_KL = 1e-8  # what rounding leaves of a KL of 0
SOME_KL, SOME_KL_AT_FIRST = 1e-7, 1e-5  # a policy that moves, and that moved once (judgement)
MOST, ALL_BUT_A_FEW = 0.95, 0.99  # of the run (judgement)
HALF = 0.5  # of the run: most of it taught nothing (judgement)
DEAD_TAIL = 0.1  # share of the run without a learning rate that is worth knowing (judgement)
LOSSES = ("lm/loss", "preference/loss", "rm/loss", "supervised/loss")


class Sign(NamedTuple):
    """One way in which it shows that nothing changes."""

    series: Series
    first: int  # index from which on, to the end
    message: str
    severity: Severity
    cause: str
    advice: str


@rule(
    "POL002",
    "update-has-no-effect",
    severity="critical",
    verdict="not learning",
)
def update_has_no_effect(patient: Patient) -> Iterator[Hit]:
    """Training runs, but the model does not change.

    ## What it looks for
    One of these, through the end of the run and for at least 10 points:

    - a parameter update of exactly 0
    - a learning rate of exactly 0
    - a gradient norm of exactly 0
    - a KL of 0 although each batch gets several updates
    - a supervised or policy loss with the same value for 20 points
    - a held-out loss, or a norm of the parameters, that never changes

    A schedule that reaches 0 only at its end is fine. A tenth of the run with a learning rate of 0
    is a notice, half of it a warning.

    The rule is silent while the outcome is doing well (except for a held-out loss that never
    changes), and if the log keeps so few decimals that small numbers read as 0. In GRPO and RLOO, a
    policy loss of 0 means nothing.

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
    still = _never_moved(patient)
    if patient.health.good and still is None:
        return
    signs = [
        sign
        for sign in (
            _no_change(patient),
            still,
            _no_rate(patient),
            _no_gradient(patient),
            _no_kl(patient),
            _frozen_loss(patient),
        )
        if sign is not None
    ]
    if not signs or log_is_rounded(patient):
        return
    order = ("critical", "warning", "notice")
    best = min(signs, key=lambda sign: order.index(sign.severity))
    series = best.series
    yield Hit(
        series=series.name,
        span=series.span(best.first),
        message=best.message,
        advice=best.advice,
        severity=best.severity,
        causes=(
            best.cause,
            *(sign.cause for sign in signs if sign.cause != best.cause),
            "parameters frozen, or the optimiser holds another copy of the model",
        ),
        also=tuple(sign.series.name for sign in signs if sign.series.name != series.name),
    )


def _tail(values: np.ndarray, still: np.ndarray) -> int:
    """How many points at the end are still."""
    moving = np.flatnonzero(~still)
    return len(values) - 1 - int(moving[-1]) if len(moving) else len(values)


def _no_change(patient: Patient) -> Sign | None:
    series = patient.find("optim/update_norm")
    if series is None:
        return None
    count = _tail(series.values, series.values == 0.0)
    if count < max(MIN_POINTS, HALF * len(series)):
        return None
    return Sign(
        series,
        len(series) - count,
        f"parameters do not change: the update norm is 0 at the last {count:,} points",
        "critical",
        "the optimiser step is missing",
        "print how much the parameters change in one optimiser step, and which are trainable",
    )


def _never_moved(patient: Patient) -> Sign | None:
    series = never_moved(patient)
    if series is None:
        return None
    return Sign(
        series,
        0,
        f"the model never changes: exactly {float(series.values[0]):.6g} at all {len(series):,} points",
        "critical",
        "the optimiser step is missing, or the learning rate is 0",
        "print how much the parameters change in one optimiser step, and which are trainable",
    )


def _no_rate(patient: Patient) -> Sign | None:
    series = patient.find("policy/learning_rate", "optim/learning_rate")
    if series is None or len(series) < MIN_POINTS:
        return None
    zero = series.values == 0.0
    count = _tail(series.values, zero)
    share = count / len(series)
    if count < MIN_POINTS or share < DEAD_TAIL or _moves(patient, int(series.steps[-count])):
        return None
    severity: Severity = "critical" if zero[1:].mean() > ALL_BUT_A_FEW else "warning"
    if share < HALF:
        severity = "notice"
    return Sign(
        series,
        len(series) - count,
        f"learning rate is exactly 0 from step {int(series.steps[-count]):,} to the end "
        f"({count:,} points)",
        severity,
        "the schedule has ended" if share < 1.0 else "the learning rate is 0",
        "check how many steps the learning-rate schedule was made for, and where it starts",
    )


def _moves(patient: Patient, since: int) -> bool:
    """Whether something shows that the policy changes all the same."""
    for metric in ("optim/update_norm", "policy/approx_kl"):
        series = patient.find(metric)
        if series is not None:
            late = np.abs(series.values[series.steps > since])
            if len(late) and float(np.median(late)) > SOME_KL:
                return True
    return False


def _no_gradient(patient: Patient) -> Sign | None:
    series = patient.find("policy/grad_norm", "optim/grad_norm")
    if series is None:
        return None
    zero = series.values == 0.0
    count = _tail(series.values, zero)
    if count < MIN_POINTS or zero.mean() < HALF:
        return None
    return Sign(
        series,
        len(series) - count,
        f"gradient norm is exactly 0 at the last {count:,} points",
        "critical" if zero.mean() > MOST else "warning",
        "no signal: every advantage is zero, or every label is masked",
        "check that advantages or labels are not all zero or masked, and that gradients flow",
    )


def _no_kl(patient: Patient) -> Sign | None:
    series = patient.find("policy/approx_kl")
    if series is None or len(series) < MIN_POINTS:
        return None
    still = np.abs(series.values) <= NO_KL
    moved_before = float(np.abs(series.values[:FIRST]).max()) > SOME_KL_AT_FIRST
    if one_update_per_batch(patient) and not moved_before:
        return None
    count = _tail(series.values, still)
    if count < max(MIN_POINTS, HALF * len(series)):
        return None
    return Sign(
        series,
        len(series) - count,
        f"policy KL is 0 at the last {count:,} updates, although each batch gets several",
        "critical",
        "the policy is saturated" if moved_before else "the optimiser step is missing",
        "compare the parameters before and after one optimiser step",
    )


def _frozen_loss(patient: Patient) -> Sign | None:
    if patient.kind in ("sft", "preference", "reward-model"):
        loss = patient.find(*LOSSES)
    elif patient.kind == "on-policy":
        loss = patient.find("policy/loss")
    else:
        return None
    if loss is None or patient.health.early:
        return None
    runs = [one for one in frozen(loss.values, least=FROZEN_POINTS) if one.last == len(loss) - 1]
    if not runs or runs[0].beyond < HALF * len(loss):
        return None
    value = float(loss.values[-1])
    return Sign(
        loss,
        runs[0].first,
        f"loss is exactly {value:.6g} at the last {runs[0].beyond:,} points",
        "critical" if patient.kind != "on-policy" else "warning",
        "nothing is learned, or the loss is not computed from the batch",
        "check that the loss depends on the batch and that parameters require gradients",
    )
