import numpy as np
import pytest
from tests.rules.performance.plant import labelled, noisy, shifted
from tests.rules.pol.curves import ODD

from runvitals.testing import check, make_run

SLOW = shifted(6000, 1900)
RATE = "throughput/env_steps_per_s"


def alarms(run):
    return [finding for finding in check(run, "PERF001") if finding.is_alarm]


def test_fires_when_the_run_is_three_times_slower_to_its_end():
    [finding] = check(make_run({RATE: SLOW}, every=1024, seconds=10.0), "PERF001")

    assert finding.severity == "warning"
    assert "3." in finding.message
    assert 38 * 1024 <= finding.span.first <= 44 * 1024
    assert finding.span.last == 100 * 1024


def test_names_the_part_that_grew():
    run = labelled(
        {
            "log": ("time/stage_s", {"stage": "log"}, shifted(0.001, 0.3)),
            "gen": ("time/generation_s", {}, noisy(0.05)),
            "update": ("time/training_s", {}, noisy(0.1)),
            RATE: (RATE, {}, SLOW),
        }
    )

    [finding] = alarms(run)

    assert "log most of all" in finding.message


def test_sees_generation_alone_become_slow():
    series = {"time/generation_s": shifted(0.05, 0.3), "time/training_s": noisy(0.5)}

    [finding] = alarms(make_run(series))

    assert finding.series == "time/generation_s"


def test_a_busy_machine_is_a_notice():
    series = {RATE: SLOW, "time/training_s": shifted(0.1, 0.3), "time/eval_s": shifted(0.2, 0.6)}

    [finding] = check(make_run(series), "PERF001")

    assert finding.severity == "notice"
    assert "busy" in finding.message


def test_without_timed_parts_a_short_slowness_is_a_notice():
    [finding] = check(make_run({RATE: SLOW}, seconds=0.1), "PERF001")

    assert finding.severity == "notice"


def test_a_slowness_of_unknown_length_is_a_notice():
    tokens = {"throughput/tokens_per_s": SLOW}

    [finding] = check(make_run(tokens, seconds=np.nan), "PERF001")

    assert finding.severity == "notice"


def test_a_run_without_any_clock_is_only_worth_knowing():
    [finding] = check(make_run({RATE: SLOW}, every=20_000, seconds=np.nan), "PERF001")

    assert finding.severity == "notice"


def test_an_average_since_the_start_that_is_rounded_is_still_an_average():
    elapsed = np.cumsum(np.where(np.arange(200) < 60, 4.0, 60.0))
    average = np.round(100.0 * np.arange(1, 201) / elapsed)
    series = {RATE: average, "time/elapsed_s": elapsed}

    assert alarms(make_run(series, every=100, seconds=np.nan)) == []


def test_longer_responses_are_more_work():
    series = {"time/step_s": shifted(10, 30), "length/response_mean": shifted(200, 600)}

    assert alarms(make_run(series, seconds=60.0)) == []


def test_more_updates_are_more_work():
    series = {RATE: SLOW, "optim/updates_per_iteration": shifted(2, 30)}

    assert alarms(make_run(series, seconds=60.0)) == []


def test_the_begin_of_updates_is_no_drop():
    rates = np.concatenate([noisy(600, 30), noisy(40, 170)])
    series = {RATE: rates, "value/loss": dict.fromkeys(range(30, 201), 1.0)}

    assert alarms(make_run(series, algorithm="SAC", seconds=60.0)) == []


def test_averages_since_the_start_are_left_alone():
    steps = np.arange(1, 101)
    average = steps / (steps / 600 + np.minimum(steps, 10) / 10)

    assert alarms(make_run({RATE: average}, seconds=60.0)) == []


def test_a_pause_and_a_slow_decline_are_no_alarms():
    pause = np.where(np.arange(100) % 10 == 0, 500.0, noisy(6000))
    recovered = np.concatenate([noisy(6000, 40), noisy(2000, 30), noisy(6000, 30)])

    for values in (pause, recovered, np.geomspace(3000, 900, 100) * noisy(1.0)):
        assert alarms(make_run({RATE: values}, seconds=60.0)) == []


@pytest.mark.parametrize("seed", range(20))
def test_silent_on_noise(seed):
    assert check(make_run({RATE: noisy(5000, 200, seed, 0.3)}, seconds=60.0), "PERF001") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    run = make_run({RATE: values, "time/step_s": values, "length/response_mean": values})

    assert alarms(run) == []
