import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
N = 60
NOISE = RNG.standard_normal(N)


def run(logp, **more):
    series = {"preference/chosen_logprob": logp, "preference/margin": np.linspace(0, 3, N), **more}
    return make_run(series, algorithm="DPO", config={"learning_rate": 5e-5})


def test_fires_when_chosen_answers_become_unlikely():
    [finding] = check(run(np.linspace(-250, -420, N) + 3 * NOISE), "DPO003")

    assert finding.severity == "warning"
    assert "starting from 25" in finding.message
    assert "this run: 5e-05" in finding.advice


def test_losing_far_more_than_there_was_is_critical():
    assert check(run(np.linspace(-20, -120, N) + NOISE), "DPO003")[0].severity == "critical"


def test_a_good_score_of_samples_makes_it_a_notice():
    better = {"eval/score_mean": np.linspace(0.2, 0.9, 25)}

    assert check(run(np.linspace(-250, -420, N), **better), "DPO003")[0].severity == "notice"


def test_rewards_over_beta_are_preferred_to_noisy_log_probabilities():
    series = {
        "preference/chosen_reward": np.linspace(0, -0.5, N),
        "preference/chosen_logprob": -270 + 60 * NOISE,
        "preference/margin": np.linspace(0, 2, N),
    }

    found = check(make_run(series, algorithm="DPO", config={"dpo_beta": 0.1}), "DPO003")

    assert found == []


@pytest.mark.parametrize(
    "logp",
    [
        np.linspace(-250, -320, N) + 5 * NOISE,
        np.linspace(-20, -15, N),
        [-250.0] * 5,
        [np.nan] * N,
        [-1.0] * N,
    ],
    ids=["mild fall", "rises", "too short", "all nan", "constant"],
)
def test_stays_silent(logp):
    assert check(make_run({"preference/chosen_logprob": logp}, algorithm="DPO"), "DPO003") == []


@pytest.mark.parametrize("seed", range(20))
def test_rows_of_other_answers_differ_and_that_is_no_fall(seed):
    """KTO logs the mean over the good answers of a row: few of them, long and short."""
    noise = np.random.default_rng(seed).standard_normal((2, 30))
    series = {
        "preference/chosen_logprob": -100 + 45 * noise[0],
        "preference/chosen_reward": np.linspace(0, 0.5, 30) + 0.6 * noise[1],
    }
    for config in ({}, {"beta": 0.1}):
        found = check(make_run(series, algorithm="KTO", config=config), "DPO003")

        assert not any(finding.is_alarm for finding in found)
