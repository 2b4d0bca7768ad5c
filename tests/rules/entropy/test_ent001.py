import numpy as np
import pytest
from tests.rules.policy.curves import ODD, collapsing, learning, solved, stuck, wandering

from runvitals.rules.patient import Patient
from runvitals.testing import check, make_run


def run(entropy, outcome=None, *, config=None, algorithm="PPO", metric="policy/entropy", **more):
    series = {metric: entropy, **more}
    if outcome is not None:
        series["outcome/return_mean"] = outcome
    return make_run(series, every=10, algorithm=algorithm, config=config)


def collapse(at=15, end=0.005):
    way = np.concatenate([np.linspace(0.69, end, at), np.full(80 - at, end)])
    return way * np.exp(0.05 * wandering())


def slowly(share):
    return 0.69 * np.geomspace(1.0, share, 80)


def test_fires_when_exploration_ends_before_anything_is_learned():
    [finding] = check(run(collapse(), stuck()), "ENT001")

    assert finding.severity == "critical"
    assert 130 <= finding.span.first <= 200
    assert finding.span.last == 800
    assert "0.005" in finding.message


def test_a_tenth_while_the_outcome_falls_is_a_warning():
    [finding] = check(run(slowly(0.05), collapsing()), "ENT001")

    assert finding.severity in ("warning", "critical")


def test_a_bonus_of_the_wrong_sign_is_the_first_cause():
    [finding] = check(run(collapse(), stuck(), config={"ent_coef": -0.1}), "ENT001")

    assert finding.causes[0] == "entropy bonus has the wrong sign"
    assert "-0.1" in finding.advice


def test_the_spread_of_continuous_actions_stands_in():
    [finding] = check(run(collapse(), stuck(), metric="policy/action_std"), "ENT001")

    assert finding.message.startswith("standard deviation of actions")


@pytest.mark.parametrize(
    ("entropy", "outcome"),
    [
        (collapse(), solved()),
        (slowly(0.5), stuck()),
        (collapse(end=0.2), stuck()),
        (collapse()[:10], stuck(10)),
        ([0.01] * 80, stuck()),
    ],
    ids=[
        "found what it needs first",
        "gentle fall",
        "some is left",
        "too short",
        "low from the start",
    ],
)
def test_stays_silent(entropy, outcome):
    assert check(run(entropy, outcome), "ENT001") == []


@pytest.mark.parametrize("outcome", [learning(), None], ids=["improves", "no outcome"])
def test_a_collapse_in_the_first_part_of_the_run_is_a_sign(outcome):
    [finding] = check(run(collapse(at=10), outcome), "ENT001")

    assert finding.severity == "notice"


def test_a_low_plateau_from_early_on_does_harm_where_nothing_is_learned():
    [finding] = check(run(collapse(at=10, end=0.1), stuck()), "ENT001")

    assert finding.severity == "warning"
    assert "14" in finding.message


def test_the_entropy_of_whole_responses_stands_in():
    series = {"policy/entropy_sequence": 50 * collapse(), "reward/score_mean": stuck()}

    [finding] = check(make_run(series, algorithm="PPO"), "ENT001")

    assert finding.series == "policy/entropy_sequence"


def test_a_differential_entropy_has_no_floor_at_zero():
    assert check(run(np.linspace(1.4, -2.0, 80), stuck()), "ENT001") == []


def test_language_models_may_have_little():
    tokens = {"length/response_mean": [100.0] * 80}
    entropy = np.linspace(2.0, 0.15, 80)

    assert check(run(entropy, stuck(), algorithm="GRPO", **tokens), "ENT001") == []


def severities(make, seeds=20):
    found = [check(make(np.random.default_rng(seed)), "ENT001") for seed in range(seeds)]
    return [one.severity for hits in found for one in hits], seeds


@pytest.mark.parametrize("n", [12, 30, 80, 200])
@pytest.mark.parametrize("first", [0.07, 0.6], ids=["low", "high"])
def test_no_rise_excuses_a_policy_without_randomness_that_hardly_ever_succeeds(n, first):
    def made(rng):
        at = np.linspace(0, 1, n)
        rate = np.clip(first + 0.05 * at + 0.01 * rng.standard_normal(n), 0, 1)
        entropy = 1.1 * np.maximum(0, 1 - at / 0.2) + 1e-4
        return make_run({"policy/entropy": entropy, "outcome/success_rate": rate}, algorithm="PPO")

    found, seeds = severities(made)
    alarms = sum(one != "notice" for one in found)

    assert alarms == seeds if first < 0.2 else alarms <= seeds / 5


@pytest.mark.parametrize("n", [14, 30, 60])
@pytest.mark.parametrize("change", [0.0, 4.0])
def test_an_outcome_that_cannot_be_told_proves_no_harm(n, change):
    """As in a bandit with noisy arms, where no entropy is what it should come to."""

    seen = set()
    for seed in range(20):
        noise = 4.0 * np.random.default_rng(seed).standard_normal(n)
        outcome = 11.5 + np.linspace(0, change, n) + noise
        series = {"policy/entropy": np.geomspace(0.5, 0.002, n), "outcome/return_mean": outcome}
        made = make_run(series, algorithm="A2C")
        health = Patient(made).health
        course = health.main.course
        leans = course.change > max(course.change_error, course.matters)
        if health.unsure or health.unshown:
            seen.update((health.unsure and leans, one.severity) for one in check(made, "ENT001"))

    assert seen <= {(True, "notice"), (False, "warning")}
    assert seen


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run(values, stuck(len(values))), "ENT001")
