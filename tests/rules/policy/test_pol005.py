import numpy as np
import pytest
from tests.rules.policy.curves import ODD, learning, solved, stuck

from runvitals.testing import check, make_run


def run(shares, outcome=None):
    series = {
        f"policy/action_share{{action={i}}}": row for i, row in enumerate(np.transpose(shares))
    }
    if outcome is not None:
        series["outcome/return_mean"] = outcome
    return make_run(series, every=10, algorithm="PPO")


def mostly(share, n=80):
    return [[share, (1 - share) / 2, (1 - share) / 2]] * n


def test_fires_when_one_action_takes_all():
    [finding] = check(run([*mostly(0.4, 30), *mostly(0.99, 50)], stuck()), "POL005")

    assert finding.severity == "warning"
    assert finding.message == "one of 3 actions takes 99.0% of the choices"
    assert (finding.span.first, finding.span.last) == (310, 800)


def test_counts_are_as_good_as_shares():
    assert len(check(run([[2000.0, 3.0]] * 80, stuck()), "POL005")) == 1


def test_without_an_outcome_it_is_a_notice():
    assert [one.severity for one in check(run(mostly(0.99)), "POL005")] == ["notice"]


@pytest.mark.parametrize(
    ("shares", "outcome"),
    [
        (mostly(0.99), learning()),
        (mostly(0.99), solved()),
        (mostly(0.9), stuck()),
        (mostly(0.99, 8), stuck(8)),
        ([[0.99]] * 80, stuck()),
    ],
    ids=["improves", "solved", "less", "too short", "a single action was logged"],
)
def test_stays_silent(shares, outcome):
    assert check(run(shares, outcome), "POL005") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run([[value, value] for value in values], stuck(len(values))), "POL005")
