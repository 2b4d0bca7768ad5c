import numpy as np
import pytest
from tests.rules.policy.curves import ODD, collapsing, learning, solved, stuck, wandering

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

    assert finding.severity == "warning"
    assert 80 <= finding.span.first <= 200
    assert finding.span.last == 800
    assert "0.005" in finding.message


def test_a_late_fall_is_a_warning_while_the_outcome_falls():
    [finding] = check(run(slowly(0.05), collapsing()), "ENT001")

    assert finding.severity == "warning"


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
    assert "13.9% of its start" in finding.message


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


def stalled_at(level, n, seed):
    """A rate that rises for the first 15% of the run and stands still from then on."""
    noise = 0.02 * np.random.default_rng(seed).standard_normal(n)
    return 0.1 + (level - 0.1) * np.minimum(1, np.linspace(0, 1, n) / 0.15) + noise


@pytest.mark.parametrize("n", [60, 200])
@pytest.mark.parametrize("left", [0.01, 0.05])
def test_no_standstill_below_the_ceiling_excuses_a_policy_without_randomness(n, left):
    entropy = 1.1 * np.exp(np.log(left) * np.minimum(1, np.linspace(0, 1, n) / 0.12))
    for seed in range(5):
        series = {"policy/entropy": entropy, "outcome/success_rate": stalled_at(0.18, n, seed)}

        [finding] = check(make_run(series, algorithm="PPO"), "ENT001")

        assert finding.severity == "warning"
        assert "outcome/success_rate stands still" in finding.message
        assert "raise the entropy bonus" in finding.advice


def test_a_solved_task_needs_no_randomness():
    entropy = 1.1 * np.exp(-4 * np.minimum(1, np.linspace(0, 1, 80) / 0.2))
    series = {"policy/entropy": entropy, "outcome/success_rate": stalled_at(0.97, 80, 0)}

    assert not any(one.is_alarm for one in check(make_run(series, algorithm="PPO"), "ENT001"))


def test_entropy_that_is_logged_as_zero_is_gone():
    [finding] = check(run([0.69, 0.6, 0.3, *[0.0] * 77], stuck()), "ENT001")

    assert finding.severity == "warning"


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run(values, stuck(len(values))), "ENT001")
