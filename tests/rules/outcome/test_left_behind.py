"""Held-out outcomes that do not follow a gain in training, however noisy they are."""

from collections import Counter

import numpy as np
import pytest

from runvitals.rules.patient import Patient
from runvitals.testing import make_run

SEEDS = 12


def words(metric, level, gain, evaluations, noise):
    """The words for a reward that rises from 0.15 to 0.62 beside evaluations."""
    found = Counter()
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        held_out = level + gain * np.linspace(0, 1, evaluations)
        held_out += noise * rng.standard_normal(evaluations)
        steps = [100 // evaluations * (i + 1) for i in range(evaluations)]
        series = {
            "reward/score_mean": np.linspace(0.15, 0.62, 100) + 0.05 * rng.standard_normal(100),
            metric: dict(zip(steps, held_out, strict=True)),
        }
        found[Patient(make_run(series, algorithm="GRPO")).health.word] += 1
    return found


@pytest.mark.parametrize(
    "metric", ["eval/mean_at_n", "eval/success_rate", "eval/reward/score_mean"]
)
@pytest.mark.parametrize(("evaluations", "noise"), [(8, 0.01), (12, 0.01), (25, 0.01), (25, 0.03)])
def test_a_flat_evaluation_is_not_praised_for_the_reward_beside_it(metric, evaluations, noise):
    found = words(metric, 0.33, 0.0, evaluations, noise)

    assert found["learning"] + found["learned"] <= SEEDS // 4
    assert found["overfitting"] >= SEEDS // 2


@pytest.mark.parametrize("metric", ["eval/mean_at_n", "eval/score_mean", "eval/reward/score_mean"])
@pytest.mark.parametrize(("evaluations", "noise"), [(5, 0.01), (12, 0.03), (25, 0.03)])
def test_an_evaluation_that_follows_is_praised(metric, evaluations, noise):
    found = words(metric, 0.33, 0.3, evaluations, noise)

    assert found["learning"] + found["learned"] == SEEDS


def test_an_evaluation_as_good_as_training_is_not_left_behind():
    assert words("eval/reward/score_mean", 0.62, 0.0, 12, 0.03)["overfitting"] == 0


@pytest.mark.parametrize(("evaluations", "noise"), [(8, 0.005), (15, 0.02), (30, 0.05)])
def test_a_held_out_loss_that_stays_while_training_falls_is_not_praised(evaluations, noise):
    found = Counter()
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        rows = 10 * evaluations
        series = {
            "lm/loss": np.linspace(3, 0.5, rows) * (1 + 0.08 * rng.standard_normal(rows)),
            "eval/loss": {
                10 * (i + 1): 3 * (1 + noise * rng.standard_normal()) for i in range(evaluations)
            },
        }
        found[Patient(make_run(series, algorithm="SFT")).health.word] += 1

    assert found["overfitting"] >= SEEDS - 2, found


def test_a_held_out_return_does_not_hide_that_success_falls():
    t = np.linspace(0, 1, 60)
    series = {
        "outcome/return_mean": 1 + 4 * t,
        "eval/return_mean": 1 + 4 * t,
        "outcome/success_rate": 0.95 * (1 - t),
    }

    found = Patient(make_run(series, algorithm="PPO")).health

    assert found.plot == "missed", found.reason


def test_evaluations_that_now_and_then_fail_do_not_contradict_a_rise():
    evaluations = -20.0 + np.random.default_rng(1).standard_normal(21)
    evaluations[[3, 4, 6, 9, 16, 18]] = -2000.0
    evaluations[0] = -3980.0
    series = {"outcome/return_mean": np.linspace(-700, -45, 21), "eval/return_mean": evaluations}

    assert Patient(make_run(series, algorithm="PPO")).health.word != "stalled"
