from math import log

import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
N = 60
CHANCE = np.round((0.5 + 0.03 * RNG.standard_normal(N)) * 64) / 64
STUCK = log(2) + 0.004 * RNG.standard_normal(N)
LEARNED = np.linspace(log(2), 0.3, N)


def run(loss, accuracy, **more):
    return make_run({"rm/loss": loss, "rm/accuracy": accuracy, **more}, algorithm="Reward")


def test_fires_when_the_judge_guesses():
    [finding] = check(run(STUCK, CHANCE), "RM001")

    assert finding.severity == "warning"
    assert finding.message == (
        "rm/accuracy went from 0.5026 to 0.5052, within its noise: no improvement"
    )


def test_equal_scores_are_critical():
    [finding] = check(run([log(2)] * N, [0.0] * N), "RM001")

    assert finding.severity == "critical"
    assert finding.message == "rm/accuracy is 0 in all 60 rows: no improvement"


def test_fires_when_held_out_pairs_stay_at_chance():
    held_out = {"eval/rm/accuracy": CHANCE[:15], "eval/rm/loss": [0.7] * 15}

    assert check(run(LEARNED, np.linspace(0.5, 0.9, N), **held_out), "RM001")


@pytest.mark.parametrize(
    ("right", "left", "alarms"),
    [(0.57, 0.69, 1), (0.57, 0.6, 0), (0.65, 0.69, 0)],
    ids=["both poor", "the loss knows more", "the ranks know more"],
)
def test_a_finished_judge_must_beat_one_that_is_right_in_60_percent(right, left, alarms):
    shares = np.round((right + 0.01 * RNG.standard_normal(15)) * 500) / 500
    held_out = {"eval/rm/accuracy": shares, "eval/rm/loss": [left] * 15}

    found = check(run(np.linspace(0.69, 0.66, N), np.linspace(0.5, 0.62, N), **held_out), "RM001")

    assert len(found) == alarms


def test_names_wrong_labels_when_held_out_pairs_are_ranked_far_better():
    held_out = {"eval/rm/accuracy": np.linspace(0.8, 0.92, 15)}

    [finding] = check(run(np.linspace(0.69, 0.57, N), [0.7] * N, **held_out), "RM001")

    assert "the training labels look wrong" in finding.message


@pytest.mark.parametrize(
    ("loss", "accuracy"),
    [
        (LEARNED, np.linspace(0.5, 0.9, N)),
        (np.linspace(log(2), 0.64, N), np.linspace(0.5, 0.65, N)),
        (STUCK[:9], CHANCE[:9]),
        ([np.nan] * N, [np.nan] * N),
    ],
    ids=["learning", "slow", "too short", "all nan"],
)
def test_stays_silent(loss, accuracy):
    assert check(run(loss, accuracy), "RM001") == []
