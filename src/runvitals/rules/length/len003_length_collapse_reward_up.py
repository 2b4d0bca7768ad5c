"""LEN003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.model.formatting import number
from runvitals.rules.outcome.roles import PAID
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import so_far
from runvitals.signals.crossing import Stretch
from runvitals.signals.late import late
from runvitals.signals.trend import trend

MIN_POINTS = 12  # judgement
MIN_LATE = 5  # points that tell where it ended
FIRST = 3  # points, of which the longest counts: models learn to be brief within a few updates
HALF = 0.5  # of the first responses (judgement)
BACK = 0.8  # of them: a late response so long shows that they did not all shrink (judgement)
FEW_TOKENS = 10.0  # too few to hold reasoning (judgement)
FIFTH, THIRD, TENTH = 0.2, 1 / 3, 0.1  # of the first responses; the last while the outcome is good


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
    The last fifth of `length/response_mean` is below half of where it began (`limit`), and the
    training reward does not fall. Becoming concise is normal, so this is a notice, unless responses
    are down

    - to a fifth and to ten tokens or fewer, or
    - to a third while the outcome is flat.

    Then it is a warning, except while a held-out outcome improves or holds.

    ## Why it matters
    A reward that favours short answers, or an early end token that costs nothing, teaches the model
    to say nothing.

    ## Usual causes
    1. The reward prefers short answers.
    2. The loss is normalised per sequence, so short correct answers count more.
    3. The length penalty is too strong.
    4. An early end token is a loophole.

    ## What to try
    Correlate reward and length among correct answers. Normalise per token or by a constant. Switch
    the length penalty off for a test.

    ## When to ignore it
    The model used to ramble and is meant to be brief.

    ## Sources
    Training Metrics Glossary; Dr. GRPO (Liu et al., 2025); simpleRL-reason #65.
    """
    length = patient["length/response_mean"]
    n = len(length)
    outcome = patient.outcome
    if n < MIN_POINTS or outcome is None:
        return
    bound = patient.limit(limit, otherwise=HALF, why="half of the first responses")
    start = float(np.max(length.values[:FIRST]))
    tail = late(length.values, least=MIN_LATE)
    now = float(np.median(tail))
    if start <= 0 or now > bound.value * start or float(np.max(tail)) > BACK * start:
        return
    reward = patient.find(*PAID)
    if reward is not None and trend(reward.values).down:
        return
    short = np.flatnonzero(length.values <= bound.value * start)
    severity = _severity(patient, now, now / start)
    yield Hit(
        series=length.name,
        span=Stretch(int(short[0]), n - 1, 0).span(length),
        message=f"responses shrank from {number(start, 3)} to {number(now, 3)} tokens, "
        "but the reward did not fall" + (so_far(patient) if severity == "notice" else ""),
        advice="compare reward and length among correct answers; test without length penalties",
        severity=severity,
        causes=("reward prefers short answers", "loss normalised per sequence", "length penalty"),
        limit=bound,
    )


def _severity(patient: Patient, tokens: float, share: float) -> Severity:
    tiny = tokens <= FEW_TOKENS and share <= FIFTH
    held_out = patient.outcome is not None and patient.outcome.held_out
    if patient.health.silent or (held_out and patient.health.good):
        return "notice"
    if patient.health.good or patient.health.leans_up:
        return "warning" if tiny and share <= TENTH else "notice"
    return "warning" if tiny or share <= THIRD else "notice"
