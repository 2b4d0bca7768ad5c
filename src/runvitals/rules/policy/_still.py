"""Proof that a model never changed: what is computed from its weights alone is one and the same."""

from __future__ import annotations

from math import log

import numpy as np

from runvitals.model import Series
from runvitals.rules.patient import Patient

HELD_OUT_LOSSES = ("eval/loss", "eval/lm/loss", "eval/preference/loss", "eval/rm/loss")
MIN_EVALUATIONS, MIN_NORMS = 5, 20  # judgement: one stale number is a hiccup of the log
MOVES = ("optim/update_norm", "policy/approx_kl", "policy/kl_ref")
MOVED = 1e-7  # beyond what rounding makes of 0
PLACES = 6  # digits without which a small change would not show


def never_moved(patient: Patient) -> Series | None:
    """A held-out loss that is the same number at every evaluation, to the last of many digits.

    It is taken over the same examples each time, so that any step of the optimizer would show in it,
    unless it does not depend on the model at all: ln 2 is the loss of pairs without a difference.
    A norm of the parameters that stands still says the same only if nothing is learned: steps across
    the weights hardly change their norm, and 32 bits may not hold it.
    """
    norm = patient.find("optim/param_norm")
    if norm is not None and (len(norm) < MIN_NORMS or not _same(norm)):
        return None
    for metric in HELD_OUT_LOSSES:
        loss = patient.find(metric)
        if loss is not None:
            told = norm is not None or abs(float(loss.values[0]) - log(2)) > 1e-6
            return loss if len(loss) >= MIN_EVALUATIONS and _same(loss) and told else None
    return None if patient.health.good or _moves(patient) else norm


def _moves(patient: Patient) -> bool:
    """Whether something says that the model changes, though the norm of its weights does not."""
    return any(
        float(np.median(np.abs(series.values))) > MOVED
        for metric in MOVES
        if (series := patient.find(metric)) is not None
    )


def _same(series: Series) -> bool:
    values = series.values
    if values[0] == 0.0 or np.ptp(values) > 1e-12 * abs(float(values[0])):
        return False
    return float(f"{values[0]:.{PLACES - 1}g}") != float(values[0])
