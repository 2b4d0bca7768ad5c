import numpy as np
import pytest
from tests.rules.performance.plant import labelled, noisy, shifted
from tests.rules.policy.curves import ODD

from runvitals.model import PointTable, RowBlock
from runvitals.testing import check, make_run

SLOW = shifted(6000, 1900)
VERY_SLOW = shifted(6000, 1200)
RATE = "throughput/env_steps_per_s"


def alarms(run):
    return [finding for finding in check(run, "PERF001") if finding.is_alarm]


def test_fires_when_the_run_is_five_times_slower_to_its_end():
    [finding] = check(make_run({RATE: VERY_SLOW}, every=1024, seconds=10.0), "PERF001")

    assert finding.severity == "warning"
    assert "times slower" in finding.message
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

    [finding] = check(run, "PERF001")

    assert "log most of all" in finding.message


def test_sees_generation_alone_become_slow():
    series = {"time/generation_s": shifted(0.05, 0.3), "time/training_s": noisy(0.5)}

    [finding] = alarms(make_run(series))

    assert finding.series == "time/generation_s"


@pytest.mark.parametrize("points", [15, 40])
def test_sees_a_speed_drop_that_is_logged_every_ten_batches(points):
    rng = np.random.default_rng(0)
    speed = 20 + rng.normal(0, 0.4, points)
    speed[int(0.6 * points) :] *= 0.15
    steps = [10 * (i + 1) for i in range(points)]
    series = {"throughput/generation_tokens_per_s": dict(zip(steps, speed, strict=True))}

    [finding] = alarms(make_run(series))

    assert "generation is 6" in finding.message


def test_a_busy_machine_is_a_notice():
    series = {RATE: SLOW, "time/training_s": shifted(0.1, 0.3), "time/eval_s": shifted(0.2, 0.6)}

    [finding] = check(make_run(series), "PERF001")

    assert finding.severity == "notice"
    assert "busy" in finding.message


@pytest.mark.parametrize("seconds", [0.1, np.nan])
def test_a_drop_that_healthy_runs_reach_is_a_notice(seconds):
    [finding] = check(make_run({RATE: shifted(6000, 2300)}, seconds=seconds), "PERF001")

    assert finding.severity == "notice"


def test_a_step_time_that_never_falls_is_a_counter():
    assert check(make_run({"time/step_s": np.arange(1.0, 101.0)}), "PERF001") == []


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


# how loud it is


def learning(rates, rising, **about):
    returns = np.linspace(10.0, 200.0, 100) if rising else np.full(100, 10.0)
    return make_run(
        {RATE: rates, "outcome/return_mean": returns + noisy(2.0)},
        every=1024,
        seconds=10.0,
        algorithm="PPO",
        **about,
    )


@pytest.mark.parametrize("after", [3600, 2300])
def test_a_drop_beside_a_rising_return_is_a_notice_that_says_so(after):
    [finding] = check(learning(shifted(6000, after), rising=True), "PERF001")

    assert finding.severity == "notice"
    assert "outcome/return_mean is holding up so far" in finding.message


@pytest.mark.parametrize("after", [3600, 1500])
def test_a_drop_beside_a_flat_return_is_a_warning(after):
    [finding] = check(learning(shifted(6000, after), rising=False), "PERF001")

    assert finding.severity == "warning"


def test_no_outcome_excuses_a_run_that_is_more_than_four_times_slower():
    [finding] = check(learning(VERY_SLOW, rising=True), "PERF001")

    assert finding.severity == "warning"


@pytest.mark.parametrize("metric", ["updates_per_s", "generation_tokens_per_s", "tokens_per_s"])
def test_updates_and_tokens_per_second_count_as_speed(metric):
    run = make_run({f"throughput/{metric}": shifted(25.0, 12.0)}, seconds=10.0)

    [finding] = check(run, "PERF001")

    assert finding.series == f"throughput/{metric}"


def test_an_average_and_a_percentile_of_the_whole_run_are_no_speeds():
    series = {"stat": "p99", "window": "run"}
    run = labelled({"p99": ("throughput/generation_tokens_per_s", series, shifted(25.0, 5.0))})

    assert check(run, "PERF001") == []


def test_the_clock_of_the_rows_alone_needs_more_than_a_mild_drop():
    def clocked(times):
        run = make_run({"policy/loss": noisy(0.1)})
        steps, _, values = run.points.column("policy/loss")
        table = PointTable()
        between = np.where(steps < 40, 10.0, 10.0 * times) * noisy(1.0)
        table.add(RowBlock(("policy/loss",), steps, 1.7e9 + between.cumsum(), values[:, None]))
        run.points = table
        return check(run, "PERF001")

    assert clocked(1.7) == []
    assert len(clocked(4.0)) == 1


def test_what_else_to_look_at_stands_beside_it():
    run = labelled(
        {
            "timing_s/gen": ("time/generation_s", {}, shifted(30.0, 90.0)),
            "timing_s/update_actor": ("time/policy_update_s", {}, noisy(14.0)),
            "timing_s/step": ("time/step_s", {}, shifted(45.0, 105.0)),
            "perf/throughput": ("throughput/tokens_per_s_per_device", {}, shifted(2000.0, 850.0)),
            "global_seqlen/minmax_diff": ("balance/seqlen_diff", {}, shifted(8000.0, 30000.0)),
        },
        algorithm="GRPO",
    )

    [finding] = check(run, "PERF001")

    assert "timing_s/gen" in (finding.series, *finding.also)
    assert {"perf/throughput", "global_seqlen/minmax_diff"} <= set(finding.also)
    assert "global_seqlen/minmax_diff grew" in finding.message


# which counter, and whose fault

UPDATES = "throughput/updates_per_s"


def test_the_counter_that_slowed_is_named_with_its_figures():
    [finding] = check(make_run({RATE: SLOW}, every=1024, seconds=10.0), "PERF001")

    assert finding.message.startswith("steps per second (throughput/env_steps_per_s) fell from 6,")
    assert "training is 3." in finding.message


def test_fewer_updates_per_step_are_not_slower_training():
    series = {UPDATES: shifted(2700, 90), RATE: shifted(29_000, 55_000)}

    [finding] = check(learning_nothing(series), "PERF001")

    assert finding.severity == "notice"
    assert f"but steps per second ({RATE}) did not fall" in finding.message
    assert "not slower" in finding.message
    assert "training is" not in finding.message


def test_counters_that_all_fall_are_slower_training_by_the_least_of_them():
    series = {UPDATES: shifted(900, 30), RATE: shifted(6000, 1900)}

    [finding] = check(learning_nothing(series), "PERF001")

    assert finding.severity == "warning"
    assert finding.series == RATE
    assert "training is 3." in finding.message


def test_more_tokens_per_sample_are_not_slower_training():
    series = {"throughput/samples_per_s": shifted(40, 10), "throughput/tokens_per_s": noisy(9000)}

    assert alarms(learning_nothing(series)) == []


def test_a_gradual_decline_of_one_counter_is_not_slower_training():
    falling = np.geomspace(3000, 300, 100) * noisy(1.0)

    assert check(learning_nothing({UPDATES: falling}), "PERF001") != []
    assert check(learning_nothing({UPDATES: falling, RATE: noisy(6000)}), "PERF001") == []


@pytest.mark.parametrize(
    ("metric", "before", "after", "said"),
    [
        ("system/other_cpu_percent", 4, 85, "other processes used 85% of the CPU (4% before)"),
        ("system/cpu_steal_percent", 0, 30, "other virtual machines used 30% of the CPU"),
    ],
)
def test_a_machine_that_others_keep_busy_is_told_as_such(metric, before, after, said):
    use = np.where(np.arange(100) < 40, float(before), float(after))

    [finding] = check(learning_nothing({RATE: SLOW, metric: use}), "PERF001")

    assert finding.severity == "notice"
    assert said in finding.message


def test_a_machine_that_is_idle_excuses_nothing():
    [finding] = check(
        learning_nothing({RATE: SLOW, "system/other_cpu_percent": noisy(5.0)}), "PERF001"
    )

    assert finding.severity == "warning"
    assert "CPU" not in finding.message


def learning_nothing(series):
    returns = np.full(100, 10.0) + noisy(2.0)
    return make_run(
        {**series, "outcome/return_mean": returns}, every=1024, seconds=10.0, algorithm="PPO"
    )


def test_an_average_whose_clock_began_later_is_still_an_average():
    """SB3's `time/fps` beside a monitor, which counts from when the environment was made."""
    rows = np.arange(200)
    spent = np.cumsum(np.select([rows < 30, rows == 100], [0.008, 60.0], 0.4))
    series = {RATE: np.round(60.0 * (rows + 1) / spent), "time/elapsed_s": spent + 0.04}

    assert alarms(make_run(series, every=60, seconds=np.nan)) == []
