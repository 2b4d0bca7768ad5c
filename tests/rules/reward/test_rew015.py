import numpy as np
import pytest
from tests.rules.reward.curves import odd_runs

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.testing import check, make_run

N = 100
FADES = np.maximum(0.05, 1 - np.linspace(0, 2, N))
LEARNS = 20 + 180 / (1 + np.exp(-12 * (np.linspace(0, 1, N) - 0.6)))


def run(returns, epsilon=FADES, seed=0, **other):
    noise = np.random.default_rng(seed).normal(0, 5, N)
    series = {"outcome/return_mean": returns + noise, "explore/epsilon": epsilon, **other}
    return make_run(series, every=10, algorithm="DQN")


@pytest.mark.parametrize("seed", range(5))
def test_a_return_that_rises_only_as_actions_become_less_random_may_be_no_gain(seed):
    seen = judge_by_rules(run(-200 - 550 * FADES, seed=seed), since_when=False)

    [finding] = [one for one in seen.findings if one.code == "REW015"]

    assert finding.severity == "notice"
    assert "at 100% random actions to -2" in finding.message
    assert finding.message.endswith("the policy itself is no better")


@pytest.mark.parametrize("seed", range(5))
def test_a_policy_that_is_worse_than_random_actions_is_the_cause_of_the_fall(seed):
    seen = judge_by_rules(run(20 + 180 * FADES, seed=seed), since_when=False)

    [finding] = [one for one in seen.findings if one.code == "REW015"]

    assert finding.message.endswith("the policy does worse than random actions")
    assert "REW011" in [one.code for one in finding.follows]


@pytest.mark.parametrize("seed", range(5))
def test_a_policy_that_is_no_better_than_random_actions_is_the_cause_of_a_standstill(seed):
    seen = judge_by_rules(run(np.full(N, 50.0), seed=seed), since_when=False)

    [finding] = [one for one in seen.findings if one.code == "REW015"]

    assert finding.message.endswith("the policy does no better than random actions")
    assert "REW005" in [one.code for one in finding.follows]


def test_it_explains_a_return_that_rises_without_success():
    seen = judge_by_rules(
        run(-200 - 550 * FADES, **{"outcome/success_rate": [0.0] * N}), since_when=False
    )

    [finding] = [one for one in seen.findings if one.code == "REW015"]

    assert "REW001" in [one.code for one in finding.follows]


@pytest.mark.parametrize(
    "seen",
    [
        run(LEARNS),
        run(LEARNS, np.maximum(0.05, 1 - np.linspace(0, 8, N))),
        run(-200 - 550 * FADES, np.linspace(1, 0.6, N)),
        run(20 + 180 * FADES, np.full(N, 0.1)),
        run(20 + 180 * np.linspace(0, 1, N), np.linspace(1, 0.05, N)),
    ],
    ids=[
        "goes on rising",
        "rises after it faded",
        "hardly fades",
        "was never random",
        "fades to the last row",
    ],
)
def test_stays_silent(seen):
    assert check(seen, "REW015") == []


def test_survives_odd_values():
    for odd in odd_runs("outcome/return_mean", "explore/epsilon", algorithm="DQN"):
        check(odd, "REW015")
