import time

import numpy as np
import pytest
from tests.rules.policy.curves import ODD

from runvitals.model import PointTable, RowBlock, Run
from runvitals.testing import check, make_run


def live(quiet, every=2.0):
    table = PointTable()
    times = time.time() - quiet - every * np.arange(30)[::-1]
    table.add(RowBlock(("loss",), np.arange(30), times, np.ones((30, 1))))
    return Run(id="live", points=table, status="running")


def test_a_live_run_that_is_quiet_is_critical():
    [finding] = check(live(1200), "PERF006")

    assert finding.severity == "critical"
    assert "20 minutes" in finding.message


def test_a_live_run_that_logs_is_left_alone():
    assert check(live(30), "PERF006") == []


def test_slow_steps_take_their_time():
    assert check(live(1200, every=300.0), "PERF006") == []


@pytest.mark.parametrize("status", ["crashed", "killed"])
def test_a_record_of_our_own_that_stops_is_a_warning(status):
    run = make_run({"loss": [1.0] * 40}, status=status, total_steps=100)
    run.format = "runvitals"

    [finding] = check(run, "PERF006")

    assert finding.severity == "warning"
    assert "step 40 of 100" in finding.message


def test_a_run_that_was_all_but_done_is_a_notice():
    run = make_run({"loss": [1.0] * 99}, status="killed", total_steps=100)
    run.format = "runvitals"

    [finding] = check(run, "PERF006")

    assert finding.severity == "notice"


@pytest.mark.parametrize("status", ["finished", "stopped", "unknown"])
def test_a_run_that_ended_is_left_alone(status):
    run = make_run({"loss": [1.0] * 40}, status=status, total_steps=100)
    run.format = "runvitals"

    assert check(run, "PERF006") == []


def test_without_a_plan_nobody_can_say_that_a_log_ended_too_soon():
    run = make_run({"loss": [1.0] * 40}, status="crashed", total_steps=None)
    run.format = "Hugging Face Trainer console log"

    assert check(run, "PERF006") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(make_run({"loss": values}), "PERF006") == []


def foreign(points=72, status="unknown", outcome=None, **more):
    noise = np.random.default_rng(0).standard_normal(points)
    series = {"outcome/return_mean": 20 + noise if outcome is None else outcome[:points]}
    made = make_run(series, status=status, algorithm="PPO", **{"total_steps": 120, **more})
    made.format = "CSV"
    return made


LEARNS = np.linspace(0, 100, 120) + np.random.default_rng(1).standard_normal(120)


def test_a_log_that_ends_before_its_plan_is_a_warning():
    [finding] = check(foreign(), "PERF006")

    assert finding.severity == "warning"
    assert finding.message == "ended at step 72 of 120 (60%): the log simply ends there"


def test_a_run_that_crashed_is_one_however_well_it_did():
    [finding] = check(foreign(status="crashed", outcome=LEARNS), "PERF006")

    assert finding.severity == "warning"
    assert "the run crashed" in finding.message


@pytest.mark.parametrize(
    "run",
    [
        foreign(outcome=LEARNS),
        foreign(status="finished"),
        foreign(total_steps=100_000),
        foreign(outcome=100 - 90 * np.exp(-np.arange(72) / 6), total_steps=600),
    ],
    ids=["good enough", "calls itself finished", "a plan in another unit", "settled"],
)
def test_it_says_nothing_when(run):
    assert check(run, "PERF006") == []


@pytest.mark.parametrize("status", ["unknown", "finished"])
def test_an_eighth_of_the_plan_is_too_little_though_it_was_learning(status):
    [finding] = check(foreign(status=status, outcome=LEARNS, total_steps=600), "PERF006")

    assert finding.severity == "warning"
    assert "ended at step 72 of 600 (12%)" in finding.message


def test_a_training_loss_that_settles_does_not_say_that_an_eighth_was_enough():
    loss = 0.5 + 2.0 * np.exp(-np.arange(72) / 6) + 0.02 * np.random.default_rng(2).normal(size=72)
    run = make_run({"lm/loss": loss}, total_steps=600, algorithm="SFT")
    run.format = "CSV"

    [finding] = check(run, "PERF006")

    assert finding.severity == "warning"


def test_the_steps_of_a_tool_that_is_stopped_by_hand_are_only_a_limit():
    run = foreign(outcome=LEARNS, total_steps=600)
    run.framework = "ml-agents"

    assert check(run, "PERF006") == []


def test_a_run_that_stops_at_a_reward_came_to_its_end():
    config = {"stop_reward": 195}

    assert check(foreign(outcome=LEARNS, total_steps=600, config=config), "PERF006") == []


def test_the_state_of_a_checkpoint_is_not_the_end():
    run = foreign()
    run.format = "Hugging Face trainer_state.json"

    assert check(run, "PERF006") == []


def test_epochs_are_a_plan_too():
    series = {"lm/loss": [2.0, 1.9, 2.0, 1.9] * 10, "progress/epoch": np.linspace(0.1, 4.3, 40)}
    run = make_run(series, status="unknown", algorithm="SFT", config={"num_train_epochs": 10})

    [finding] = check(run, "PERF006")

    assert "epoch 4.3 of 10" in finding.message


@pytest.mark.parametrize(
    "run",
    [
        foreign(112),
        foreign(config={"early_stopping_patience": 3}),
        foreign(total_steps=10**12),
        foreign(total_steps=73),
        foreign(status="stopped"),
    ],
    ids=["all but done", "stops early", "no plan", "the last row is not the last step", "by hand"],
)
def test_a_log_that_came_to_its_end_is_left_alone(run):
    assert check(run, "PERF006") == []


def test_a_log_that_was_just_written_may_go_on():
    table = PointTable()
    times = time.time() - 2.0 * np.arange(30)[::-1]
    table.add(RowBlock(("loss",), np.arange(1, 31), times, np.ones((30, 1))))

    assert check(Run(id="x", points=table, progress={"total_steps": 90}), "PERF006") == []


def test_the_state_that_is_saved_after_training_is_the_end():
    run = foreign(status="finished", outcome=LEARNS, total_steps=600)
    run.format = "Hugging Face trainer_state.json"

    assert [finding.severity for finding in check(run, "PERF006")] == ["warning"]


def of_trainer(rates):
    series = {"lm/loss": np.linspace(3.0, 2.0, len(rates)), "optim/learning_rate": rates}
    run = make_run(series, status="finished", algorithm="SFT", total_steps=None)
    run.framework, run.format = "transformers", "Hugging Face Trainer console log"
    return run


def test_a_rate_that_falls_in_a_straight_line_tells_the_plan():
    [finding] = check(of_trainer(1e-3 * (1 - np.arange(40) / 400)), "PERF006")

    assert "of 401 (10%)" in finding.message
    assert finding.severity == "warning"


@pytest.mark.parametrize(
    "rates",
    [
        1e-3 * (1 - np.arange(40) / 40),
        1e-3 * (1 + np.cos(np.arange(40) / 400 * np.pi)) / 2,
        np.full(40, 1e-3),
        1e-3 * np.arange(1, 41) / 400,
    ],
    ids=["done", "cosine", "constant", "warm-up"],
)
def test_other_schedules_tell_no_plan(rates):
    assert check(of_trainer(rates), "PERF006") == []
