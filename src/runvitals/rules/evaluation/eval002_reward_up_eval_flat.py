"""EVAL002."""

from collections.abc import Iterator
from math import sqrt

import numpy as np

from runvitals.model import FloatArray, Hit, Series
from runvitals.rules.evaluation._full_marks import full_marks
from runvitals.rules.evaluation._scores import PAID
from runvitals.rules.evaluation._scores import SCORES as EVERY_SCORE
from runvitals.rules.outcome import course
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch
from runvitals.signals.held_out import drop_from_best, evaluation_noise
from runvitals.signals.trend import trend

SCORES = tuple(
    (metric, ceiling)
    for metric, ceiling in EVERY_SCORE
    if metric not in ("eval/preference/accuracy", "eval/rm/accuracy", "eval/lm/token_accuracy")
)
SHARES = tuple(metric for metric, ceiling in SCORES if ceiling == 1.0)
REWARDS = "reward/score_mean|reward/mean|outcome/return_mean|outcome/score_mean"
LEAST_POINTS = 8
LEARNED = 0.1  # points of a held-out share; then the held-out set may just be harder


@rule(
    "EVAL002",
    "reward-up-eval-flat",
    severity="warning",
    needs=[REWARDS, "|".join(metric for metric, _ in SCORES)],
    families=["rl"],
)
def reward_up_eval_flat(patient: Patient, *, least_gain: float = 0.25) -> Iterator[Hit]:
    """The training reward rises and the held-out score does not.

    ## What it looks for
    An upward trend of the training reward by two spreads and a tenth of its level, or a jump of it
    between the first evaluations that lasts, and at least eight evaluations of a held-out score
    that has not gained: less than a quarter (`least_gain`) of the reward's gain where both are in
    one unit, less than 2 points for a share (5 after a jump), noise allowed for. A share above 0.9
    has no more to gain. Critical when the score falls. Or a reward that is all paid out: at 95 % of
    the highest mark that batches reach, while a held-out share stays below 0.75 (0.9 if the reward
    of the same answers was logged), and lacks three times as much as the reward does; a notice if
    that share has risen by 0.1 and may be one of harder questions.

    ## Why it matters
    The policy gets better at the reward and not at the task.

    ## Usual causes
    1. Length is exploited.
    2. Failed rollouts distort the mean.
    3. The verifier is gamed.
    4. Training and held-out prompts or templates differ.
    5. The evaluation is too noisy.

    ## What to try
    Read twenty samples with a high reward; score them with a second verifier.

    ## When to ignore it
    Early on, while only the format is learned; an evaluation of another skill.

    ## Sources
    Training Metrics Glossary (eval stalls, reward rises); rldoctor (gaps of 0.15 and 0.30).
    """
    reward = patient[REWARDS]
    if len(reward) < 12 or (patient.progress is not None and patient.progress < 0.5):
        return
    hit = _parted(patient, reward, least_gain) or _paid_out(patient)
    if hit is not None:
        yield hit


def _parted(patient: Patient, reward: Series, least_gain: float) -> Hit | None:
    """The reward rose, and the first score with enough evaluations did not."""
    for metric, ceiling in SCORES:
        score = patient.find(metric)
        if score is None or len(score) < LEAST_POINTS:
            continue
        mine, points = _on_grid(reward, score), max(1, len(score) // 3)
        if not trend(reward.values, effect=2.0).up or _gain(mine, points) < 0.1 * _size(mine):
            if ceiling is None or not _rose_at_once(reward, mine):
                return None
            points = 2
        gain, grown = _gain(mine, points), _gain(score.values, points)
        third = len(score) // 3
        late = float(np.median(score.values[-third:]))
        if gain <= 0 or (ceiling is not None and late >= 0.9 * ceiling):
            return None
        chance = evaluation_noise(score.values, share=ceiling is not None)
        error = 2.0 * chance * sqrt(1.0 / points + 1.0 / third)
        least = 0.05 * max(abs(late), 1e-9)
        if ceiling is not None:
            least = 0.02 if points > 2 else 0.05  # two evaluations cannot tell more
        if _in_one_unit(metric, reward.metric or ""):
            least = least_gain * gain
        drop = drop_from_best(score.values, share=ceiling is not None)
        falls = drop is not None and drop.sure and drop.share >= 0.5 and grown < 0
        if not falls and (grown + error > least or trend(score.values).up):
            return None
        return Hit(
            series=score.name,
            span=Stretch(0, len(score) - 1, 0).span(score),
            message=f"{reward.name} rose by {gain:.3g} while {score.name} "
            f"{'fell' if falls else 'stayed'}, {late:.3g} at the end" + _aside(patient),
            advice="read twenty samples with a high reward, and score them with a second verifier",
            severity="critical" if falls else None,
            causes=("length exploited", "verifier gamed", "training and held-out prompts differ"),
            also=(reward.name,),
        )
    return None


def _paid_out(patient: Patient) -> Hit | None:
    """The reward is at its highest mark for answers of which many are wrong."""
    gap = full_marks(patient, SHARES)
    if gap is None:
        return None
    whose = "for the same answers" if gap.same else "on held-out prompts"
    return Hit(
        series=gap.score.name,
        span=Stretch(len(gap.score) // 2, len(gap.score) - 1, 0).span(gap.score),
        message=f"{gap.paid.name} is at {gap.full:.0%} of its highest mark, and {gap.score.name} "
        f"stays at {gap.right:.2g} {whose}",
        advice="read twenty samples with the full reward that the evaluation calls wrong",
        severity="notice" if not gap.same and gap.gained >= LEARNED else None,
        causes=(
            "verifier gamed",
            "being right hardly counts in the reward",
            "training set too easy",
        ),
        also=(gap.paid.name,),
    )


def _on_grid(reward: Series, score: Series) -> FloatArray:
    """The median reward up to each evaluation since the one before."""
    ends = np.searchsorted(reward.steps, score.steps, side="right")
    starts = np.concatenate([[0], ends[:-1]])
    values = [
        float(np.median(reward.values[min(first, last - 1) : last]))
        for first, last in zip(starts.tolist(), ends.tolist(), strict=True)
        if last > 0
    ]
    return np.array(values or [0.0])


def _in_one_unit(score: str, reward: str) -> bool:
    """Whether a held-out score is the training reward on other prompts or episodes."""
    both_returns = score.endswith("return_mean") and reward.endswith("return_mean")
    return both_returns or (score in PAID and reward.startswith("reward/"))


def _rose_at_once(reward: Series, mine: FloatArray) -> bool:
    """Whether the reward jumped between the first evaluations, and holds: thirds do not show that."""
    way = course(reward.values)
    risen = _gain(mine, 1)
    clear = way.has_height(8.0) and way.lost <= 0.2
    return clear and risen >= max(0.5 * way.height, 0.1 * _size(mine))


def _size(values: FloatArray) -> float:
    return float(np.max(np.abs(values)))


def _gain(values: FloatArray, points: int) -> float:
    """The last third against so many points at the start."""
    third = max(1, len(values) // 3)
    return float(np.median(values[-third:]) - np.median(values[:points]))


def _aside(patient: Patient) -> str:
    """Whether lengths moved, or rollouts failed or were cut."""
    length = patient.find("length/response_mean")
    if length is not None and len(length) >= 12:
        early, late = (float(np.median(part)) for part in (length.values[:5], length.values[-5:]))
        if early > 0 and not 0.67 < late / early < 1.5:
            return f"; responses went from {early:.3g} to {late:.3g} tokens"
    for metric, words in (
        ("length/aborted_ratio", "of the rollouts failed"),
        ("length/response_clip_ratio", "of the responses were cut off"),
    ):
        series = patient.find(metric)
        if series is not None and (share := float(np.median(series.values[-5:]))) > 0.1:
            return f"; {share:.0%} {words}"
    return ""
