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
    assert finding.message.startswith("reward/score_mean rose from 0.1")
    assert "but eval/success_rate stayed at 0.39" in finding.message
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
        ([0.95] * 20, RISING),
        (FLAT[:4], RISING),
        ([np.nan] * 20, RISING),
    ],
    ids=["gains", "reward flat", "full", "few evaluations", "all nan"],
)
def test_stays_silent(score, reward):
    assert check(run(score, reward), "EVAL002") == []


@pytest.mark.parametrize(
    ("score", "severities"),
    [
        (np.concatenate([[0.3, 0.2, 0.1], np.zeros(17)]), ["critical"]),
        (FLAT, ["warning"]),
        (np.concatenate([[0.1, 0.3, 0.5], np.full(17, 0.6)]), []),
    ],
    ids=["falls", "stays", "follows"],
)
def test_sees_a_reward_that_is_learned_at_once(score, severities):
    at_once = 3.0 - 2.0 * np.exp(-np.arange(80) / 4) + 0.02 * RNG.standard_normal(80)

    assert [one.severity for one in check(run(score, at_once), "EVAL002")] == severities


@pytest.mark.parametrize(
    ("held_out", "alarms"), [(np.full(20, 0.3), 1), (np.linspace(0.1, 0.6, 20), 0)]
)
def test_the_reward_on_other_prompts_must_follow(held_out, alarms):
    noisy = held_out + 0.01 * RNG.standard_normal(20)

    assert len(check(run(noisy, RISING, "eval/reward/score_mean"), "EVAL002")) == alarms
