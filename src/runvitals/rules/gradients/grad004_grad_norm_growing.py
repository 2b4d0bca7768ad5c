"""GRAD004."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.model.formatting import number
from runvitals.rules.gradients._kit import NORMS, is_sick
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.baseline import ratio_to_reference
from runvitals.signals.trend import trend

MIN_POINTS = 40  # half of them show the trend (judgement)
LASTS = 10  # points at the end (judgement)
CLEAR = 2.0  # spreads that the norm rises by over the second half (judgement)
RISES = 1.05  # times the learning rate of half-time: then the rate is the reason (judgement)


@rule("GRAD004", "grad-norm-growing", severity="warning", needs=[NORMS], families=["llm"])
def grad_norm_growing(patient: Patient, *, factor: float = 3.0) -> Iterator[Hit]:
    """The gradient norm keeps growing.

    ## What it looks for
    All of these, with at least 40 points:

    - a clear upward trend over the second half;
    - a level above `factor` (3) times the early one for at least the last ten points;
    - a learning rate that does not rise.

    It is a notice while the outcome is doing well.

    ## Why it matters
    In RL on language models this is often the first sign that trainer and rollout engine drift
    apart, long before the reward falls.

    ## Usual causes
    1. Trainer and rollout engine disagree about probabilities.
    2. Entropy or the distance to the reference grows.
    3. Learning rate too high.
    4. Responses grow longer.

    ## What to try
    Log the difference between trainer and engine probabilities before you touch the learning rate.

    ## When to ignore it
    Fine-tuning to convergence, while the loss falls as it should.

    ## Sources
    verl's FAQ (a norm that keeps growing); "When Speed Kills Stability"; prime-rl; a TRL thread.
    """
    norm = patient[NORMS]
    if len(norm) < MIN_POINTS or patient.health.early:
        return
    ratio = ratio_to_reference(norm.values)
    if not np.isfinite(ratio[-1]) or float(np.min(ratio[-LASTS:])) <= factor:
        return
    if not trend(norm.values[len(norm) // 2 :], effect=CLEAR).up:
        return
    rate = patient.find("optim/learning_rate", "policy/learning_rate")
    if rate is not None and rate.last > RISES * float(rate.values[len(rate) // 2]):
        return
    below = np.flatnonzero(ratio <= factor)
    severity: Severity | None = None if is_sick(patient) else "notice"
    yield Hit(
        series=norm.name,
        span=norm.span(int(below[-1]) + 1 if len(below) else 0),
        message=f"gradient norm is at {number(ratio[-1], 3)} times its early level and still growing",
        advice="log the gap between trainer and rollout probabilities, then lower the learning rate",
        severity=severity,
        causes=(
            "trainer and rollout engine drift apart",
            "entropy grows",
            "learning rate too high",
        ),
        limit=patient.limit(None, otherwise=factor, why="times its own early level"),
    )
