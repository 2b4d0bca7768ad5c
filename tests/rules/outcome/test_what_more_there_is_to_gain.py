"""Ceilings that the log itself gives away, and those that cannot be reached."""

import numpy as np
import pytest

from runvitals.rules.patient import Patient
from runvitals.testing import make_run

N = 24
T = np.linspace(0, 1, N)


def health(series, algorithm="PPO"):
    return Patient(make_run(series, every=100, algorithm=algorithm)).health


@pytest.mark.parametrize(
    ("first", "word"), [(0.03, "learned"), (0.97, "learned")], ids=["came there", "was there"]
)
def test_a_reward_that_came_to_exactly_one_has_no_more_to_gain(first, word):
    assert health({"reward/mean": np.array([first] + [1.0] * 7)}).word == word


def test_a_run_that_ends_above_all_it_was_is_not_called_stalled():
    slow = np.interp(np.linspace(0, 1, 320), [0, 0.3, 0.6, 0.85, 1], [-8, -8, -12, -5, -4.6])
    noise = np.random.default_rng(0).normal(size=320)
    wander = np.convolve(noise, np.ones(40) / 8, mode="same")

    found = health({"outcome/return_mean": slow + wander})

    assert found.word not in ("stalled", "not learning"), found.reason


@pytest.mark.parametrize("metric", ["eval/supervised/score", "eval/supervised/accuracy"])
def test_a_score_near_its_most_has_not_stayed_behind(metric):
    score = 0.9939 - 0.0354 * np.exp(-20 * T)
    loss = 0.05 + 0.6 * np.exp(-6 * T)

    assert health({metric: score, "optim/loss": loss}, "SFT").word == "learned"


@pytest.mark.parametrize("rows", [60, 300, 1200])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_rate_that_levels_off_at_three_fifths_is_not_stalled(rows, seed):
    t = np.linspace(0, 1, rows)
    rate = 0.3 + 0.31 * (1 - np.exp(-t / 0.3))
    rate += np.random.default_rng(seed).normal(0, 0.01, rows)

    assert health({"eval/mean_at_n": rate, "reward/mean": rate + 0.1}, "GRPO").word == "learning"
