import numpy as np
import pytest
from tests.rules.reward.curves import (
    collapsing,
    learning,
    odd_runs,
    solved,
    stuck,
    wandering,
    window_mean,
    worsening,
)

from runvitals.testing import check, make_run

T = np.linspace(0, 1, 80)


def run(outcome, metric="outcome/return_mean", **about):
    about = {"status": "unknown", "algorithm": "PPO", **about}
    return make_run({metric: outcome}, every=1000, **about)


def alarms(seen, **options):
    return [finding for finding in check(seen, "REW005", **options) if finding.is_alarm]


def test_warns_when_the_outcome_never_rose():
    [finding] = check(run(stuck(120), status="running"), "REW005")

    assert finding.severity == "warning"
    assert (finding.span.first, finding.span.last) == (1000, 120_000)
    assert finding.message.startswith("outcome/return_mean ")
    assert finding.message.endswith(": no improvement")


@pytest.mark.parametrize("status", ["finished", "unknown", "crashed"])
def test_is_critical_unless_the_run_is_known_to_go_on(status):
    [finding] = check(run(stuck(), status=status), "REW005")

    assert finding.severity == "critical"


def test_a_window_of_episodes_that_learns_nothing_is_often_found():
    seen = [run(window_mean(np.full(60, 20.0), seed=seed)) for seed in range(40)]

    assert sum(bool(alarms(one)) for one in seen) >= 12


def test_fifteen_quiet_points_are_enough():
    quiet = [
        -500,
        -484,
        -489,
        -491,
        -488,
        -487,
        -489,
        -490,
        -491,
        -491,
        -492,
        -490,
        -491,
        -487,
        -488,
    ]

    assert alarms(run(quiet, algorithm="DQN"))


def test_below_a_target_is_a_warning_at_the_end():
    plateau = np.interp(T, [0, 0.4, 1], [0.2, 0.55, 0.55]) + 0.01 * wandering()
    seen = run(plateau, metric="reward/mean", algorithm="GRPO")

    [finding] = alarms(seen, target=0.7)

    assert "below the target of 0.7" in finding.message
    assert finding.limit.from_run


@pytest.mark.parametrize(
    "outcome",
    [
        learning(),
        solved(),
        collapsing(),
        worsening(),
        stuck(7),
        10 * wandering(7),
        20 + 0.3 * np.arange(80) + 4 * wandering(),
        np.interp(T, [0, 0.15, 1], [-1000, -1400, -200]) + 20 * wandering(),
        np.where(T < 0.7, 0.0, T - 0.7) + 0.01 * wandering(),
        np.concatenate([[22.0], 480 + 8 * wandering(79)]),
    ],
    ids=[
        "rises",
        "holds",
        "crashes (REW003)",
        "falls (REW011)",
        "too short",
        "short and noisy",
        "creeps",
        "early dip",
        "late start",
        "solved before the second point",
    ],
)
def test_raises_no_alarm(outcome):
    assert alarms(run(outcome)) == []


@pytest.mark.parametrize("seed", range(20))
def test_a_slow_learner_behind_a_window_is_no_alarm(seed):
    assert alarms(run(window_mean(20 + 60 * T, seed=seed))) == []


def test_success_near_its_ceiling_from_the_start_is_silent():
    assert (
        check(run(np.clip(0.96 + 0.02 * wandering(), 0, 1), "outcome/success_rate"), "REW005") == []
    )


def test_a_reward_that_may_be_larger_than_one_has_not_begun_high():
    seen = run(1.2 + 0.003 * wandering(), "reward/score_mean", algorithm="GRPO")

    assert alarms(seen)


def test_the_same_return_in_all_rows_is_a_fact():
    [finding] = check(run([500.0] * 80), "REW005")

    assert finding.severity == "critical"
    assert finding.message == "outcome/return_mean is 500 in all 80 rows: no improvement"


def test_waits_for_half_of_the_plan():
    assert check(run(stuck(), status="running", total_steps=400_000), "REW005") == []
    assert alarms(run(stuck(), status="running", total_steps=120_000))


def test_without_a_plan_it_waits_for_ninety_points():
    assert check(run(stuck(80), status="running"), "REW005") == []
    assert alarms(run(stuck(120), status="running"))


def test_another_outcome_that_rises_means_that_it_learns_something():
    seen = make_run(
        {"outcome/success_rate": 0.03 + 0.01 * wandering(), "outcome/return_mean": learning()},
        algorithm="PPO",
    )

    assert alarms(seen) == []


def test_exploration_that_never_fades_is_none():
    seen = make_run(
        {"outcome/return_mean": stuck(), "explore/epsilon": [1.0] * 80}, algorithm="DQN"
    )

    assert alarms(seen)


def test_leaves_losses_to_others():
    seen = make_run({"eval/loss": stuck()})

    assert check(seen, "REW005") == []


def test_survives_odd_values():
    for odd in odd_runs("outcome/return_mean", "optim/learning_rate", "explore/epsilon"):
        check(odd, "REW005")
        check(odd, "REW005", target=1.0)
