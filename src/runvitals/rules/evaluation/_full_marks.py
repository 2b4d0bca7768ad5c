"""A reward that is all paid out, for answers that an evaluation finds wrong."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple

import numpy as np

from runvitals.model import Series
from runvitals.rules.patient import Patient
from runvitals.signals.crossing import share_at
from runvitals.signals.held_out import evaluation_noise
from runvitals.signals.late import TENTH, THIRD, early, late, late_median, start_median
from runvitals.signals.trend import trend

FULL = 0.95  # of the highest mark (judgement)
WEIGHT = 3.0  # wrong answers per missing mark: being right then counts for a third at most
WRONG_HERE, WRONG_ELSEWHERE = 0.1, 0.25  # of the held-out answers: those the reward saw, and others
REWARDS = ("reward", "score")
TRUTHS = ("acc", "accuracy", "correct", "success", "pass", "exact_match")
MIN_POINTS = 8  # judgement
MIN_MARKS, MIN_LATE_MARKS = 12, 6  # batches, and of them the last third
SAME_MARK, MOST = 1e-6, 0.5  # of the mark; of the late batches that reach it
TIMES_CHANCE = 2.0  # standard errors of the late mean


class Gap(NamedTuple):
    """What was paid, what it was worth, and how much of each is missing."""

    paid: Series
    score: Series
    full: float  # share of the highest mark
    right: float  # share of the held-out answers
    same: bool  # whether both judge the same answers
    gained: float  # by the held-out share since its first evaluations


def full_marks(patient: Patient, scores: tuple[str, ...]) -> Gap | None:
    """The first pair of a reward at its highest mark and a held-out share that is far from 1."""
    mark = highest_mark(patient)
    if mark is None:
        return None
    for paid, score, same in _pairs(patient, scores):
        gap = _gap(paid, score, mark, same=same)
        if gap is not None:
            return gap
    return None


def highest_mark(patient: Patient) -> float | None:
    """What the best answer of most batches gets, and no other value: a mark, and no open scale."""
    tops = patient.find("reward/score_max", "reward/max")
    if tops is None or len(tops) < MIN_MARKS:
        return None
    last = late(tops.values, THIRD, MIN_LATE_MARKS)
    top = float(np.median(last))
    return top if top > 0 and share_at(last, top, tolerance=SAME_MARK * top) >= MOST else None


def _pairs(patient: Patient, scores: tuple[str, ...]) -> Iterator[tuple[Series, Series, bool]]:
    means = patient.all("eval/mean_at_n")
    for paid in means:
        for score in means:
            if _is(paid, REWARDS) and _is(score, TRUTHS) and _twins(paid, score):
                yield paid, score, True
    training = patient.find("reward/score_mean", "reward/mean")
    for metric in scores:
        found = patient.find(metric)
        if training is not None and found is not None and not _is(found, REWARDS):
            yield training, found, False
            return


def _is(series: Series, names: tuple[str, ...]) -> bool:
    return series.labels.get("metric", "") in names


def _twins(one: Series, other: Series) -> bool:
    """Whether both are of the same answers: all labels but the measure agree."""
    return {**one.labels, "metric": ""} == {**other.labels, "metric": ""}


def _gap(paid: Series, score: Series, mark: float, *, same: bool) -> Gap | None:
    if len(score) < MIN_POINTS or len(paid) < MIN_POINTS:
        return None
    if score.values.min() < 0 or score.values.max() > 1:
        return None
    if early(paid.values, TENTH).min() >= FULL * mark:
        return None  # never was anything to earn
    last = late(score.values, THIRD)
    full, right = late_median(paid.values, THIRD) / mark, float(np.median(last))
    error = TIMES_CHANCE * evaluation_noise(score.values, share=True) / sqrt(len(last))
    wrong, missing = 1.0 - right - error, max(0.0, 1.0 - full)
    if full < FULL or wrong < (WRONG_HERE if same else WRONG_ELSEWHERE) or wrong < WEIGHT * missing:
        return None
    if trend(score.values[len(score) // 2 :]).up:
        return None
    return Gap(paid, score, full, right, same, right - start_median(score.values))
