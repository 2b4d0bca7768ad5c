import numpy as np
import pytest
from tests.rules.rew.curves import (
    ODD,
    collapsing,
    learning,
    solved,
    stuck,
    wandering,
    window_mean,
    worsening,
)

from runvitals.rules.outcome import LEAST_POINTS, course, state_of
from runvitals.rules.patient import Patient
from runvitals.testing import make_run

T = np.linspace(0, 1, 80)
SEEDS = range(8)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rise_to_the_end_is_improving(seed):
    assert state_of(learning(seed=seed)) == "improving"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rise_that_holds_is_converged(seed):
    assert state_of(solved(seed=seed)) in ("converged", "improving")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_lost_rise_is_degrading(seed):
    assert state_of(collapsing(seed=seed)) == "degrading"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_fall_from_the_start_is_degrading(seed):
    assert state_of(worsening(seed=seed)) == "degrading"


def test_noise_around_a_level_is_stalled():
    states = [state_of(100 + 10 * wandering(seed=seed)) for seed in range(40)]

    assert states.count("stalled") >= 37


def test_windows_over_many_episodes_wander_and_are_not_taken_for_learning():
    states = [state_of(window_mean(np.full(60, 20.0), seed=seed)) for seed in range(40)]

    assert states.count("stalled") >= 34


def test_windows_over_many_episodes_of_a_learner_rise():
    states = [state_of(window_mean(20 + 200 * T, seed=seed)) for seed in range(20)]

    assert set(states) <= {"improving", "converged"}


def test_an_early_peak_is_a_crash_too():
    values = np.concatenate([[22, 25, 30, 40, 50, 60, 66, 60, 30], np.full(50, 9.3)])

    assert state_of(values + 0.1 * wandering(59)) == "degrading"


def test_a_dip_at_the_start_is_no_crash():
    dip = np.interp(T, [0, 0.15, 1], [-1000, -1400, -200])

    for share in (0.3, 0.5, 1.0):
        values = (dip + 20 * wandering())[: int(share * len(dip))]
        assert state_of(values) in ("improving", "converged"), share


def test_a_short_dip_alone_is_not_yet_getting_worse():
    assert state_of(np.linspace(-1000, -1400, 15)) == "stalled"


def test_what_began_at_its_ceiling_is_converged():
    assert state_of(np.clip(0.97 + 0.02 * wandering(), 0, 1), ceiling=1.0) == "converged"


def test_what_touches_the_same_top_all_the_time_is_converged():
    values = np.where(np.random.default_rng(0).random(80) < 0.7, 500.0, 480.0)

    assert state_of(values) == "converged"


@pytest.mark.parametrize("floor", [0.0, -100.0, -21.0])
def test_a_constant_floor_is_not(floor):
    assert state_of(np.full(50, floor)) == "stalled"


def test_few_points_are_warming():
    assert state_of(np.arange(LEAST_POINTS - 1.0)) == "warming"


def test_a_jump_before_the_second_point_counts_as_a_rise():
    values = np.concatenate([[22.0], 480 + 8 * wandering(79)])

    assert state_of(values) == "converged"


@pytest.mark.parametrize("period", [6, 11, 15, 20])
def test_wide_swings_are_no_standstill(period):
    swings = 20 + 300 * np.minimum(1, 4 * T) - 280 * (T > 0.3) * (np.arange(80) // period % 2)

    assert not course(swings + 3 * wandering()).never_rose


def test_a_rise_too_small_to_be_called_one_is_no_standstill():
    way = course(0.75 + 0.02 * T + 0.01 * wandering())

    assert not way.never_rose


def test_a_rise_of_next_to_nothing_beyond_its_noise_is_a_standstill():
    values = np.array(
        [5, 5, 5, 4.99, 5, 4.995, 4.98, 4.98, 4.99, 4.99, 4.98, 4.985, 4.99, 4.98, 4.975]
    )

    assert course(-1e6 * values).never_rose


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_values(values):
    run = make_run({"outcome/return_mean": values})

    assert Patient(run).state in (
        "warming",
        "stalled",
        "converged",
        "unknown",
        "degrading",
        "improving",
    )


def test_sparse_evaluations_are_read_with_the_training_outcome():
    evals = dict(
        zip(
            range(5, 65, 5),
            [258, 464, 500, 500, 139, 144, 214, 500, 420, 500, 300, 450],
            strict=True,
        )
    )
    run = make_run({"eval/return_mean": evals, "outcome/return_mean": learning(60)})

    assert Patient(run).state == "improving"
    assert Patient(run).outcome.metric == "eval/return_mean"


def test_a_held_out_fall_wins_over_a_training_rise():
    evals = dict(zip(range(3, 81, 3), np.linspace(0.8, 0.2, 26), strict=True))
    run = make_run({"eval/success_rate": evals, "outcome/return_mean": learning()})

    assert Patient(run).state == "degrading"


def test_a_training_crash_wins_over_evaluations_that_tell_nothing():
    evals = dict(zip(range(4, 81, 4), [0.0, 1.0] + [0.0] * 18, strict=True))
    run = make_run({"eval/success_rate": evals, "outcome/return_mean": collapsing()})

    assert Patient(run).state == "degrading"
    assert Patient(run).outcome.metric == "outcome/return_mean"


def test_the_return_speaks_for_a_run_that_never_succeeds():
    run = make_run({"outcome/success_rate": [0.0] * 80, "outcome/return_mean": worsening()})

    assert Patient(run).state == "degrading"


def test_a_return_that_rose_and_stays_does_not_excuse_that_it_never_succeeds():
    run = make_run({"outcome/success_rate": [0.0] * 80, "outcome/return_mean": solved()})

    assert Patient(run).state == "stalled"


def test_a_solved_gymnasium_task_has_converged():
    warm = -95 + 3 * wandering()
    run = make_run({"outcome/return_mean": warm}, config={"env_id": "Acrobot-v1"})

    assert Patient(run).state == "converged"
    assert Patient(make_run({"outcome/return_mean": warm})).state == "stalled"


def test_rewards_near_a_bound_that_the_log_gives_away_have_converged():
    run = make_run(
        {"reward/score_mean": 0.94 + 0.01 * wandering(), "reward/score_max": [1.0] * 80},
        algorithm="GRPO",
    )

    assert Patient(run).state == "converged"


def test_self_play_is_judged_by_its_rating():
    run = make_run({"outcome/return_mean": 0.1 * wandering(), "outcome/elo": 1200 + 300 * T})

    assert Patient(run).outcome.metric == "outcome/elo"
    assert Patient(run).state == "improving"


def test_a_long_series_is_quick():
    import time

    values = np.random.default_rng(0).normal(size=10_000)
    course(values)
    began = time.process_time()
    for _ in range(5):
        course(values)

    assert (time.process_time() - began) / 5 < 0.5


def test_stuck_is_stalled_and_never_rose():
    assert state_of(stuck()) == "stalled"
    assert course(stuck()).never_rose


def test_a_held_out_score_of_which_nothing_is_left_wins_over_a_training_rise():
    series = {"eval/success_rate": [0.15, 0.1, 0.02, *[0.0] * 17], "reward/mean": learning()}

    assert Patient(make_run(series)).state == "degrading"


def test_a_hundredth_of_success_that_comes_and_goes_is_no_crash():
    rate = np.r_[np.zeros(60), 0.013 * np.sin(np.linspace(0, np.pi, 40))]

    assert state_of(rate, ceiling=1.0) != "degrading"
    assert state_of(50 * rate, ceiling=1.0) == "degrading"
