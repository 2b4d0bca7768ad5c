import numpy as np
import pytest
from tests.rules.reward.curves import around, learning, odd_runs, solved, stuck

from runvitals.testing import check, make_run


def zeros(share, n=80):
    values = around(1.0, n)
    values[np.random.default_rng(0).random(n) < share] = 0.0
    return values


def run(norm, outcome):
    series = {"optim/grad_norm": norm, "reward/score_mean": outcome}
    return make_run(series, every=10, algorithm="GRPO")


@pytest.mark.parametrize(("share", "severity"), [(0.55, "warning"), (0.9, "critical")], ids=str)
def test_says_how_bad_it_is(share, severity):
    [finding] = check(run(zeros(share), stuck()), "GRAD003")

    assert finding.severity == severity
    assert "exactly 0" in finding.message


def test_is_a_notice_while_it_does_well():
    [finding] = check(run(zeros(0.9), learning()), "GRAD003")

    assert finding.severity == "notice"


def test_no_outcome_excuses_a_gradient_that_is_always_zero():
    [finding] = check(run(np.zeros(80), learning()), "GRAD003")

    assert finding.severity == "critical"


def test_sees_a_gradient_that_fades():
    [finding] = check(run(around(1.0) * np.where(np.arange(80) < 40, 1, 0.01), stuck()), "GRAD003")

    assert finding.severity == "warning"
    assert "faded to" in finding.message


@pytest.mark.parametrize(
    ("norm", "outcome"),
    [
        (around(1.0) * np.where(np.arange(80) < 40, 1, 0.01), solved()),
        (around(1.0), stuck()),
        (zeros(0.3), stuck()),
        (zeros(0.9, 15), stuck(15)),
    ],
    ids=["solved", "steady", "few", "too short"],
)
def test_stays_silent(norm, outcome):
    assert check(run(norm, outcome), "GRAD003") == []


def test_survives_odd_values():
    for odd in odd_runs("optim/grad_norm", "outcome/return_mean"):
        check(odd, "GRAD003")
