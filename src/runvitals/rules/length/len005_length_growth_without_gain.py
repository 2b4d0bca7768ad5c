"""LEN005."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Severity
from runvitals.rules.held_out import SCORES
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.baseline import reference
from runvitals.signals.crossing import Stretch
from runvitals.signals.held_out import evaluation_noise
from runvitals.signals.late import THIRD, early_mean, late_mean, late_median, start_median
from runvitals.signals.pairs import aligned, rank_correlation
from runvitals.signals.rates import is_share
from runvitals.signals.trend import trend

LEAST_POINTS = 12  # judgement
ENDS = 5  # points at least that tell where it began, and where it ended
LEAST_SPREADS = 20  # points of the spread of lengths, which is noisier (judgement)
LEAST_SCORES = 6  # two in each third
LONGER = 1.5  # times the early length (judgement)
WIDER = 3.0  # times the early spread (judgement)
TOGETHER = 0.6  # rank correlation of reward and length (judgement)
NEARLY_FULL = 0.9  # of a score that can be 1 at most (judgement)
GAIN = 0.02  # of a score: less is next to nothing (judgement)
CHANCE = 0.5  # of the noise of one evaluation, for means of several


@rule(
    "LEN005",
    "length-growth-or-spread-without-gain",
    severity="warning",
    needs=["length/response_mean"],
    families=["llm-rl"],
)
def length_growth_or_spread_without_gain(
    patient: Patient, *, limit: float | None = None
) -> Iterator[Hit]:
    """Responses grow and grow, and nothing held out gets better.

    ## What it looks for
    `length/response_mean` 50 % above its early level with an upward trend, the training reward
    rising with it, and a held-out outcome that gained next to nothing. Without a held-out
    outcome, and for a spread of lengths above three times its early level, only a notice.

    ## Why it matters
    Length is the easiest feature for a reward to fall for. Honest reasoning grows too, but then
    the held-out score follows.

    ## Usual causes
    1. Reward model or judge prefers long answers.
    2. The loss favours long wrong answers.
    3. Padding avoids a penalty.
    4. Honest longer reasoning; then the score follows.

    ## What to try
    Plot score per token; use a loss without length bias (Dr. GRPO, token mean); add a soft
    penalty for overlong responses.

    ## When to ignore it
    Long-context stages, in which the held-out set is not what is trained for.

    ## Sources
    RL metrics table (length drift and spread); Training Metrics Glossary; Dr. GRPO; PPO-max;
    rldoctor.
    """
    length = patient["length/response_mean"]
    n = len(length)
    if n < LEAST_POINTS:
        return
    bound = patient.limit(limit, otherwise=LONGER, why="half above this run's early length")
    early = min(reference(length.values), start_median(length.values, ENDS))
    late = late_median(length.values, least=ENDS)
    if early > 0 and late >= bound.value * early and trend(length.values).up:
        longer = np.flatnonzero(length.values >= bound.value * early)
        yield Hit(
            series=length.name,
            span=Stretch(int(longer[0]), n - 1, 0).span(length),
            message=f"responses grew from {early:.3g} to {late:.3g} tokens" + _gain(patient),
            advice="plot the score per token; use a loss without length bias",
            severity=_severity(patient),
            causes=("reward prefers long answers", "loss favours long answers", "padding"),
            limit=bound,
        )
        return
    spread = patient.find("length/response_std")
    if spread is None or len(spread) < LEAST_SPREADS:
        return
    usual = reference(spread.values)
    now = late_median(spread.values, least=ENDS)
    if usual > 0 and now > WIDER * usual:
        yield Hit(
            series=spread.name,
            span=Stretch(len(spread) // 2, len(spread) - 1, 0).span(spread),
            message=f"the spread of response lengths grew from {usual:.3g} to {now:.3g} tokens",
            advice="read the longest responses of the last steps",
            severity="notice",
            causes=("some responses run into repetition", "reward prefers long answers"),
        )


def _severity(patient: Patient) -> Severity:
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
    return score if score is not None and len(score) >= LEAST_SCORES else None


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
        return ", and no held-out score was logged to compare with"
    before, after = _levels(score)
    return f" while {score.name} went from {before:.3g} to {after:.3g}"
