import numpy as np
import pytest
from tests.rules.reward.curves import around, learning, odd_runs, stuck

from runvitals.testing import check, make_run

T = np.linspace(0, 1, 80)
GROWS = np.exp(4 * T) * np.exp(0.05 * np.random.default_rng(0).normal(size=80))


def run(norm, outcome):
    series = {"policy/grad_norm": norm, "reward/score_mean": outcome}
    return make_run(series, every=10, algorithm="GRPO")


def test_fires_on_steady_growth():
    [finding] = check(run(GROWS, stuck()), "GRAD004")

    assert finding.severity == "warning"
    assert "times its early level from step" in finding.message
    assert finding.span.last == 800


def test_is_a_notice_while_it_does_well():
    [finding] = check(run(GROWS, learning()), "GRAD004")

    assert finding.severity == "notice"


@pytest.mark.parametrize("times", [50, 500])
def test_names_norms_that_explode_for_a_third_of_a_run_that_collapses(times):
    norm = around(1.0, 120)
    norm[50:90] *= times
    outcome = np.r_[learning(60), stuck(60)]
    seen = make_run({"optim/grad_norm": norm, "outcome/return_mean": outcome}, algorithm="PPO")

    [finding] = check(seen, "GRAD004")

    assert finding.severity == "warning"
    assert 45 <= finding.span.first <= 55 <= 85 <= finding.span.last <= 95


@pytest.mark.parametrize(
    "norm",
    [around(1.0), np.r_[around(1.0, 70), around(50.0, 10)], GROWS[:30]],
    ids=["noise", "only at the very end", "too short"],
)
def test_stays_silent(norm):
    assert check(run(norm, stuck(len(norm))), "GRAD004") == []


def test_survives_odd_values():
    for odd in odd_runs("policy/grad_norm", "reward/score_mean", algorithm="GRPO"):
        check(odd, "GRAD004")
