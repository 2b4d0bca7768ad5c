import numpy as np
import pytest
from tests.rules.performance.plant import labelled, noisy
from tests.rules.policy.curves import ODD, learning, stuck

from runvitals.testing import check


def run(penalty, outcome=None):
    n = len(penalty)
    return labelled(
        {
            "balance_penalty": ("reward/component_mean", {"component": "balance_penalty"}, penalty),
            "reward": ("reward/mean", {}, noisy(0.5, n, 3)),
            "score": ("eval/score_mean", {}, stuck(n) if outcome is None else outcome),
        }
    )


def test_fires_on_a_penalty_that_stays():
    [finding] = check(run(noisy(0.5)), "LOAD003")

    assert finding.severity == "warning"
    assert "of all reward terms" in finding.message
    assert finding.span.first == 1


def test_fires_on_one_that_came_late():
    late = np.where(np.arange(200) < 170, noisy(0.01, 200), noisy(0.5, 200))

    [finding] = check(run(late), "LOAD003")

    assert finding.severity == "warning"
    assert 165 <= finding.span.first <= 175


def test_a_good_outcome_makes_it_a_notice():
    [finding] = check(run(noisy(0.5), learning(100)), "LOAD003")

    assert finding.severity == "notice"


def test_a_penalty_that_falls_is_a_notice():
    [finding] = check(run(np.linspace(1.0, 0.2, 100)), "LOAD003")

    assert finding.severity == "notice"


def test_silent_on_a_small_penalty():
    assert check(run(noisy(0.01)), "LOAD003") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    found = check(run(values), "LOAD003")

    assert all(finding.span.count >= 15 for finding in found)
