import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
FLAT = 0.3 + 0.02 * RNG.standard_normal(60)
RISING = np.linspace(0.1, 0.8, 60) + 0.02 * RNG.standard_normal(60)
NOISE = np.exp(0.2 * RNG.standard_normal(60))


def run(metric, values, reward=FLAT):
    return make_run({metric: values, "reward/score_mean": reward}, algorithm="GRPO")


def test_fires_on_a_large_gap_whatever_the_outcome_does():
    [finding] = check(run("mismatch/k3_kl", 0.3 * NOISE, RISING), "MIS001")

    assert finding.severity == "warning"
    assert finding.message.startswith("KL between rollout engine and trainer is 0.")


def test_a_large_gap_without_progress_is_critical():
    assert check(run("mismatch/k3_kl", 0.3 * NOISE), "MIS001")[0].severity == "critical"


@pytest.mark.parametrize(
    ("metric", "level"),
    [
        ("mismatch/k3_kl", 0.03),
        ("mismatch/prob_diff_mean", 0.04),
        ("mismatch/mult_prob_error", 1.2),
    ],
)
def test_a_high_gap_is_a_warning_without_progress_and_a_notice_with_it(metric, level):
    values = 1 + (level - 1) * NOISE if level > 1 else level * NOISE

    assert check(run(metric, values), "MIS001")[0].severity == "warning"
    assert check(run(metric, values, RISING), "MIS001")[0].severity == "notice"


def test_a_gap_that_grows_beyond_the_limit_is_named():
    growing = np.geomspace(2e-4, 8e-3, 60) * NOISE

    [finding] = check(run("mismatch/k3_kl", growing), "MIS001")

    assert finding.severity == "warning"
    assert finding.span.last == 60


def test_the_worst_of_several_measures_is_named():
    series = {"mismatch/k3_kl": 0.002 * NOISE, "mismatch/prob_diff_mean": 0.2 * NOISE}

    [finding] = check(make_run({**series, "reward/score_mean": FLAT}, algorithm="GRPO"), "MIS001")

    assert finding.series == "mismatch/prob_diff_mean"


@pytest.mark.parametrize(
    "values",
    [3e-4 * NOISE, [3e-4] * 50 + [0.5] * 2 + [3e-4] * 8, [0.5] * 5, [np.nan] * 60, [0.0] * 60],
    ids=["healthy", "one spike", "too short", "all nan", "zero"],
)
def test_stays_silent(values):
    assert check(run("mismatch/k3_kl", values), "MIS001") == []


def test_a_signed_estimate_around_zero_is_no_gap():
    assert check(run("mismatch/kl", 5e-4 * RNG.standard_normal(60)), "MIS001") == []
