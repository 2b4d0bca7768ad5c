"""REW004."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.outcome.settling import settling
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.reward._kit import far_enough
from runvitals.rules.reward._unscored import unscored
from runvitals.signals.levels import is_two_valued

SAME = 20  # points that have to be equal (judgement)
MIN_PROGRESS = 0.3  # of the plan: a hard task may pay later (judgement)
FIRST_TWENTIETH = 20  # of the points: what is constant since then was so from the start
NO_SPREAD = 1e-6  # of rewards: rounding
NEARLY_ALL, RARE = 0.9, 0.05  # of the second half are the same; of all points differ (judgement)
MOVES = 1e-9  # more than rounding
MIN_LENGTHS = 12  # points of the episode length


@rule(
    "REW004",
    "no-reward-signal",
    severity="critical",
    needs=["outcome/return_mean|reward/score_mean|reward/mean|outcome/success_rate"],
    families=["rl"],
)
def no_reward_signal(patient: Patient, *, points: int = SAME) -> Iterator[Hit]:
    """The reward is the same whatever the policy does, so there is nothing to learn from.

    ## What it looks for
    One of these:

    - The mean return or reward is exactly the same in at least the last 20 updates (`points`), and
      in nine of ten points of the second half.
    - For language models, the standard deviation of the rewards is below 1e-6 for as long.
    - For language models, nothing is ever earned, only avoided: the reward is never above 0, was
      below 0 for some answers at first, and now is exactly 0 in half of the updates or has come
      four fifths of the way to 0. It is a warning.

    It is silent while the outcome is doing well: a constant full score is success. A constant that
    is positive from the start may be a full score too, so it is a notice.

    ## Why it matters
    Without differences in reward, every advantage is zero or noise.

    ## Usual causes
    1. The reward function returns a constant, falls back to a default, or reads the wrong field.
    2. The task is too hard for the starting policy: it never succeeds once.
    3. The reward is clipped or normalised away.
    4. The policy is dead and does only one thing.

    ## What to try
    Call the reward function on three good and three bad answers written by hand. Then make the task
    easier or shape the reward, and count the verifier's errors.

    ## When to ignore it
    Training with penalties only, for example against offensive answers; a solved task; a log in
    which no episode ended between two rows.

    ## Sources
    Training Metrics and Telemetry (flat lines mean no signal); TRL and Open-R1 threads on rewards
    that stay at 0; RLExplorer's reward check.
    """
    if patient.health.good or patient.health.early:
        return
    found = _constant(patient, points)
    if found is None:
        return
    series, first, what = found
    value = series.last
    began = first <= len(series) // FIRST_TWENTIETH + 1
    # of frequent hits many come in a row by chance
    hits = patient.health.steady and is_two_valued(series.values)
    unsure = value > 0 and (began or hits) and not what
    if not far_enough(patient, MIN_PROGRESS):
        return
    cut = unscored(patient)
    yield Hit(
        series=series.name,
        span=series.span(first),
        message=what
        or f"{series.name} is exactly {value:g} at the last {len(series) - first:,} points",
        advice=(f"check whether responses contain an answer at all: {cut}; then " if cut else "")
        + "call the reward function on good and bad answers written by hand",
        severity="notice" if unsure or settling(patient) else None,
        causes=(
            "reward function returns a constant or reads the wrong field",
            "task too hard: the policy never succeeds",
            "policy is dead and does only one thing",
        ),
    )


def _constant(patient: Patient, points: int) -> tuple[Series, int, str] | None:
    """The series without signal, from which index, and what to say if it is not its value."""
    if patient.kind == "llm-rl":
        spread = patient.find("reward/std", "reward/score_std")
        if spread is not None and (first := _tail(spread.values < NO_SPREAD, points)) is not None:
            count = len(spread) - first
            return (
                spread,
                first,
                f"rewards do not differ in the last {count:,} updates: standard deviation "
                f"{spread.last:.1g}",
            )
    for metric in (
        "reward/score_mean",
        "outcome/return_mean",
        "reward/mean",
        "outcome/success_rate",
    ):
        series = patient.find(metric)
        if series is None or len(series) < points:
            continue
        same = series.values == series.last
        first = _tail(same, points)
        if first is not None and not _others_move(patient, metric, series):
            return series, first, ""
        return None
    return None


def _tail(same: np.ndarray, points: int) -> int | None:
    """From which index on nearly all points are the same, if these are enough of the series."""
    n = len(same)
    if n < points or not same[-points // 2 :].all() or same[n // 2 :].mean() < NEARLY_ALL:
        return None
    different = np.flatnonzero(~same)
    rare = len(different) <= RARE * n
    first = 0 if rare or not len(different) else int(different[-1]) + 1
    return first if n - first >= points else None


def _others_move(patient: Patient, metric: str, series: Series) -> bool:
    """Whether a finer outcome still moves: then the constant is only rounded, or stale."""
    for other in ("outcome/return_mean", "reward/mean", "reward/score_mean"):
        found = patient.find(other)
        if other != metric and found is not None and len(found) >= len(series) // 2:
            tail = found.values[len(found) // 2 :]
            if float(np.ptp(tail)) > MOVES:
                return True
    length = patient.find("outcome/episode_length_mean")
    if length is not None and series.last > 0 and len(length) >= MIN_LENGTHS:
        return bool(np.ptp(length.values[len(length) // 2 :]) > 0)
    return False
