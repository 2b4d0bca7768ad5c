import numpy as np
import pytest
from tests.rules.policy.curves import ODD, around, collapsing, learning, stuck, wandering

from runvitals.testing import check, make_run


def rl(loss, outcome=None, **about):
    series = {"policy/loss": loss}
    if outcome is not None:
        series["outcome/return_mean"] = outcome
    return make_run(series, every=10, **{"algorithm": "PPO", **about})


def test_fires_when_a_policy_loss_explodes():
    loss = [*(0.02 * wandering(50)), *around(40.0, 30)]

    [finding] = check(rl(loss, collapsing()), "POL001")

    assert finding.severity == "critical"
    assert 510 <= finding.span.first <= 560
    assert finding.span.last == 800
    assert "times its early size" in finding.message


def test_without_an_outcome_it_is_a_notice():
    loss = [*(0.02 * wandering(50)), *around(40.0, 30)]

    assert [one.severity for one in check(rl(loss), "POL001")] == ["notice"]


@pytest.mark.parametrize(
    ("loss", "outcome"),
    [
        (0.02 * wandering(), stuck()),
        ([*(1e-5 * wandering(50)), *(0.01 * wandering(30))], stuck()),
        (np.zeros(80), stuck()),
        (np.linspace(-0.1, 0.1, 80), stuck()),
        (around(40.0, 20), stuck(20)),
    ],
    ids=["noise", "small in any case", "zero", "any direction", "too short"],
)
def test_stays_silent(loss, outcome):
    assert check(rl(loss, outcome), "POL001") == []


def test_is_a_sign_while_the_outcome_does_well():
    loss = [*(0.02 * wandering(50)), *around(40.0, 30)]

    [finding] = check(rl(loss, learning()), "POL001")

    assert finding.severity == "notice"
    assert "is holding up so far" in finding.message


@pytest.mark.parametrize(
    ("outcome", "severity"), [(learning(), "notice"), (stuck(), "warning"), (None, "notice")]
)
def test_single_points_far_out_are_told(outcome, severity):
    loss = 0.02 * wandering()
    loss[[40, 55]] = 20.0, -30.0

    [finding] = check(rl(loss, outcome), "POL001")

    assert finding.severity == severity
    assert "jumps 2 times, the largest to -30 at step 560" in finding.message


def test_a_blow_up_that_is_over_is_a_warning():
    loss = [*(0.02 * wandering(40)), *around(40.0, 20), *(0.02 * wandering(20))]

    [finding] = check(rl(loss, stuck()), "POL001")

    assert finding.severity == "warning"
    assert "to step" in finding.message


def test_the_total_loss_is_looked_at_too():
    total = [*around(0.1, 50), *around(20.0, 30)]
    steady = {"policy/loss": 0.02 * wandering(), "value/loss": around(0.2)}
    series = {"optim/loss": total, "outcome/return_mean": stuck()}

    [finding] = check(make_run({**series, **steady}, algorithm="PPO"), "POL001")
    grown = {**steady, "value/loss": [*around(0.2, 50), *around(40.0, 30)]}

    assert finding.series == "optim/loss"
    assert check(make_run({**series, **grown}, algorithm="PPO"), "POL001") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(rl(values, stuck(len(values))), "POL001")
