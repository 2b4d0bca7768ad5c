"""Whether the updates of a policy have moved it at all; if not, its outcome changed by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runvitals.rules.policy._updates import log_is_rounded, one_update_per_batch
from runvitals.signals.late import QUARTER, late

if TYPE_CHECKING:
    from runvitals.rules.outcome.course import Course
    from runvitals.rules.patient import Patient

UPDATE_KL = ("policy/approx_kl", "policy/kl_old")
MIN_UPDATES = 30  # judgement
MIN_PROGRESS = 0.5  # of the plan: before that a slow start is not a finding (judgement)
MAX_VALUE = 1e6  # held below overflow
NOT_MOVED = 0.5  # the root of a KL, all updates together; runs that learn move ten times as far
AT_ZERO = 0.1  # of the updates at exactly 0: rounded by the log, or 0 by construction (judgement)
MIN_ENTROPIES, MAX_ACTIONS = 20, 50  # judgement; beyond, logarithms lie too close together
EVEN = 0.01  # of the logarithm; runs that learn leave it within a few updates
LITTLE = 0.25  # of the size of an outcome: a smaller gain may be drift (judgement)


def distance_if_unmoved(patient: Patient) -> float | None:
    """How far all updates together have moved the policy, if that is next to nothing.

    The root of the KL is a length: steps of 0.001 add up to 0.1 after a hundred updates at most.
    """
    kl = patient.find(*UPDATE_KL)
    if kl is None or patient.kind != "on-policy" or len(kl) < MIN_UPDATES:
        return None
    if (patient.progress or 1.0) < MIN_PROGRESS or float((kl.values == 0).mean()) > AT_ZERO:
        return None
    if one_update_per_batch(patient, if_unknown=False) or log_is_rounded(patient):
        return None
    moved = float(np.sqrt(np.minimum(np.abs(kl.values), MAX_VALUE)).sum())
    return moved if moved < NOT_MOVED else None


def uniform_among(patient: Patient) -> int | None:
    """Among how many actions a policy still chooses evenly at the end; None if it does not.

    An untrained one does: its first entropy is the logarithm of a whole number.
    """
    entropy = patient.find("policy/entropy")
    if entropy is None or patient.kind != "on-policy" or len(entropy) < MIN_ENTROPIES:
        return None
    first, now = float(entropy.values[0]), float(np.mean(late(entropy.values, QUARTER)))
    if not 0 < first < np.log(MAX_ACTIONS):
        return None
    choices = round(float(np.exp(first)))
    most = float(np.log(max(choices, 2)))
    even = abs(first - most) <= EVEN * most and now >= (1 - EVEN) * most
    return choices if even and choices > 1 and (patient.progress or 1.0) >= MIN_PROGRESS else None


def may_be_drift(course: Course, share: float = LITTLE) -> bool:
    """Whether what an outcome has gained is small beside its size."""
    return course.height < share * max(abs(course.start), abs(course.best))
