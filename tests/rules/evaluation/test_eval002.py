import numpy as np
import pytest

from runvitals.model import Binding
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


EARNED = np.minimum(1.0, np.linspace(0.4, 1.5, 80)) - 0.01
PARTLY = np.round((0.6 + 0.01 * RNG.standard_normal(20)) * 1000) / 1000


@pytest.mark.parametrize(
    ("first", "severity"), [(0.55, "warning"), (0.1, "notice")], ids=["never learned", "harder"]
)
def test_fires_when_the_reward_is_all_paid_out_and_the_score_is_not(first, severity):
    learned = np.concatenate([np.linspace(first, 0.6, 6), PARTLY[:14]])
    paid = {"reward/score_max": [1.0] * 80}

    [finding] = check(run(learned, EARNED, **paid), "EVAL002")

    assert finding.severity == severity
    assert "at 99% of its maximum" in finding.message
    assert finding.message.endswith("on held-out prompts")


def of_the_same_answers(reward, right):
    series = {
        "reward/score_mean": EARNED,
        "reward/score_max": [1.0] * 80,
        "val/reward": dict(zip(EVERY, reward, strict=True)),
        "val/acc": dict(zip(EVERY, right, strict=True)),
    }
    made = make_run(series, algorithm="GRPO")
    made.bind(
        {name: Binding(name) for name in ("reward/score_mean", "reward/score_max")}
        | {
            f"val/{m}": Binding("eval/mean_at_n", {"metric": m, "n": "4"})
            for m in ("acc", "reward")
        }
    )
    return made


def test_fires_when_answers_are_paid_that_the_evaluation_calls_wrong():
    right = np.concatenate([np.linspace(0.3, 0.8, 8), 0.8 + 0.02 * (PARTLY[:12] - 0.6)])
    reward = np.concatenate([np.linspace(0.4, 0.98, 8), [0.98] * 12])

    [finding] = check(of_the_same_answers(reward, right), "EVAL002")

    assert finding.series == "val/acc"
    assert finding.message.endswith("for the same answers")


def test_a_reward_that_follows_the_answers_is_no_alarm():
    right = np.concatenate([np.linspace(0.3, 0.8, 8), [0.8] * 12])

    assert check(of_the_same_answers(0.1 + 0.9 * right, right), "EVAL002") == []


@pytest.mark.parametrize(
    ("score", "reward", "top"),
    [
        (PARTLY, np.full(80, 0.5), np.full(80, 0.5)),
        (PARTLY, EARNED, 1.0 + 0.2 * RNG.random(80)),
        (np.linspace(0.1, 0.95, 20), EARNED, np.ones(80)),
        (np.linspace(0.1, 0.6, 20), EARNED, np.ones(80)),
        (0.25 + PARTLY, EARNED, np.ones(80)),
        (np.linspace(0.1, 0.6, 20), np.linspace(0.1, 0.8, 80), np.ones(80)),
    ],
    ids=["constant", "open scale", "follows", "still learns", "small gap", "more to earn"],
)
def test_full_marks_alone_are_no_alarm(score, reward, top):
    learned = np.concatenate([np.linspace(0.0, score[0], 4), score[4:]])

    assert check(run(learned, reward, **{"reward/score_max": top}), "EVAL002") == []
