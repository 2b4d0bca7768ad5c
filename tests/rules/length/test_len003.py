import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
FLAT = 0.3 + 0.02 * RNG.standard_normal(60)
RISING = np.linspace(0.1, 0.8, 60) + 0.02 * RNG.standard_normal(60)
COLLAPSED = [53.0, 20.0] + [4.0 + 0.3 * x for x in RNG.standard_normal(58)]


def run(length, reward=FLAT, **more):
    series = {"length/response_mean": length, "reward/score_mean": reward, **more}
    return make_run(series, algorithm="GRPO")


def test_fires_when_responses_shrink_to_nothing():
    [finding] = check(run(COLLAPSED), "LEN003")

    assert finding.severity == "warning"
    assert finding.message.startswith("responses shrank from 53 to ")
    assert finding.span.last == 60


def test_growing_concise_with_a_better_reward_is_only_worth_knowing():
    length = np.linspace(300, 120, 60)

    assert check(run(length, RISING), "LEN003")[0].severity == "notice"


def test_a_held_out_score_that_improves_makes_it_a_notice():
    better = {"eval/success_rate": np.linspace(0.2, 0.95, 30)}

    [finding] = check(run(COLLAPSED, RISING, **better), "LEN003")

    assert finding.severity == "notice"
    assert "eval/success_rate is holding up so far" in finding.message


@pytest.mark.parametrize(
    ("length", "reward"),
    [
        (300 + 20 * RNG.standard_normal(60), FLAT),
        (np.linspace(300, 50, 60), np.linspace(0.8, 0.1, 60)),
        ([300.0] * 3 + [10.0] * 5, FLAT[:8]),
        ([np.nan] * 60, FLAT),
        ([0.0] * 60, FLAT),
    ],
    ids=["healthy", "reward falls too", "too short", "all nan", "zero"],
)
def test_stays_silent(length, reward):
    assert check(run(length, reward), "LEN003") == []


def test_shorter_responses_beside_a_reward_that_likely_rose_are_a_notice():
    reward = np.array([0.479, 0.474, 0.542, 0.503, 0.435, 0.525, 0.549, 0.511, 0.633, 0.641])
    reward = np.repeat(reward, 3) + 0.05 * RNG.standard_normal(30)
    length = np.array([200.0, 40.0] + [25.0] * 28)

    [finding] = check(run(length, reward), "LEN003")

    assert finding.severity == "notice"
