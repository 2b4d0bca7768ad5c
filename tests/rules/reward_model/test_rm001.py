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
    assert finding.message.endswith("no improvement")


def test_fires_when_all_scores_are_equal():
    [finding] = check(run([log(2)] * N, [0.0] * N), "RM001")

    assert finding.message == "rm/accuracy is 0 in all 60 rows: no improvement"


def test_names_wrong_labels_when_held_out_pairs_are_ranked_far_better():
    held_out = {"eval/rm/accuracy": np.linspace(0.8, 0.92, 15)}

    [finding] = check(run(np.linspace(0.69, 0.57, N), [0.7] * N, **held_out), "RM001")

    assert "the training labels look wrong" in finding.message


@pytest.mark.parametrize(
    ("loss", "accuracy"),
    [
        (LEARNED, np.linspace(0.5, 0.9, N)),
        (np.linspace(log(2), 0.64, N), np.linspace(0.5, 0.65, N)),
        (STUCK[:4], CHANCE[:4]),
        ([np.nan] * N, [np.nan] * N),
    ],
    ids=["learning", "slow", "too short", "all nan"],
)
def test_stays_silent(loss, accuracy):
    assert check(run(loss, accuracy), "RM001") == []
