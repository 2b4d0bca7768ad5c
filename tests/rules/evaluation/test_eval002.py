import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
RISING = np.linspace(0.1, 0.9, 80) + 0.03 * RNG.standard_normal(80)
EVERY = range(4, 81, 4)
FLAT = np.round((0.4 + 0.005 * RNG.standard_normal(20)) * 1000) / 1000


def run(score, reward=RISING, metric="eval/success_rate", **more):
    at = dict(zip(EVERY, score, strict=False))
    return make_run({"reward/score_mean": reward, metric: at, **more}, algorithm="GRPO")


def test_fires_when_only_the_reward_rises():
    [finding] = check(run(FLAT), "EVAL002")

    assert finding.severity == "warning"
    assert "reward/score_mean rose by 0." in finding.message
    assert finding.also == ("reward/score_mean",)


def test_a_falling_score_is_critical_and_length_is_named():
    falling = np.round(np.linspace(0.6, 0.1, 20) * 1000) / 1000
    length = {"length/response_mean": np.linspace(100, 300, 80)}

    [finding] = check(run(falling, **length), "EVAL002")

    assert finding.severity == "critical"
    assert "responses went from" in finding.message


@pytest.mark.parametrize(
    ("score", "reward"),
    [
        (np.linspace(0.2, 0.7, 20), RISING),
        (FLAT, 0.5 + 0.03 * RNG.standard_normal(80)),
        (RNG.binomial(20, 0.4, 20) / 20, RISING),
        ([0.95] * 20, RISING),
        (FLAT[:5], RISING),
        ([np.nan] * 20, RISING),
    ],
    ids=["gains", "reward flat", "small set", "full", "few evaluations", "all nan"],
)
def test_stays_silent(score, reward):
    assert check(run(score, reward), "EVAL002") == []
