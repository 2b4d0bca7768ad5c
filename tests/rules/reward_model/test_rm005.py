import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
N = 60
NOISE = 0.1 * RNG.standard_normal(N)
CLIMB = np.linspace(0, 2, N) + NOISE


def run(score, accuracy=None):
    series = {"rm/score_mean": score, "reward/score_mean": score}
    if accuracy is not None:
        series["rm/accuracy"] = accuracy
    return make_run(series, algorithm="GRPO")


def test_fires_where_scores_jump():
    score = CLIMB + np.where(np.arange(N) >= 24, 6.0, 0.0)

    [finding] = check(run(score), "RM005")

    assert finding.severity == "warning"
    assert finding.message.endswith("at step 25")


def test_fires_where_the_recorded_accuracy_changes():
    [finding] = check(run(CLIMB, [0.9] * 24 + [0.6] * 36), "RM005")

    assert finding.message == "the reward model's accuracy jumped from 0.9 to 0.6 at step 25"


def test_a_judge_that_ruins_the_policy_is_critical():
    swapped = {"rm/score_mean": CLIMB, "rm/accuracy": [0.9] * 24 + [0.4] * 36}
    right = [*np.linspace(0.3, 0.8, 8), *np.linspace(0.7, 0.05, 6), *[0.05] * 6]
    held_out = dict(zip(range(3, 61, 3), right, strict=True))

    run = make_run({**swapped, "eval/success_rate": held_out}, algorithm="GRPO")

    assert check(run, "RM005")[0].severity == "critical"


@pytest.mark.parametrize(
    "score",
    [
        CLIMB,
        NOISE.cumsum(),
        2 / (1 + np.exp(-np.linspace(-6, 6, N))) + NOISE / 3,
        CLIMB + np.where(np.arange(N) == 30, 8.0, 0.0),
        CLIMB[:10],
        [np.nan] * N,
        [1.0] * N,
    ],
    ids=["climbs", "wanders", "learns fast", "one spike", "too short", "all nan", "constant"],
)
def test_stays_silent(score):
    assert check(run(score, [0.9] * len(score)), "RM005") == []
