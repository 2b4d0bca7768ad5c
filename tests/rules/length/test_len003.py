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


def test_a_reward_that_rises_excuses_brevity_but_not_silence():
    brief, silent = np.linspace(300, 120, 60), COLLAPSED

    assert check(run(brief, RISING), "LEN003")[0].severity == "notice"
    assert check(run(silent, RISING), "LEN003")[0].severity == "warning"


@pytest.mark.parametrize("score", ["eval/success_rate", "outcome/success_rate"])
def test_a_score_other_than_the_reward_that_improves_makes_it_a_notice(score):
    better = {score: np.linspace(0.2, 0.95, 60)}

    [finding] = check(run(COLLAPSED, RISING, **better), "LEN003")

    assert finding.severity == "notice"
    assert f"{score} is holding up so far" in finding.message


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
