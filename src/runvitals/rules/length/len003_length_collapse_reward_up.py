import numpy as np

from runvitals.rules.kit import Hit, Patient, number, rule, stretch
from runvitals.signals.late import late

FIRST = 3  # points, of which the longest counts: models learn to be brief within a few updates


@rule("LEN003", needs=["length/response_mean", "outcome"], min_points=12, excused_by_outcome=True)
def length_collapse_reward_up(patient: Patient, *, limit: float | None = None) -> Hit | None:
    """Responses shrink to a fraction of their length while the reward does not fall.

    ## What it looks for
    The last fifth of `length/response_mean` is below half of its first points (`limit`), and the
    training reward does not fall. It is a notice while the outcome is doing well, since models that
    learn a format also learn to be brief, and a warning otherwise. A reward that rises does not excuse
    responses below a fifth of the limit.

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
    length, outcome, paid = patient["length/response_mean"], patient.outcome, patient.training
    start, tail = float(length.values[:FIRST].max()), late(length.values)
    bound = patient.limit(limit, otherwise=1 / 2, why="half of the first responses")
    shrunk = float(np.median(tail)) <= bound.value * start and float(tail.max()) < start
    if not shrunk or outcome is None or (paid is not None and paid.course.falls):
        return None
    short = np.flatnonzero(length.values <= bound.value * start)
    return stretch(length, int(short[0])).hit(
        f"responses shrank from {number(start, 3)} to {number(float(np.median(tail)), 3)} "
        "tokens, but the reward did not fall",
        advice="compare reward and length among correct answers; test without length penalties",
        causes=("reward prefers short answers", "loss normalised per sequence", "length penalty"),
        limit=bound,
        beyond_excuse=outcome.role.optimised and float(np.median(tail)) <= bound.value / 5 * start,
    )
