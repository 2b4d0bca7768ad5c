"""EVAL004."""

import math
from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Series, Severity
from runvitals.model.formatting import number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch
from runvitals.signals.gap import Gap, gap
from runvitals.signals.late import QUARTER, early_mean, points_in

# what both sides measure in one unit, and whether it is a share
PAIRS: tuple[tuple[str, str, bool], ...] = (
    ("outcome/success_rate", "eval/success_rate", True),
    ("outcome/win_rate", "eval/win_rate", True),
    ("outcome/return_mean", "eval/return_mean", False),
)
MIN_EVALUATIONS = 3  # in the late half
MIN_PROGRESS = 0.2  # of the plan (judgement)
START = 1 / 20  # of the training points, before they gained anything
MIN_GAP, MIN_GAP_OF_SHARE = 0.5, 0.3  # of the larger level; of all episodes. Judgement: healthy
# runs with exploration noise and unlike seeds stay within 0.2 of each other
UNSEEN = 0.5  # of what training gained, which an evaluation has to miss
FOLLOWS = 0.5  # of its own level: an evaluation that gained so much is on another scale, perhaps
TWICE = 2.0  # the level of the other at the start, at most (judgement: one evaluation is noisy)
NOT_NOTHING = 0.05  # of what training gained: a start next to 0 is shared by all scales
RESCALED = (
    "reward_scale",
    "norm_reward",
    "normalize_reward",
    "reward_normalization",
    "clip_reward",
)

UNSCALED: tuple[object, ...] = (None, 0, 1, "", "None", "False", "none", "false")


@rule(
    "EVAL004",
    "evaluation-far-below-training",
    severity="warning",
    verdict="overfitting",
    needs=[
        "outcome/success_rate|outcome/win_rate|outcome/return_mean",
        "eval/success_rate|eval/win_rate|eval/return_mean",
    ],
    families=["control"],
)
def evaluation_far_below_training(patient: Patient, *, least_gap: float = MIN_GAP) -> Iterator[Hit]:
    """The evaluation is far below what training reports, in the same unit.

    ## What it looks for
    Return, success or wins of both training and evaluation, compared at the same steps in the later
    half of the run. At least three evaluations must be below training

    - by half of the larger level (`least_gap`), or by 0.3 for success and win rates,
    - by half of what training gained, and
    - by more than chance would explain once in 200 times.

    Returns may be on different scales. So for them it is a notice if a setting says that rewards are
    rescaled, or if the evaluation clearly rose as well, unless the two began at about the same
    level: their ratio at the start must be nearer to 1 than to what it is now. An evaluation that
    rose must also be as far behind in the last quarter of the evaluations: one that lags catches
    up. An evaluation above training is normal, because it explores less.

    ## Why it matters
    One of the two numbers is wrong. Either the policy does not do what the training curve says, or
    it is evaluated in a different world from the one it was trained in.

    ## Usual causes
    1. Observations are normalised in training, but not in evaluation, or with other statistics
       (VecNormalize without its saved statistics).
    2. The evaluation environment has other wrappers, time limits, difficulty or reward terms.
    3. The policy depends on its noise, and its most likely action gets stuck.
    4. Training reports a shaped or normalised reward.

    ## What to try
    Evaluate in the training environment itself, then change one wrapper at a time. Load the saved
    statistics of the normaliser. Evaluate with sampled actions too.

    ## When to ignore it
    You evaluate on a harder task on purpose.

    ## Sources
    SB3's notes on VecNormalize and EvalCallback (wrap and sync the evaluation environment like the
    training one); our own runs.
    """
    if patient.progress is not None and patient.progress < MIN_PROGRESS:
        return
    for mine, theirs, share in PAIRS:
        training, held_out = patient.find(mine), patient.find(theirs)
        if training is None or held_out is None:
            continue
        hit = _compare(patient, training, held_out, 0.0 if share else least_gap)
        if hit is not None:
            yield hit
            return


def _compare(patient: Patient, training: Series, held_out: Series, part: float) -> Hit | None:
    """What a pair says; `part` is the least gap as a share of the level, 0 for shares of episodes."""
    at, levels = _at_evaluations(training, held_out)
    first = max(0, min(len(at) // 2, len(at) - MIN_EVALUATIONS))
    late = at[first:]
    if len(late) < MIN_EVALUATIONS:
        return None
    scores = held_out.values[late]
    found = gap(levels[first:] - scores)
    now, there = float(levels[first:].mean()), float(scores.mean())
    size = max(abs(now), abs(there))
    gained = now - early_mean(training.values, START)
    least = max(part * size if part else MIN_GAP_OF_SHARE, UNSEEN * gained)
    if not found.sure or found.size < least:
        return None
    severity: Severity | None = None
    if _rose(held_out.values[at]):
        last = points_in(len(at), QUARTER, MIN_EVALUATIONS)
        if float((levels - held_out.values[at])[-last:].mean()) < least:
            return None  # it lags, and catches up
        if part and not _began_together(training, held_out, now, there):
            severity = "notice"
    if part and _rescaled(patient):
        severity = "notice"
    return Hit(
        series=held_out.name,
        span=Stretch(int(late[0]), int(late[-1]), 0).span(held_out),
        message=f"{held_out.name} is {number(there, 3)} while {training.name} is {number(now, 3)} "
        f"({_words(found, now)})",
        advice="evaluate in the training environment, with the saved statistics of its normaliser",
        severity=severity,
        causes=(
            "observations normalised in training only, or with other statistics",
            "the evaluation environment differs",
            "the policy depends on its noise",
        ),
        also=(training.name,),
    )


def _at_evaluations(training: Series, held_out: Series) -> tuple[np.ndarray, FloatArray]:
    """The evaluations that training covers, and the mean of training since the one before each."""
    ends = np.searchsorted(training.steps, held_out.steps, side="right")
    last_known = int(training.steps[-1]) + max(
        1, int(np.median(np.diff(held_out.steps, prepend=0)))
    )
    covered = np.flatnonzero((ends > 0) & (held_out.steps <= last_known))
    levels = []
    for index in covered:
        begin = int(ends[index - 1]) if index > 0 else 0
        begin = min(begin, int(ends[index]) - 1)
        levels.append(float(training.values[begin : ends[index]].mean()))
    return covered, np.array(levels, np.float64)


def _rose(scores: FloatArray) -> bool:
    """Whether the evaluation has gained clearly too, by half of its own level."""
    half = len(scores) // 2
    if half < 1:
        return False
    rise = gap(scores[half:] - float(scores[: max(1, half // 2)].mean()))
    return rise.sure and rise.size >= FOLLOWS * float(np.abs(scores[half:]).mean())


def _began_together(training: Series, held_out: Series, now: float, there: float) -> bool:
    """Whether both began at one level, other than 0, and parted: then they are on one scale.

    What is a fixed share of the other is that from the start, so their ratio at the start has to be
    nearer to 1 than to what it is now.
    """
    start, first = early_mean(training.values, START), float(held_out.values[0])
    if start * first <= 0 or abs(start) < NOT_NOTHING * abs(now - start):
        return False
    most = TWICE
    if now * there > 0:
        most = min(most, math.sqrt(max(now / there, there / now)))
    return 1 / most <= first / start <= most


def _rescaled(patient: Patient) -> bool:
    return any(
        str(key).replace("/", ".").rpartition(".")[2].lower() in RESCALED
        and (value is True or value not in UNSCALED)
        for key, value in patient.run.config.items()
    )


def _words(found: Gap, now: float) -> str:
    share = found.size / abs(now) if now else 0.0
    lower = f"{share:.0%} lower" if 0 < share <= 1 else f"{number(found.size, 3)} lower"
    return f"{lower}, give or take {number(2 * found.error, 2)}, in {found.pairs} evaluations"
