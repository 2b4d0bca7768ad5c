import numpy as np
import pytest
from tests.rules.performance.plant import labelled, noisy, shifted
from tests.rules.policy.curves import ODD

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


# calls of tools


def agents(tools, returns, **more):
    series = {"time/tool_calls_s": tools, "time/step_s": noisy(60.0), "reward/mean": returns}
    return make_run({**series, **more}, algorithm="GRPO", every=1)


RISING = np.linspace(0.1, 0.8, 100) + noisy(0.01)
FLAT = noisy(0.2)


def test_tools_that_became_slow_are_a_notice_while_the_reward_rises():
    [finding] = check(agents(shifted(1.0, 8.0), RISING), "PERF003")

    assert (finding.series, finding.severity) == ("time/tool_calls_s", "notice")
    assert "reward/mean is holding up so far" in finding.message
    assert 38 <= finding.span.first <= 44


def test_tools_that_became_slow_are_a_warning_beside_a_flat_reward():
    [finding] = check(agents(shifted(1.0, 8.0), FLAT), "PERF003")

    assert finding.severity == "warning"


def test_tools_that_take_most_of_the_step_are_excused_by_nothing():
    [finding] = check(agents(shifted(1.0, 40.0), RISING), "PERF003")

    assert finding.severity == "warning"


def test_the_slowest_call_counts_too():
    run = labelled(
        {
            "tools/max": ("time/tool_calls_s", {"stat": "max"}, shifted(2.0, 30.0)),
            "tools/mean": ("time/tool_calls_s", {}, noisy(1.0)),
            "tools/min": ("time/tool_calls_s", {"stat": "min"}, shifted(0.01, 5.0)),
        }
    )

    [finding] = check(run, "PERF003")

    assert finding.series == "tools/max"


def test_tools_that_always_take_a_third_of_the_step_are_a_notice():
    [finding] = check(agents(noisy(24.0), FLAT), "PERF003")

    assert finding.severity == "notice"
    assert "of the step" in finding.message


def test_silent_on_tools_that_are_as_fast_as_ever():
    recovered = np.concatenate([noisy(1.0, 40), noisy(8.0, 20), noisy(1.0, 40)])

    for tools in (noisy(1.0), noisy(0.01), shifted(0.01, 0.1), recovered):
        assert check(agents(tools, FLAT), "PERF003") == []
