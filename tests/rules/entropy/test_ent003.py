import numpy as np
import pytest
from tests.rules.policy.curves import ODD, around, collapsing, learning, stuck, wandering

from runvitals.testing import check, make_run


def run(entropy, outcome=None, *, algorithm="PPO", metric="policy/entropy", **more):
    series = {metric: entropy, **more}
    if outcome is not None:
        series["outcome/return_mean"] = outcome
    return make_run(series, every=10, algorithm=algorithm)


def rise(start, end):
    return np.concatenate([np.full(30, start), np.linspace(start, end, 50)]) * np.exp(
        0.02 * wandering()
    )


def test_fires_when_the_policy_dissolves():
    [finding] = check(run(rise(0.3, 2.0), collapsing()), "ENT003")

    assert finding.severity == "warning"
    assert finding.span.last == 800
    assert "times its lowest" in finding.message


def test_a_lesser_rise_is_a_warning_when_the_outcome_falls():
    found = check(run(rise(0.4, 1.0), collapsing()), "ENT003")

    assert [one.severity for one in found] == ["warning"]


def test_a_spread_of_actions_that_explodes_needs_no_outcome():
    [finding] = check(run(np.geomspace(1.0, 60.0, 80), metric="policy/action_std"), "ENT003")

    assert finding.severity == "warning"
    assert finding.message.startswith("standard deviation of actions")


def test_language_models_that_grow_loud_are_found():
    tokens = {"length/response_mean": [100.0] * 80}

    assert len(check(run(rise(0.3, 3.0), stuck(), algorithm="GRPO", **tokens), "ENT003")) == 1


@pytest.mark.parametrize(
    ("entropy", "outcome"),
    [
        (rise(0.3, 2.0), learning()),
        (around(0.5), stuck()),
        (rise(0.5, 0.6), collapsing()),
        (np.linspace(0.69, 0.2, 80), stuck()),
        (rise(0.3, 2.0)[:15], stuck(15)),
    ],
    ids=["improves", "noise", "a little", "falls", "too short"],
)
def test_stays_silent(entropy, outcome):
    assert check(run(entropy, outcome), "ENT003") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run(values, stuck(len(values))), "ENT003")


def test_a_weight_of_the_bonus_that_runs_away_is_found():
    sac = {"policy/entropy_coef": np.geomspace(0.2, 1000.0, 80), "outcome/return_mean": stuck()}

    [finding] = check(make_run(sac, algorithm="SAC"), "ENT003")

    assert finding.series == "policy/entropy_coef"
    assert "climbs from 0.2" in finding.message


def test_climbing_out_of_a_hole_is_not_doing_well():
    outcome = np.concatenate([[100.0] * 4, np.linspace(2.0, 8.0, 76)])

    assert any(one.is_alarm for one in check(run(rise(0.3, 2.0), outcome), "ENT003"))


def test_a_rise_that_came_early_and_stays_counts_while_the_outcome_falls():
    risen = np.r_[np.linspace(1.7, 2.9, 15), 2.95 + 0.01 * wandering(65)]

    assert check(run(risen, collapsing()), "ENT003")
