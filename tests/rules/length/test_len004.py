import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
FLAT = 0.3 + 0.02 * RNG.standard_normal(60)
RISING = np.linspace(0.1, 0.8, 60) + 0.02 * RNG.standard_normal(60)


def run(metric, values, reward=FLAT):
    return make_run({metric: values, "reward/score_mean": reward}, algorithm="GRPO")


def test_fires_on_empty_rollouts_even_if_the_policy_learns():
    [finding] = check(run("length/aborted_ratio", [0.3] * 60, RISING), "LEN004")

    assert finding.severity == "warning"
    assert finding.message == "30% of the rollouts come back empty or aborted"


def test_half_of_them_without_progress_is_critical():
    assert check(run("agent/error_rate", [0.6] * 60), "LEN004")[0].severity == "critical"


def test_tools_that_fail_matter_when_the_outcome_stands_still():
    failing = 0.9 + 0.02 * RNG.standard_normal(60)

    assert check(run("agent/tool_failure_rate", failing), "LEN004")[0].severity == "warning"
    assert check(run("agent/tool_failure_rate", failing, RISING), "LEN004")[0].severity == "notice"


def test_learning_to_call_tools_is_no_alarm():
    falling = np.linspace(0.9, 0.25, 60) + 0.02 * RNG.standard_normal(60)

    findings = check(run("agent/tool_failure_rate", falling), "LEN004")

    assert [finding.severity for finding in findings] == ["notice"]


@pytest.mark.parametrize(
    "values",
    [[0.01] * 60, [0.0, 0.0, 0.2] * 20, [0.5] * 5, [np.nan] * 60, [0.4] * 20 + [0.0] * 40],
    ids=["healthy", "now and then", "too short", "all nan", "early only"],
)
def test_stays_silent(values):
    assert check(run("length/aborted_ratio", values), "LEN004") == []
