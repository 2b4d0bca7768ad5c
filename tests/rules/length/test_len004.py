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
    assert finding.message == "30% of rollouts come back empty or aborted"


def test_rows_of_one_rollout_give_the_mean_share():
    [finding] = check(run("agent/error_rate", np.tile([1.0, 0.0, 0.0, 1.0, 0.0], 12)), "LEN004")

    assert finding.message == "40% of rollouts end in an error"


def test_half_of_them_without_progress_is_critical():
    assert check(run("agent/error_rate", [0.6] * 60), "LEN004")[0].severity == "critical"


@pytest.mark.parametrize(("failing", "severity"), [(0.25, "notice"), (0.5, "warning")])
def test_a_run_that_solves_its_task_excuses_some_failures_only(failing, severity):
    solved = np.concatenate([np.linspace(0.2, 0.95, 10), np.full(15, 0.95)])
    series = {"length/aborted_ratio": [failing] * 60, "reward/score_mean": RISING}

    [finding] = check(make_run({**series, "eval/success_rate": solved}, algorithm="GRPO"), "LEN004")

    assert finding.severity == severity


@pytest.mark.parametrize(
    ("rate", "reward", "severity"),
    [(0.35, FLAT, "warning"), (0.35, RISING, "notice"), (0.9, RISING, "warning")],
    ids=["outcome stands still", "some fail", "most fail, and no fewer than before"],
)
def test_tools_that_fail_matter_if_most_do_or_nothing_is_learned(rate, reward, severity):
    failing = rate + 0.02 * RNG.standard_normal(60)

    [finding] = check(run("agent/tool_failure_rate", failing, reward), "LEN004")

    assert finding.severity == severity


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
