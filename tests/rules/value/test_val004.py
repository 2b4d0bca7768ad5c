import numpy as np
import pytest
from tests.rules.reward.curves import around, learning, odd_runs, solved, stuck, wandering

from runvitals.testing import check, make_run

MEANS = 20 + 0.5 * wandering()


def run(outcome, **series):
    named = {name.replace("__", "/"): values for name, values in series.items()}
    return make_run({"outcome/return_mean": outcome, **named}, every=10, algorithm="PPO")


def test_fires_on_values_far_from_the_returns():
    seen = run(stuck(), value__mean=MEANS + 60, returns__mean=MEANS, returns__std=around(5.0))

    [finding] = check(seen, "VAL004")

    assert finding.severity == "warning"
    assert "standard deviations apart" in finding.message


def test_fires_on_a_constant_added_even_if_it_does_well():
    seen = run(solved(), value__mean=MEANS - 450, returns__mean=MEANS, returns__std=around(30.0))

    assert check(seen, "VAL004")


def test_fires_on_a_critic_that_says_the_same_of_everything():
    seen = run(solved(), value__std=np.full(80, 1e-5), outcome__return_std=around(40.0))

    [finding] = check(seen, "VAL004")

    assert "the same for every state" in finding.message


def grown(level, factor):
    return np.r_[around(level, 40), around(factor * level, 40)]


@pytest.mark.parametrize(("outcome", "severity"), [(stuck(), "warning"), (solved(), "notice")])
@pytest.mark.parametrize("factor", [1000.0, 1e-4])
def test_speaks_of_a_variance_that_explodes_or_goes_to_zero(outcome, severity, factor):
    seen = run(outcome, value__var=grown(0.5, factor), returns__var=around(0.7))

    [finding] = check(seen, "VAL004")

    assert finding.severity in (severity, "warning" if factor < 1 else severity)
    assert finding.series == "value/var"


@pytest.mark.parametrize(("outcome", "severity"), [(stuck(), "warning"), (solved(), "notice")])
def test_speaks_of_a_mean_value_that_leaves_its_level_and_all_that_is_earned(outcome, severity):
    [finding] = check(run(outcome, value__mean=grown(60.0, 50.0)), "VAL004")

    assert finding.severity == severity
    assert "drifts" in finding.message


@pytest.mark.parametrize(
    "value",
    [0.8 * learning(), np.r_[np.zeros(8), 0.7 * learning()[8:]], grown(2.0, 30.0)],
    ids=["follows", "begins at zero", "below what is earned"],
)
def test_leaves_values_alone_that_grow_with_what_is_earned(value):
    assert check(run(learning(), value__mean=value), "VAL004") == []


def test_leaves_a_new_critic_alone_whose_values_begin_to_differ():
    spread = np.r_[np.full(16, 0.01), around(2.0, 64)]

    assert check(run(learning(), value__std=spread, returns__std=around(5.0)), "VAL004") == []


@pytest.mark.parametrize(
    ("outcome", "series"),
    [
        (stuck(), {"value__mean": MEANS + 1, "returns__mean": MEANS, "returns__std": around(5.0)}),
        (
            learning(),
            {"value__mean": MEANS - 15, "returns__mean": MEANS, "returns__std": around(5.0)},
        ),
        (stuck(), {"value__std": around(4.0), "returns__mean": MEANS, "returns__std": around(5.0)}),
        (solved(), {"value__std": np.full(80, 1e-5), "outcome__return_std": np.full(80, 1e-3)}),
        (
            stuck(15),
            {
                "value__mean": MEANS[:15] + 90,
                "returns__mean": MEANS[:15],
                "returns__std": around(5.0, 15),
            },
        ),
        (stuck(), {"value__mean": MEANS + 90}),
    ],
    ids=[
        "close",
        "lags behind a rise",
        "values vary",
        "returns do not vary",
        "too short",
        "no spread",
    ],
)
def test_stays_silent(outcome, series):
    assert check(run(outcome, **series), "VAL004") == []


def test_survives_odd_values():
    for odd in odd_runs(
        "value/mean", "value/std", "returns/mean", "returns/std", "outcome/return_mean"
    ):
        check(odd, "VAL004")


RISING = 99.0 * (1 - np.exp(-np.arange(80) / 10))


@pytest.mark.parametrize(("outcome", "severities"), [(stuck(), ["warning"]), (solved(), [])])
def test_fires_on_values_that_promise_more_than_episodes_give(outcome, severities):
    found = check(run(outcome, value__mean=RISING), "VAL004")

    assert [one.severity for one in found] == severities
    assert all("times what is earned" in one.message for one in found)


def test_fires_on_values_beyond_the_scores_of_responses():
    scores = {"reward/score_mean": 0.3 - 0.003 * np.arange(80)}

    def said(value):
        return check(make_run({"value/mean": value, **scores}, algorithm="GRPO"), "VAL004")

    assert "times what is earned" in said(0.06 * RISING)[0].message
    assert said(0.003 * RISING) == []
