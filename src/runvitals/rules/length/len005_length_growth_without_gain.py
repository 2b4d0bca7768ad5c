import re

import numpy as np

from runvitals.rules.kit import Hit, Patient, fell, number, rose, rule
from runvitals.signals.pairs import aligned, correlation


@rule(
    "LEN005",
    needs=["length/response_mean|length/response_std|length/prompt_mean"],
    min_points=12,
    excused_by_outcome=True,
)
def length_growth_or_spread_without_gain(
    patient: Patient, *, limit: float = 1.5, paid: float = 1.05, wide: float = 3.0
) -> Hit | tuple[Hit | None, ...]:
    """Responses keep growing with no held-out gain, or prompts or the spread of lengths drift.

    ## What it looks for
    - Responses: `length/response_mean` is 50% above its start (`limit`). If the reward follows it
      from row to row (the changes correlate at 0.9 or more) and no part of the reward is named after
      length, 5% is enough (`paid`). It is a notice while an outcome other than the reward itself, such
      as a success rate or a held-out score, is doing well, and a warning otherwise.
    - Prompts: `length/prompt_mean` is 50% above or a third below its start.
    - Spread: the standard deviation of response lengths is three times what it was (`wide`).

    The last two are warnings if the outcome is not doing well, otherwise notices.

    ## Why it matters
    Length is the easiest way to fool a reward. Honest reasoning grows too, but then the held-out
    score follows. Drifting prompts mean that the data are no longer what the run began with.

    ## Usual causes
    1. The reward model or judge prefers long answers.
    2. The loss favours long wrong answers.
    3. Padding avoids a penalty.
    4. Honest longer reasoning; then the score follows.
    5. For prompts: the data are sorted, or history and tool output pile up.

    ## What to try
    Plot the score per token. Use a loss without length bias (Dr. GRPO, token mean). Add a soft
    penalty for overlong responses. For prompts, shuffle the data and look at the longest ones.

    ## When to ignore it
    A curriculum, or a long-context stage whose goal the held-out set does not measure.

    ## Sources
    RL metrics table (length drift and spread); Training Metrics Glossary; Dr. GRPO; PPO-max;
    rldoctor.
    """
    grown = _grown(patient, limit, paid)
    return grown or (_drifted_prompts(patient, limit), _wider(patient, wide))


def _grown(patient: Patient, limit: float, paid: float) -> Hit | None:
    outcome, together = patient.outcome, pays_for_length(patient)
    independent = outcome is not None and not outcome.role.optimised
    found = rose(patient.find("length/response_mean"), limit if together is None else paid)
    why = "" if together is None else f"; the reward follows them row by row ({together:.2f})"
    return found and found.hit(
        f"responses grew from {number(found.before, 3)} to {number(found.level, 3)} tokens{why}"
        + ("" if independent else "; no held-out score was logged to compare with"),
        advice="read the responses with the highest reward; use a loss without length bias",
        causes=("reward prefers long answers", "loss favours long answers", "padding"),
        beyond_excuse=not independent,
    )


def _drifted_prompts(patient: Patient, limit: float) -> Hit | None:
    prompts = patient.find("length/prompt_mean")
    found = rose(prompts, limit) or fell(prompts, 1 / limit)
    return found and found.hit(
        f"prompts went from {number(found.before, 3)} to {number(found.level, 3)} tokens",
        advice="check that the data are shuffled, and see what piles up in the prompts",
        causes=("data sorted or changed", "history or tool output piles up", "a curriculum"),
    )


def _wider(patient: Patient, times: float) -> Hit | None:
    found = rose(patient.find("length/response_std"), times)
    return found and found.hit(
        f"standard deviation of response lengths grew from {number(found.before, 3)} to "
        f"{number(found.level, 3)} tokens",
        advice="read the longest responses of the last steps",
        causes=("some responses repeat themselves", "reward prefers long answers"),
    )


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
