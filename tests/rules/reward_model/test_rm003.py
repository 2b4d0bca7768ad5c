import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
N = 60
RISING = np.linspace(0, 3, N) + 0.1 * RNG.standard_normal(N)
TURNS = np.concatenate([np.linspace(0.4, 0.7, 20), np.linspace(0.68, 0.1, 20)])
TURNS = np.round(TURNS * 256) / 256


def run(score, success, accuracy=0.8):
    series = {
        "reward/score_mean": score,
        "rm/accuracy": [accuracy] * N,
        "eval/success_rate": success,
    }
    return make_run(series, algorithm="GRPO")


def test_fires_when_the_policy_over_optimises():
    [finding] = check(run(RISING, TURNS), "RM003")

    assert finding.severity == "critical"
    assert "while eval/success_rate went from" in finding.message


def test_fires_when_an_accurate_judge_brings_nothing():
    flat = np.round((0.4 + 0.005 * RNG.standard_normal(40)) * 1000) / 1000

    assert check(run(RISING, flat), "RM003")[0].severity == "warning"


@pytest.mark.parametrize(
    ("score", "success"),
    [
        (RISING, np.linspace(0.3, 0.8, 40)),
        (0.1 * RNG.standard_normal(N), TURNS),
        (RISING, RNG.binomial(20, 0.5, 40) / 20),
        (RISING, [0.5] * 4),
        ([np.nan] * N, TURNS),
    ],
    ids=["gains", "score flat", "small set", "few evaluations", "all nan"],
)
def test_stays_silent(score, success):
    assert check(run(score, success, accuracy=0.6), "RM003") == []
