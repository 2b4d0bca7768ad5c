"""Whether a language model is paid for avoiding something only: then its reward may be upside down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from runvitals.rules.outcome.reading import Outcome
    from runvitals.rules.patient import Patient

MIN_ROWS = 20  # judgement
HALF = 0.5  # of the last rows at exactly 0; of the way to 0, from which hits would be the rule
SPREADS = 0.5  # of its mean, that rewards differ at first: some are 0 and some are not
QUARTER = 4
MOST_OF_THE_WAY = 0.8  # from the first row to 0, which hardly any answer is paid less than then


def only_avoids(patient: Patient, one: Outcome) -> bool:
    """Whether no row is above 0, the last ones are mostly 0, and answers were seldom paid less.

    So it goes with a reward for seldom successes whose sign is turned: the model learns not to
    succeed. So it goes, too, with a penalty for what is unwanted; only the user knows which it is.
    """
    values = one.values
    if patient.kind != "llm-rl" or one.role.kind != "reward" or len(values) < MIN_ROWS:
        return False
    rows = max(1, len(values) // QUARTER)
    start = float(values[:rows].mean())
    if values.max() > 0.0 or not -HALF < start < 0:
        return False
    spread = patient.find("reward/std", "reward/score_std")
    if spread is None or float(np.mean(spread.values[:rows])) < SPREADS * -start:
        return False
    at_zero = float((values[-rows:] == 0.0).mean()) >= HALF
    return at_zero or float(values[-rows:].mean()) >= (1 - MOST_OF_THE_WAY) * float(values[0])
