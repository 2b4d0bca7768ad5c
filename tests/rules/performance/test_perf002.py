import pytest
from tests.rules.performance.plant import noisy, shifted
from tests.rules.policy.curves import ODD

from runvitals.testing import check, make_run


def test_fires_when_waiting_began_in_the_run():
    [finding] = check(make_run({"async/trainer_idle_fraction": shifted(0.1, 0.75)}), "PERF002")

    assert finding.severity == "warning"
    assert "the trainer waits" in finding.message


def test_a_run_that_always_waits_is_a_notice():
    series = {"time/wait_s": noisy(6.0), "time/step_s": noisy(10.0, size=0.01)}

    [finding] = check(make_run(series), "PERF002")

    assert finding.severity == "notice"
    assert finding.series == "time/wait_s"


def test_silent_while_nothing_waits():
    series = {"time/data_s": noisy(0.2), "time/step_s": noisy(10.0)}

    assert check(make_run(series), "PERF002") == []


def test_too_short_to_tell():
    assert check(make_run({"async/rollout_idle_fraction": [0.9] * 10}), "PERF002") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    run = make_run({"time/wait_s": values, "time/step_s": values})

    assert not any(finding.is_alarm for finding in check(run, "PERF002"))


def test_an_update_now_and_then_is_a_notice():
    [finding] = check(
        make_run({"throughput/updates_per_s": noisy(0.05)}, algorithm="PPO"), "PERF002"
    )

    assert finding.severity == "notice"
    assert "one every 20 seconds" in finding.message


def test_language_models_may_take_long_for_an_update():
    slow = {"throughput/updates_per_s": noisy(0.01)}

    assert check(make_run(slow, algorithm="GRPO"), "PERF002") == []
    assert check(make_run({"throughput/updates_per_s": noisy(0.9)}), "PERF002") == []
