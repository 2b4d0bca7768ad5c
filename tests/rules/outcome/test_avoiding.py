"""A language model that is never paid more than 0."""

import numpy as np
import pytest

from runvitals.rules.patient import Patient
from runvitals.testing import check, make_run

N = 40
RNG = np.random.default_rng(0)


def grpo(reward, spread):
    series = {"reward/score_mean": reward, "reward/std": spread}
    return make_run(series, every=5, algorithm="GRPO")


def test_a_reward_that_rises_to_nothing_may_be_upside_down():
    seldom = -0.1 * np.exp(-np.linspace(0, 3, N))
    seldom[-15::2] = 0.0
    run = grpo(seldom, np.abs(seldom))

    [finding] = check(run, "REW004")

    assert Patient(run).health.word == "cannot tell"
    assert finding.severity == "warning"
    assert "above 0" in finding.message


@pytest.mark.parametrize(
    "reward",
    [
        -2.0 + 1.9 * np.linspace(0, 1, N) + 0.02 * RNG.normal(size=N),
        0.1 + 0.5 * np.linspace(0, 1, N) + 0.02 * RNG.normal(size=N),
    ],
    ids=["scores below 0", "a paid success"],
)
def test_other_rewards_are_praised(reward):
    run = grpo(reward, np.full(N, 0.2))

    assert check(run, "REW004") == []
    assert Patient(run).health.word in ("learning", "learned")
