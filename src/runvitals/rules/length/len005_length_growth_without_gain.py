"""LEN005."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.model.formatting import number
from runvitals.rules.held_out import SCORES
from runvitals.rules.length._pay import pays_for_length
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far, suffers
from runvitals.signals.baseline import reference
from runvitals.signals.held_out import evaluation_noise
from runvitals.signals.late import THIRD, early_mean, late_mean, late_median, start_median
from runvitals.signals.pairs import aligned, rank_correlation
from runvitals.signals.rates import is_share
from runvitals.signals.trend import trend

MIN_POINTS = 12  # judgement
ENDS = 5  # points at least that tell where it began, and where it ended
MIN_SPREADS = 20  # points of the spread of lengths, which is noisier (judgement)
MIN_SCORES = 6  # two in each third
LONGER = 1.5  # times the early length (judgement)
GREW = 1.05  # times the early length, where the reward counts tokens (judgement)
WIDER = 3.0  # times the early spread (judgement)
TOGETHER = 0.6  # rank correlation of reward and length (judgement)
NEARLY_FULL = 0.9  # of a score that can be 1 at most (judgement)
GAIN = 0.02  # of a score: less is next to nothing (judgement)
DOUBLE = 1.9  # times the early length: about twice (judgement)
TINY = 1e-9
CHANCE = 0.5  # of the noise of one evaluation, for means of several


@rule(
    "LEN005",
    "length-growth-or-spread-without-gain",
    severity="warning",
    verdict="not learning",
    needs=["length/response_mean|length/response_std|length/prompt_mean"],
    families=["llm-rl"],
)
def length_growth_or_spread_without_gain(
    patient: Patient, *, limit: float | None = None
) -> Iterator[Hit]:
    """Responses keep growing with no held-out gain, or prompts or the spread of lengths drift.

    ## What it looks for
    - Responses: `length/response_mean` is 50% above its early level with an upward trend. It is a
      warning if the training reward rises with it and a held-out outcome gained almost nothing, or
      if the length doubled while the outcome is not doing well. Otherwise it is a notice.
    - Prompts: `length/prompt_mean` is 50% above or a third below its early level. It is a notice,
      or a warning at twice that while the outcome is not doing well.
    - Spread: the standard deviation of response lengths is above three times its early level. It is
      a notice, or a warning while the outcome is not doing well.
    - Paid by the token: responses grow, and the reward follows their length from row to row (the
      changes correlate at 0.9 or more). It is a warning, unless a part of the reward is named after
      length.

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
    bound = patient.limit(limit, otherwise=LONGER, why="times this run's early length")
    responses = patient.find("length/response_mean")
    if responses is not None and len(responses) >= MIN_POINTS:
        hit = _paid(patient, responses) or _responses(patient, responses, bound)
        if hit is not None:
            yield hit
            return
    for hit in (_prompts(patient, bound), _spread(patient)):
        if hit is not None:
            yield hit


def _paid(patient: Patient, length: Series) -> Hit | None:
    """The reward counts tokens: it goes up and down with them, and they have grown."""
    together = pays_for_length(patient)
    score = _score(patient)
    if together is None or (score is not None and _gained(score)):
        return None
    early, late = start_median(length.values, ENDS), late_median(length.values, least=ENDS)
    if late < GREW * early:
        return None
    return Hit(
        series=length.name,
        span=length.span(),
        message=f"the reward follows response length from row to row (correlation "
        f"{together:.2f}), and responses grew from {number(early, 3)} to {number(late, 3)} tokens"
        + _gain(patient),
        advice="read the responses with the highest reward; score the answer, not its length",
        causes=("reward prefers long answers", "length counts as quality"),
    )


def _responses(patient: Patient, length: Series, bound: Limit) -> Hit | None:
    drift = _drift(length)
    if drift is None or drift.times < bound.value:
        return None
    longer = np.flatnonzero(length.values >= bound.value * drift.early)
    severity = _severity(patient, drift.times)
    return Hit(
        series=length.name,
        span=length.span(int(longer[0])),
        message=f"responses grew from {number(drift.early, 3)} to {number(drift.late, 3)} tokens"
        + _gain(patient),
        advice="plot the score per token; use a loss without length bias",
        severity=severity,
        causes=("reward prefers long answers", "loss favours long answers", "padding"),
        limit=bound,
    )


def _prompts(patient: Patient, bound: Limit) -> Hit | None:
    length = patient.find("length/prompt_mean")
    drift = None if length is None or len(length) < MIN_POINTS else _drift(length)
    if length is None or drift is None:
        return None
    size = max(drift.times, 1.0 / drift.times)
    if size < bound.value:
        return None
    severity = by_outcome(patient) if size >= DOUBLE else "notice"
    beyond = length.values / drift.early
    changed = np.flatnonzero(np.maximum(beyond, 1.0 / np.maximum(beyond, TINY)) >= bound.value)
    return Hit(
        series=length.name,
        span=length.span(int(changed[0]) if len(changed) else 0),
        message=f"prompts went from {number(drift.early, 3)} to {number(drift.late, 3)} tokens"
        + (so_far(patient) if severity == "notice" else ""),
        advice="check that the data are shuffled, and see what piles up in the prompts",
        severity=severity,
        causes=("data sorted or changed", "history or tool output piles up", "a curriculum"),
        limit=bound,
    )


def _spread(patient: Patient) -> Hit | None:
    spread = patient.find("length/response_std")
    if spread is None or len(spread) < MIN_SPREADS:
        return None
    usual = reference(spread.values)
    now = late_median(spread.values, least=ENDS)
    if usual <= 0 or now <= WIDER * usual:
        return None
    severity = by_outcome(patient)
    wide = np.flatnonzero(spread.values > WIDER * usual)
    return Hit(
        series=spread.name,
        span=spread.span(int(wide[0]) if len(wide) else len(spread) // 2),
        message=f"standard deviation of response lengths grew from {number(usual, 3)} "
        f"to {number(now, 3)} tokens" + (so_far(patient) if severity == "notice" else ""),
        advice="read the longest responses of the last steps",
        severity=severity,
        causes=("some responses repeat themselves", "reward prefers long answers"),
    )


class Drift(NamedTuple):
    """Where a length began, and where it ended."""

    early: float
    late: float

    @property
    def times(self) -> float:
        """The one as a multiple of the other."""
        return self.late / self.early


def _drift(length: Series) -> Drift | None:
    """How far a length moved, if it has a direction; None if it has none."""
    values = length.values
    late = late_median(values, least=ENDS)
    early, start = reference(values), start_median(values, ENDS)
    direction = trend(values)
    if not min(early, start, late) > 0 or not (direction.up or direction.down):
        return None
    early = min(early, start) if direction.up else max(early, start)
    return Drift(early, late) if (late > early) == direction.up else None


def _severity(patient: Patient, times: float) -> Severity:
    if times >= DOUBLE and suffers(patient):
        return "warning"
    score, reward = _score(patient), patient.find("reward/score_mean", "reward/mean")
    if score is None or reward is None or _gained(score):
        return "notice"
    _, mine, theirs = aligned(reward, patient["length/response_mean"])
    together = rank_correlation(mine, theirs) > TOGETHER or trend(reward.values).up
    return "warning" if together else "notice"


def _score(patient: Patient) -> Series | None:
    """A result that is not the reward itself, with enough points to compare."""
    score = patient.find(*SCORES)
    if score is None and patient.outcome is not None and patient.outcome.independent:
        score = patient.outcome.series
    return score if score is not None and len(score) >= MIN_SCORES else None


def _levels(score: Series) -> tuple[float, float]:
    return early_mean(score.values, THIRD), late_mean(score.values, THIRD)


def _gained(score: Series) -> bool:
    """Whether the score has risen, or is nearly full."""
    early, late = _levels(score)
    share = is_share(score.values)
    chance = evaluation_noise(score.values, share=share)
    usual = 1.0 if share else abs(early)
    return (share and late >= NEARLY_FULL) or late - early > max(GAIN * usual, CHANCE * chance)


def _gain(patient: Patient) -> str:
    score = _score(patient)
    if score is None:
        return "; no held-out score was logged to compare with"
    before, after = _levels(score)
    return f" while {score.name} went from {number(before, 3)} to {number(after, 3)}"
