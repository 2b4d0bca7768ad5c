import numpy as np
import pytest
from tests.rules.performance.plant import labelled
from tests.rules.policy.curves import ODD, learning, stuck

from runvitals.testing import check


def run(*shares, outcome=None, name="action_replica"):
    n = len(shares[0])
    series = {
        f"{name}_{i}": ("policy/action_share", {"action": str(i)}, values)
        for i, values in enumerate(shares)
    }
    score = ("eval/score_mean", {}, stuck(n) if outcome is None else outcome)
    return labelled({**series, "score": score})


def going(first, last, n=60):
    return [np.linspace(a, b, n) for a, b in zip(first, last, strict=True)]


EVEN = (0.2, 0.4, 0.2, 0.2)


def test_fires_when_one_replica_gets_all():
    [finding] = check(run(*going(EVEN, (0.0, 1.0, 0.0, 0.0), 90)), "LOAD004")

    assert finding.severity == "warning"
    assert finding.series == "action_replica_1"
    assert "of 4" in finding.message


def test_fires_when_a_replica_is_given_up():
    shares = [np.repeat([a, b], 40) for a, b in zip(EVEN, (0.01, 0.45, 0.27, 0.27), strict=True)]

    [finding] = check(run(*shares), "LOAD004")

    assert finding.series == "action_replica_0"
    assert "1.0%" in finding.message


def test_fires_on_a_warm_start_that_did_not_take():
    shares = [np.repeat([a, b], 40) for a, b in zip((1.0, 0.0, 0.0, 0.0), EVEN, strict=True)]

    [finding] = check(run(*shares, outcome=learning()), "LOAD004")

    assert finding.severity == "warning"
    assert finding.span.first == 1


def test_a_good_outcome_makes_it_a_notice():
    shares = going(EVEN, (0.0, 1.0, 0.0, 0.0), 90)

    [finding] = check(run(*shares, outcome=learning(90)), "LOAD004")

    assert finding.severity == "notice"


def test_silent_on_fair_shares_and_on_other_actions():
    assert check(run(*going(EVEN, EVEN)), "LOAD004") == []
    assert check(run(*going(EVEN, (0.0, 1.0, 0.0, 0.0), 90), name="left"), "LOAD004") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, values, values, outcome=values), "LOAD004") == []
