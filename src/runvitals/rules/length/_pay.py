"""Whether a reward pays for length itself."""

from __future__ import annotations

import re

import numpy as np

from runvitals.rules.patient import Patient
from runvitals.signals.pairs import aligned, correlation

MIN_ROWS = 10  # judgement
# Of the changes from one row to the next: what batches share by chance, and not by their common trend.
# Measured on public logs and made runs of GRPO and RLOO: a reward that counts words comes to 0.99, all
# others stay below 0.65.
FOLLOWS = 0.9
ON_PURPOSE = re.compile(r"len(gth)?(_|/|$)|word|token|brev|short|long", re.IGNORECASE)


def pays_for_length(patient: Patient) -> float | None:
    """How closely the reward moves with the length of responses, row by row; None if it does not.

    Nor if a part of the reward says by its name that it is meant to.
    """
    reward = patient.find("reward/score_mean", "reward/mean")
    length = patient.find("length/response_mean")
    if reward is None or length is None:
        return None
    if any(ON_PURPOSE.search(part.name) for part in patient.all("reward/component_mean")):
        return None
    _, paid, tokens = aligned(reward, length)
    if len(paid) < MIN_ROWS:
        return None
    together = correlation(np.diff(tokens), np.diff(paid))
    return together if together >= FOLLOWS else None
