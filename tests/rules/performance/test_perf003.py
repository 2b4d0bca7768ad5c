import pytest
from tests.rules.performance.plant import labelled, noisy, shifted
from tests.rules.pol.curves import ODD

from runvitals.testing import check, make_run


def test_fires_when_logging_grows():
    run = labelled(
        {
            "timing/log": ("time/stage_s", {"stage": "log"}, shifted(0.001, 0.2)),
            "timing/gen": ("time/generation_s", {}, noisy(0.1)),
            "timing/update": ("time/training_s", {}, noisy(0.1)),
        }
    )

    [finding] = check(run, "PERF003")

    assert finding.severity == "warning"
    assert finding.series == "timing/log"
    assert "47%" in finding.message


def test_generation_may_grow_with_its_responses():
    series = {"time/generation_s": shifted(1.0, 9.0), "time/training_s": noisy(1.0)}

    assert check(make_run(series), "PERF003") == []


def test_rewards_that_take_long_are_a_notice():
    series = {"time/reward_s": noisy(5.0), "time/training_s": noisy(5.0)}

    [finding] = check(make_run(series), "PERF003")

    assert finding.severity == "notice"


def test_fires_when_rewards_take_most_of_the_step():
    series = {"time/reward_s": noisy(6.0), "time/training_s": noisy(2.0)}

    [finding] = check(make_run(series), "PERF003")

    assert finding.severity == "warning"
    assert "75%" in finding.message


def test_parts_of_a_step_that_is_much_longer_are_small():
    parts = {"time/reward_s": noisy(6.0), "time/training_s": noisy(2.0)}

    found = check(make_run(parts | {"time/step_s": noisy(40.0)}), "PERF003")

    assert not any(finding.is_alarm for finding in found)


def test_rewards_beside_nothing_else_that_is_timed_are_no_case():
    series = {"time/reward_s": noisy(6.0), "time/advantage_s": noisy(0.1)}

    assert not any(finding.is_alarm for finding in check(make_run(series), "PERF003"))


def test_a_part_is_no_larger_because_another_is_faster():
    series = {"time/reward_s": noisy(2.0), "time/training_s": shifted(20.0, 1.0)}

    assert not any(finding.is_alarm for finding in check(make_run(series), "PERF003"))


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    found = check(make_run({"time/reward_s": values, "time/training_s": values}), "PERF003")

    assert not any(finding.is_alarm for finding in found)
