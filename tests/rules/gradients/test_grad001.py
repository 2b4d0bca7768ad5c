import numpy as np
import pytest
from tests.rules.reward.curves import around, learning, odd_runs, stuck

from runvitals.testing import check, make_run


def spiked(*at, height=60.0):
    values = around(1.0)
    values[list(at)] = height
    return values


def run(norm, outcome, **about):
    series = {"optim/grad_norm": norm, "outcome/return_mean": outcome}
    return make_run(series, every=10, algorithm="PPO", **about)


def test_one_spike_is_a_notice():
    [finding] = check(run(spiked(50), stuck()), "GRAD001")

    assert finding.severity == "notice"
    assert "1 gradient spike of 60 at step 510" in finding.message


def test_names_the_highest_spike_and_not_a_high_level_later_on():
    norm = np.r_[spiked(50), np.linspace(1.0, 500.0, 400)]

    [finding] = check(run(norm, stuck(len(norm))), "GRAD001")

    assert "60 at step 510" in finding.message


def test_three_are_a_warning_if_the_outcome_is_bad():
    assert check(run(spiked(50, 55, 60), stuck()), "GRAD001")[0].severity == "warning"
    assert check(run(spiked(50, 55, 60), learning()), "GRAD001")[0].severity == "notice"


@pytest.mark.parametrize(
    "norm",
    [around(1.0), spiked(2), spiked(50, height=5.0), around(1.0, 12), np.full(80, 2.0)],
    ids=["noise", "warm-up", "small", "too short", "constant"],
)
def test_stays_silent(norm):
    assert check(run(norm, stuck(len(norm))), "GRAD001") == []


def test_says_nothing_of_norms_below_the_clip():
    assert (
        check(run(spiked(50, height=60.0) / 100, stuck(), config={"max_grad_norm": 1.0}), "GRAD001")
        == []
    )


def test_survives_odd_values():
    for odd in odd_runs("optim/grad_norm", "outcome/return_mean"):
        check(odd, "GRAD001")
