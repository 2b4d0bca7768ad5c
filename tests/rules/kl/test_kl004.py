import numpy as np
import pytest
from tests.rules.policy.curves import ODD, around, collapsing, learning, stuck

from runvitals.testing import check, make_run


def run(kl, score, *, metric="policy/kl_ref", outcome="reward/score_mean", config=None, **more):
    series = {metric: kl, outcome: score, "length/response_mean": [100.0] * len(score), **more}
    return make_run(series, algorithm="GRPO", config=config)


def test_fires_when_the_policy_is_far_away_for_nothing():
    kl = np.concatenate([np.geomspace(0.01, 0.5, 20), around(2.5, 60)])

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


@pytest.mark.parametrize(("score", "severity"), [(learning(), "notice"), (stuck(), "warning")])
def test_the_table_holds_for_ppo_that_begins_on_its_scale(score, severity):
    series = {"policy/kl_ref": np.linspace(0.02, 0.5, 80), "reward/score_mean": score}
    tokens = {"length/response_mean": [100.0] * 80}

    [finding] = check(make_run({**series, **tokens}, algorithm="PPO"), "KL004")

    assert finding.severity == severity
    assert "above 0.1 per token" in finding.message


def test_a_held_out_score_that_rises_makes_it_a_notice():
    found = check(run(around(2.0), learning(), outcome="eval/score_mean"), "KL004")

    assert [one.severity for one in found] == ["notice"]


def test_single_absurd_values_and_a_start_below_zero_hide_nothing():
    kl = around(3.0)
    kl[[0, 50, 60]] = -1e-9, 1e9, 1e14

    assert [one.severity for one in check(run(kl, learning()), "KL004")] == ["warning"]


def test_progress_on_the_optimised_reward_alone_is_no_excuse():
    assert [one.severity for one in check(run(around(2.0), learning()), "KL004")] == ["warning"]


@pytest.mark.parametrize(
    ("kl", "score", "outcome"),
    [
        (around(0.3), stuck(), "reward/score_mean"),
        (np.zeros(80), stuck(), "reward/score_mean"),
        (np.linspace(0.0, 0.7, 80) ** 2, collapsing(), "reward/score_mean"),
        (around(2.0, 10), stuck(10), "reward/score_mean"),
    ],
    ids=["usual", "no KL term", "small climb", "too short"],
)
def test_stays_silent(kl, score, outcome):
    assert check(run(kl, score, outcome=outcome), "KL004") == []


def test_log_probabilities_that_drift_apart_are_told_beside_a_steady_kl():
    series = {
        "policy/logprob_mean": -75.0 + np.linspace(0.0, 40.0, 80),
        "policy/logprob_ref_mean": around(1.0) - 76.0,
        "policy/kl_ref_sequence": around(0.05),
        "reward/score_mean": learning(),
    }

    [finding] = check(make_run(series, algorithm="PPO"), "KL004")

    assert finding.severity == "notice"
    assert finding.series == "policy/logprob_mean"
    assert "above 6 per response" in finding.message


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, stuck(len(values))), "KL004") == []
