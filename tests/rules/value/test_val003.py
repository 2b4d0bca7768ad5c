import numpy as np
import pytest
from tests.rules.reward.curves import learning, odd_runs, stuck, wandering

from runvitals.testing import check, make_run


def run(explained, outcome, **other):
    series = {"value/explained_variance": explained, "outcome/return_mean": outcome}
    series |= {name.replace("__", "/"): values for name, values in other.items()}
    return make_run(series, every=10, algorithm="PPO")


def test_warns_of_a_useless_critic_in_a_run_that_stalls():
    [finding] = check(run(0.03 * wandering(), stuck()), "VAL003")

    assert finding.severity == "warning"
    assert finding.span.last == 800
    assert finding.limit.value == 0.1


def test_is_a_notice_below_the_usual_range_while_the_outcome_does_well():
    [finding] = check(run(-3.0 + 0.03 * wandering(), learning()), "VAL003")

    assert finding.severity == "notice"
    assert "is holding up so far" in finding.message


@pytest.mark.parametrize("outcome", [learning(), stuck()], ids=["improves", "stuck"])
def test_language_models_have_a_range_of_their_own(outcome):
    series = {"value/explained_variance": 0.5 + 0.03 * wandering(), "reward/score_mean": outcome}

    [finding] = check(make_run(series, algorithm="GRPO"), "VAL003")

    assert finding.severity == "notice"
    assert finding.limit.value == 0.8


@pytest.mark.parametrize(
    ("explained", "outcome"),
    [
        (0.03 * wandering(), learning()),
        (0.3 + 0.03 * wandering(), stuck()),
        (0.95 + 0.01 * wandering(), stuck()),
        (0.03 * wandering(20), stuck(20)),
    ],
    ids=["improves without", "explains some", "dead but predictable", "too short"],
)
def test_stays_silent(explained, outcome):
    assert check(run(explained, outcome), "VAL003") == []


def test_says_nothing_when_returns_do_not_vary():
    assert check(run(-20 + wandering(), [-100.0] * 80), "VAL003") == []
    seen = run(
        -20 + wandering(),
        -100 + 0.1 * wandering(),
        returns__std=np.full(80, 0.1),
        returns__mean=np.full(80, -99.0),
    )
    assert check(seen, "VAL003") == []


def test_survives_odd_values():
    for odd in odd_runs("value/explained_variance", "outcome/return_mean", "returns/std"):
        check(odd, "VAL003")
