"""Signs that a model has not changed, whatever its outcome says."""

from __future__ import annotations

from math import log

import numpy as np

from runvitals.model import Series
from runvitals.rules.patient import Patient

HELD_OUT_LOSSES = ("eval/loss", "eval/lm/loss", "eval/preference/loss", "eval/rm/loss")
MOVES = ("optim/update_norm", "policy/approx_kl", "policy/kl_ref")
MIN_EVALUATIONS = 5  # one stale number is a hiccup of the log
MIN_POINTS = 20
MOVED = 1e-7  # beyond what rounding makes of 0
DRIFT = 0.25  # of the size of an outcome: a smaller gain may be chance (judgement)
EVEN = 0.01  # of an entropy; runs that learn leave it within a few updates
MAX_ACTIONS = 10  # of more, the entropy may just as well be that of a Gaussian


def gain_may_be_drift(patient: Patient) -> bool:
    """Whether a gain of the outcome is so small beside its size that nothing need be learned for it."""
    outcome = patient.outcome
    if outcome is None or patient.health.early or patient.health.solved:
        return False
    if patient.progress is not None and patient.progress < 0.5:
        return False
    course = outcome.course
    return course.height < DRIFT * max(abs(course.start), abs(course.best))


def chooses_evenly_among(patient: Patient) -> int | None:
    """How many actions a policy still chooses among by chance, as at its start; None if it does not.

    The entropy of an untrained one is the logarithm of a whole number.
    """
    entropy = patient.find("policy/entropy")
    if entropy is None or patient.kind != "on-policy" or len(entropy) < MIN_POINTS:
        return None
    if patient.continuous:
        return None
    first = float(entropy.values[0])
    actions = round(np.exp(min(first, log(2 * MAX_ACTIONS))))
    if not 1 < actions <= MAX_ACTIONS or abs(first - log(actions)) > EVEN * log(actions):
        return None
    now = float(np.mean(entropy.values[-(len(entropy) // 4) :]))
    return actions if now > (1 - EVEN) * log(actions) else None


def moves(patient: Patient, since: int = 0) -> bool:
    """Whether something says that the model changes after a step."""
    return any(
        float(np.median(np.abs(late))) > MOVED
        for metric in MOVES
        if (series := patient.find(metric)) is not None
        and len(late := series.values[series.steps > since])
    )


def never_moved(patient: Patient) -> Series | None:
    """A held-out loss that is the same number at every evaluation, to the last of many digits.

    It is taken over the same examples each time, so that any step of the optimizer would show in it,
    unless it does not depend on the model at all: ln 2 is the loss of pairs without a difference.
    A norm of the parameters that stands still says the same only if nothing is learned: steps across
    the weights hardly change their norm, and 32 bits may not hold it.
    """
    norm = patient.find("optim/param_norm")
    if norm is not None and (len(norm) < MIN_POINTS or not _same(norm)):
        return None
    for metric in HELD_OUT_LOSSES:
        loss = patient.find(metric)
        if loss is not None:
            told = norm is not None or abs(float(loss.values[0]) - log(2)) > 1e-6
            return loss if len(loss) >= MIN_EVALUATIONS and _same(loss) and told else None
    return None if patient.health.good or moves(patient) else norm


def _same(series: Series) -> bool:
    """Whether it is one number of at least six digits; with fewer a small change would not show."""
    values = series.values
    if values[0] == 0.0 or np.ptp(values) > 1e-12 * abs(float(values[0])):
        return False
    return float(f"{values[0]:.5g}") != float(values[0])
