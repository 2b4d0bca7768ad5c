import numpy as np
import pytest
from tests.rules.reward.curves import around, learning, odd_runs, solved, stuck

from runvitals.testing import check, make_run


def run(var, outcome, algorithm="PPO"):
    return make_run({"returns/var": var, "outcome/return_mean": outcome}, algorithm=algorithm)


def changes(times):
    return np.r_[around(0.7, 40), around(0.7 * times, 40)]


@pytest.mark.parametrize("times", [30.0, 1000.0, 1 / 100])
def test_warns_of_another_scale_while_nothing_is_learned(times):
    [finding] = check(run(changes(times), stuck()), "VAL007")

    assert finding.severity == "warning"
    assert 35 <= finding.span.first <= 55


def test_is_a_notice_while_the_outcome_does_well():
    [finding] = check(run(changes(1000.0), solved()), "VAL007")

    assert finding.severity == "notice"
    assert "is holding up so far" in finding.message


@pytest.mark.parametrize(
    ("var", "outcome"),
    [
        (around(0.7), stuck()),
        (changes(4.0), stuck()),
        (0.04 * np.square(learning()), learning()),
        (changes(1 / 30), solved()),
        (np.r_[around(0.1, 6), around(0.7, 74)], stuck()),
    ],
    ids=[
        "steady",
        "twice as wide",
        "grows with the return",
        "narrows as it learns",
        "only at first",
    ],
)
def test_stays_silent(var, outcome):
    assert check(run(var, outcome), "VAL007") == []


def test_survives_odd_values():
    for odd in odd_runs("returns/var", "outcome/return_mean"):
        check(odd, "VAL007")
