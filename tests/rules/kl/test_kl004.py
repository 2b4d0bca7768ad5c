import numpy as np
import pytest
from tests.rules.policy.curves import ODD, around, collapsing, learning, stuck

from runvitals.testing import check, make_run


def run(kl, score, *, metric="policy/kl_ref", outcome="reward/score_mean", config=None, **more):
    series = {metric: kl, outcome: score, "length/response_mean": [100.0] * len(score), **more}
    return make_run(series, algorithm="GRPO", config=config)


def test_fires_when_the_policy_is_far_away_for_nothing():
    kl = np.concatenate([np.linspace(0.0, 1.0, 20), around(2.5, 60)])

    [finding] = check(run(kl, stuck()), "KL004")

    assert finding.severity == "warning"
    assert "above 1 per token" in finding.message
    assert finding.span.first >= 15
    assert finding.advice.startswith("raise the KL coefficient")


def test_is_critical_when_it_explodes():
    kl = [*around(0.1, 40), *np.geomspace(2.0, 1e6, 40)]

    [finding] = check(run(kl, collapsing()), "KL004")

    assert finding.severity == "critical"


def test_a_kl_that_is_high_at_once_points_at_the_reference():
    [finding] = check(run(around(4.0), stuck()), "KL004")

    assert "reference" in finding.causes[0]


@pytest.mark.parametrize(
    ("kl", "coefficient", "alarms"),
    [
        (around(2.5), 0.05, 1),
        (around(2.5), 0.0, 0),
        (np.linspace(0.0, 3.0, 80), 0.05, 0),
        (dict(zip(range(400, 480), around(2.5), strict=True)), 0.05, 0),
    ],
    ids=["another reference", "nobody minds", "moves there", "resumed"],
)
def test_success_does_not_excuse_a_policy_that_starts_elsewhere(kl, coefficient, alarms):
    seen = run(
        kl, learning(), outcome="outcome/return_mean", **{"policy/kl_coef": [coefficient] * 80}
    )

    assert sum(one.is_alarm for one in check(seen, "KL004")) == alarms


def test_a_steady_climb_while_the_outcome_falls_counts():
    [finding] = check(run(np.linspace(0.0, 0.7, 80) ** 2, collapsing()), "KL004")

    assert "climbs" in finding.message


def test_the_controllers_target_counts_per_response():
    [finding] = check(
        run(
            around(20.0),
            stuck(),
            metric="policy/kl_ref_sequence",
            config={"kl_ctrl.target_kl": 6.0},
        ),
        "KL004",
    )

    assert finding.limit is not None
    assert finding.limit.value == 12.0


def test_a_coefficient_at_its_top_is_named():
    coefficient = [*np.linspace(0.1, 0.9, 50), *[1.0] * 30]
    found = check(
        run(
            around(9.0),
            stuck(),
            metric="policy/kl_ref_sequence",
            config={"kl_ctrl.target_kl": 3.0},
            **{"policy/kl_coef": coefficient},
        ),
        "KL004",
    )

    assert any("KL coefficient at its maximum of 1" in one.message for one in found)


def test_log_probabilities_stand_in():
    gap = make_run(
        {
            "policy/logprob_mean": [-0.5] * 80,
            "policy/logprob_ref_mean": -0.5 - around(3.0),
            "reward/score_mean": stuck(),
            "length/response_mean": [100.0] * 80,
        },
        algorithm="GRPO",
    )

    assert len(check(gap, "KL004")) == 1


def test_progress_on_the_optimised_reward_alone_is_no_excuse():
    assert [one.severity for one in check(run(around(2.0), learning()), "KL004")] == ["warning"]


@pytest.mark.parametrize(
    ("kl", "score", "outcome"),
    [
        (around(2.0), learning(), "eval/score_mean"),
        (around(0.3), stuck(), "reward/score_mean"),
        (np.zeros(80), stuck(), "reward/score_mean"),
        (np.linspace(0.0, 0.08, 80), collapsing(), "reward/score_mean"),
        (around(2.0, 10), stuck(10), "reward/score_mean"),
    ],
    ids=["held-out score rises", "usual", "no KL term", "small climb", "too short"],
)
def test_stays_silent(kl, score, outcome):
    assert check(run(kl, score, outcome=outcome), "KL004") == []


@pytest.mark.parametrize(("score", "severity"), [(learning(), "notice"), (stuck(), "warning")])
def test_a_climb_that_goes_on_is_a_sign_and_does_harm_where_nothing_is_learned(score, severity):
    [finding] = check(run(np.linspace(0.02, 0.5, 80), score), "KL004")

    assert finding.severity == severity
    assert "climbs from" in finding.message


def test_log_probabilities_that_drift_apart_are_told_beside_a_steady_kl():
    series = {
        "policy/logprob_mean": -75.0 + np.linspace(0.0, 40.0, 80),
        "policy/logprob_ref_mean": around(1.0) - 76.0,
        "policy/kl_ref_sequence": around(0.05),
        "reward/score_mean": learning(),
    }

    [finding] = check(make_run(series, algorithm="PPO"), "KL004")

    assert finding.severity == "notice"
    assert "drifts away from policy/logprob_ref_mean" in finding.message


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, stuck(len(values))), "KL004") == []
