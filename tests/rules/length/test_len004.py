import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
FLAT = 0.3 + 0.02 * RNG.standard_normal(60)
RISING = np.linspace(0.1, 0.8, 60) + 0.02 * RNG.standard_normal(60)


def run(metric, values, reward=FLAT):
    return make_run({metric: values, "reward/score_mean": reward}, algorithm="GRPO")


@pytest.mark.parametrize(
    ("share", "reward", "severity"),
    [(0.3, FLAT, "warning"), (0.3, RISING, "notice"), (0.6, RISING, "warning")],
    ids=["nothing learned", "excused", "most"],
)
def test_fires_on_empty_rollouts(share, reward, severity):
    [finding] = check(run("length/aborted_ratio", [share] * 60, reward), "LEN004")

    assert finding.severity == severity
    assert finding.message.startswith(f"{share:.0%} of rollouts come back empty or aborted")


def test_the_most_frequent_failure_is_named():
    both = {"length/aborted_ratio": [0.1] * 60, "agent/error_rate": [0.4] * 60}

    [finding] = check(make_run({**both, "reward/score_mean": FLAT}, algorithm="GRPO"), "LEN004")

    assert finding.message == "40% of rollouts end in an error"


def test_rows_of_one_rollout_give_the_mean_share():
    [finding] = check(run("agent/error_rate", np.tile([1.0, 0.0, 0.0, 1.0, 0.0], 10)), "LEN004")

    assert finding.message == "40% of rollouts end in an error"


@pytest.mark.parametrize(
    ("rate", "reward", "severity"),
    [(0.35, FLAT, "warning"), (0.35, RISING, "notice"), (0.9, RISING, "warning")],
    ids=["outcome stands still", "some fail", "most fail, and no fewer than before"],
)
def test_tools_that_fail_matter_if_most_do_or_nothing_is_learned(rate, reward, severity):
    failing = rate + 0.02 * RNG.standard_normal(60)

    [finding] = check(run("agent/tool_failure_rate", failing, reward), "LEN004")

    assert finding.severity == severity


@pytest.mark.parametrize(
    "values",
    [[0.01] * 60, ([0.0] * 11 + [0.2]) * 5, [0.5] * 5, [np.nan] * 60, [0.4] * 20 + [0.0] * 40],
    ids=["healthy", "now and then", "too short", "all nan", "early only"],
)
def test_stays_silent(values):
    assert check(run("length/aborted_ratio", values), "LEN004") == []
