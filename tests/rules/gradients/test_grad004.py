import numpy as np
import pytest
from tests.rules.reward.curves import around, learning, odd_runs, stuck

from runvitals.testing import check, make_run

T = np.linspace(0, 1, 80)
GROWS = np.exp(4 * T) * np.exp(0.05 * np.random.default_rng(0).normal(size=80))


def run(norm, outcome, algorithm="GRPO", **other):
    series = {"policy/grad_norm": norm, "reward/score_mean": outcome}
    series |= {name.replace("__", "/"): values for name, values in other.items()}
    return make_run(series, every=10, algorithm=algorithm)


def test_fires_on_steady_growth():
    [finding] = check(run(GROWS, stuck()), "GRAD004")

    assert finding.severity == "warning"
    assert "times its early level and still growing" in finding.message
    assert finding.span.last == 800


def test_is_a_notice_while_it_does_well():
    [finding] = check(run(GROWS, learning()), "GRAD004")

    assert finding.severity == "notice"


@pytest.mark.parametrize(
    ("norm", "other"),
    [
        (around(1.0), {}),
        (np.r_[around(1.0, 40), around(5.0, 40)], {}),
        (GROWS, {"optim__learning_rate": np.linspace(0, 1e-5, 80)}),
        (GROWS[:30], {}),
    ],
    ids=["noise", "a step that stays", "warm-up of the rate", "too short"],
)
def test_stays_silent(norm, other):
    assert check(run(norm, stuck(len(norm)), **other), "GRAD004") == []


def test_is_not_for_classic_control():
    seen = make_run({"optim/grad_norm": GROWS, "outcome/return_mean": stuck()}, algorithm="DQN")

    assert check(seen, "GRAD004") == []


def test_survives_odd_values():
    for odd in odd_runs(
        "policy/grad_norm", "reward/score_mean", "optim/learning_rate", algorithm="GRPO"
    ):
        check(odd, "GRAD004")
