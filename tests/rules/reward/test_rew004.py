import numpy as np
import pytest
from tests.rules.reward.curves import odd_runs, solved, stuck, wandering

from runvitals.testing import check, make_run


@pytest.mark.parametrize("floor", [-100.0, -21.0, 0.0])
def test_fires_on_a_return_that_is_always_the_same(floor):
    [finding] = check(make_run({"outcome/return_mean": [floor] * 50}, algorithm="PPO"), "REW004")

    assert finding.severity == "critical"
    assert finding.message == f"outcome/return_mean is exactly {floor:g} at the last 50 points"
    assert (finding.span.first, finding.span.last) == (1, 50)


def test_fires_on_a_policy_that_died():
    outcome = [*(-60 + 10 * wandering(20)), *[-100.0] * 60]

    [finding] = check(make_run({"outcome/return_mean": outcome}, algorithm="PPO"), "REW004")

    assert finding.span.first == 21


@pytest.mark.parametrize(("share", "told"), [(1.0, True), (0.4, False)])
def test_says_that_cut_off_responses_may_hold_no_answer(share, told):
    series = {"reward/score_mean": [0.0] * 50, "length/response_clip_ratio": [share] * 50}

    [finding] = check(make_run(series, algorithm="GRPO"), "REW004")

    assert ("of them are cut off" in finding.advice) == told
    assert finding.advice.endswith(
        "call the reward function on good and bad answers written by hand"
    )


def test_a_single_lucky_reward_does_not_hide_it():
    outcome = [0.0] * 60
    outcome[25] = 0.008

    assert check(make_run({"reward/score_mean": outcome}, algorithm="GRPO"), "REW004")


def test_fires_on_rewards_without_spread_in_language_models():
    run = make_run(
        {"reward/score_mean": 0.3 + 1e-9 * wandering(60), "reward/std": [0.0] * 60},
        algorithm="GRPO",
    )

    [finding] = check(run, "REW004")

    assert finding.series == "reward/std"


@pytest.mark.parametrize(
    "series",
    [
        {"outcome/return_mean": stuck()},
        {"outcome/return_mean": [*solved(60), *[500.0] * 60]},
        {"outcome/return_mean": [0.0] * 15},
        {"outcome/success_rate": [0.0] * 60, "outcome/return_mean": stuck(60)},
        {"outcome/return_mean": stuck(), "reward/std": [0.0] * 80},
        {"outcome/return_mean": np.repeat(stuck(16), 5)},
    ],
    ids=["noise", "solved", "too short", "return moves", "each step pays 1", "stale for five rows"],
)
def test_stays_silent(series):
    assert check(make_run(series, algorithm="PPO"), "REW004") == []


def test_survives_odd_values():
    for odd in odd_runs("outcome/return_mean", "reward/std", algorithm="GRPO"):
        check(odd, "REW004")
