import numpy as np
import pytest
from tests.rules.reward.curves import around, learning, odd_runs, stuck

from runvitals.testing import check, make_run

T = np.linspace(0, 1, 80)
EXPLODES = 10 * np.exp(9 * T)


def run(q, outcome, **about):
    series = {"value/q_max": q, "outcome/return_mean": outcome}
    series |= {"outcome/episode_length_mean": np.asarray(outcome)}
    return make_run(series, every=100, algorithm="DQN", config={"gamma": 0.99}, **about)


def test_fires_on_values_beyond_any_return():
    [finding] = check(run(EXPLODES, stuck()), "VAL006")

    assert finding.severity == "critical"
    assert "times what is earned" in finding.message
    assert finding.span.last == 8000


def test_is_a_warning_while_it_does_well():
    [finding] = check(run(100 * EXPLODES, learning()), "VAL006")

    assert finding.severity == "warning"


@pytest.mark.parametrize(
    ("q", "outcome"),
    [
        (around(90.0), stuck()),
        (100 + 100 * T, learning()),
        (EXPLODES[:15], stuck(15)),
        (-around(90.0), -stuck()),
    ],
    ids=["in range", "rises with the return", "too short", "negative"],
)
def test_stays_silent(q, outcome):
    assert check(run(q, outcome), "VAL006") == []


def test_says_nothing_without_a_return_to_compare_with():
    assert check(make_run({"value/q_max": EXPLODES}, algorithm="DQN"), "VAL006") == []


def test_survives_odd_values():
    for odd in odd_runs("value/q_max", "outcome/return_mean", "reward/max", algorithm="DQN"):
        check(odd, "VAL006")


def test_q_values_are_held_against_what_is_earned_now():
    fallen = np.where(T < 0.4, 200.0, 10.0) + 0.1 * around(1.0)
    q = np.minimum(150.0, 20.0 + 400.0 * T)

    [finding] = check(run(q, fallen), "VAL006")

    assert finding.severity == "critical"
