"""Below which entropy a policy has hardly any choice from the start."""

from __future__ import annotations

import math

from runvitals.model import Limit
from runvitals.rules.patient import Patient
from runvitals.rules.policy._updates import action_counts

OF_UNIFORM = 0.3  # RLExplorer: a start below is not exploration
FEW_CHOICES, FEW_TOKENS = 0.1, 0.02  # nats, where the number of choices is unknown (judgement)
FIRST = 5  # points that are the start: one batch may be odd (judgement)


def least_at_start(patient: Patient) -> Limit:
    """A share of the entropy of a random choice where the number of actions is known."""
    if patient.kind == "llm-rl":
        return Limit(FEW_TOKENS, "almost no choice of tokens")
    counts = action_counts(patient)
    if counts is None:
        return Limit(FEW_CHOICES, "almost no choice")
    return Limit(
        OF_UNIFORM * math.log(len(counts[0])),
        f"{OF_UNIFORM:g} times that of a random choice",
    )
