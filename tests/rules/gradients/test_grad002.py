import numpy as np
import pytest
from tests.rules.reward.curves import around, learning, odd_runs, stuck

from runvitals.testing import check, make_run


def run(norm, outcome, clip=0.5):
    series = {"optim/grad_norm": norm, "outcome/return_mean": outcome}
    return make_run(series, every=10, algorithm="PPO", config={"max_grad_norm": clip})


def test_warns_when_hardly_anything_is_left_of_the_gradient():
    [finding] = check(run(around(7.0), stuck(), clip=1e-5), "GRAD002")

    assert finding.severity == "warning"
    assert "cut to 1e-05" in finding.message
    assert finding.limit.from_run


@pytest.mark.parametrize(
    ("norm", "outcome"),
    [(around(700.0), learning()), (around(2.0), learning())],
    ids=["far above", "four times the clip"],
)
def test_is_a_notice_while_the_outcome_does_well(norm, outcome):
    [finding] = check(run(norm, outcome), "GRAD002")

    assert finding.severity == "notice"


def test_tells_from_when_on_gradients_are_clipped():
    norm = np.r_[around(0.2)[:40], around(2.0)[:40]]

    [finding] = check(run(norm, stuck()), "GRAD002")

    assert finding.severity == "warning"
    assert "since step 4" in finding.message


@pytest.mark.parametrize(
    "norm",
    [
        around(0.3),
        around(0.9),
        np.r_[around(70.0, 60), around(0.1, 20)],
        around(70.0, 15),
        np.full(80, 0.5),
    ],
    ids=["below", "a little above", "not always", "too short", "logged after clipping"],
)
def test_stays_silent(norm):
    assert check(run(norm, stuck(len(norm))), "GRAD002") == []


def test_survives_odd_values():
    for odd in odd_runs("optim/grad_norm", "outcome/return_mean"):
        check(odd, "GRAD002")
