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


def test_a_run_that_crashed_is_one_however_well_it_did():
    [finding] = check(foreign(status="crashed", outcome=LEARNS), "PERF006")

    assert finding.severity == "warning"
    assert "the run crashed" in finding.message


@pytest.mark.parametrize(
    "run",
    [
        foreign(outcome=LEARNS),
        foreign(status="finished"),
        foreign(112, status="crashed"),
        foreign(status="stopped"),
    ],
    ids=["ended by itself", "calls itself finished", "all but done", "by hand"],
)
def test_it_says_nothing_when(run):
    assert check(run, "PERF006") == []
