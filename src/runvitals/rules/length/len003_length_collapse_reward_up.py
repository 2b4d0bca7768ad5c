"""LEN003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch
from runvitals.signals.trend import trend

FEW_TOKENS = 10.0


@rule(
    "LEN003",
    "length-collapse-reward-up",
    severity="warning",
    needs=["length/response_mean", "outcome"],
    families=["llm-rl"],
)
def length_collapse_reward_up(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """Responses shrink to a fraction of their length while the reward does not fall.

    ## What it looks for
    The last fifth of `length/response_mean` below half of where it began (`limit`), and the
    training reward not falling. Growing concise is normal, so this is a notice unless responses
    are down to a fifth and to ten tokens or fewer, or down to a third while the outcome stands
    still. A held-out outcome that improves or holds silences it.

    ## Why it matters
    A reward that is biased to short answers, or an early end token that costs nothing, teaches
    the model to say nothing.

    ## Usual causes
    1. The reward prefers short answers.
    2. The loss is normalised per sequence, so that short right answers weigh more.
    3. The length penalty is too strong.
    4. An early end token is a loophole.

    ## What to try
    Correlate reward and length among right answers; use a token-level or constant normalisation;
    switch the length penalty off for a test.

    ## When to ignore it
    A model that rambled before and is meant to be brief.

    ## Sources
    Training Metrics Glossary; Dr. GRPO (Liu et al., 2025); simpleRL-reason #65.
    """
    length = patient["length/response_mean"]
    n = len(length)
    outcome = patient.outcome
    if n < 12 or outcome is None or (outcome.held_out and patient.health.good):
        return
    bound = patient.limit(limit, otherwise=0.5, why="half of the first responses")
    start = float(np.max(length.values[:3]))
    tail = length.values[-max(5, n // 5) :]
    late = float(np.median(tail))
    if start <= 0 or late > bound.value * start or float(np.max(tail)) > 0.8 * start:
        return
    reward = patient.find("reward/score_mean", "reward/mean", "outcome/return_mean")
    if reward is not None and trend(reward.values).down:
        return
    short = np.flatnonzero(length.values <= bound.value * start)
    yield Hit(
        series=length.name,
        span=Stretch(int(short[0]), n - 1, 0).span(length),
        message=f"responses shrank from {start:.3g} to {late:.3g} tokens, and the reward did not fall",
        advice="compare reward and length among right answers; switch length penalties off for a test",
        severity=_severity(patient, late, late / start),
        causes=("reward prefers short answers", "loss normalised per sequence", "length penalty"),
        limit=bound,
    )


def _severity(patient: Patient, late: float, share: float) -> Severity:
    tiny = late <= FEW_TOKENS and share <= 0.2
    if patient.health.silent:
        return "notice"
    if patient.health.good:
        return "warning" if tiny and share <= 0.1 else "notice"
    return "warning" if tiny or share <= 1 / 3 else "notice"
