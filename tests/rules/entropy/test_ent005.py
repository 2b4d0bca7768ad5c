import numpy as np
import pytest
from tests.rules.policy.curves import ODD, learning, solved, stuck

from runvitals.testing import check, make_run

USUAL = np.concatenate([np.linspace(1.0, 0.05, 20), np.full(80, 0.05)])


def run(epsilon, outcome=None, *, total_steps=None, status="finished"):
    series = {"explore/epsilon": epsilon}
    if outcome is not None:
        series["outcome/return_mean"] = outcome
    return make_run(series, every=10, algorithm="DQN", total_steps=total_steps, status=status)


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [
        ([1.0] * 100, "never below 1"),
        ([0.0] * 100, "at most 0 after 1%"),
        ([1.0, *[0.05] * 199], "at most 0.05 after 1%"),
        (np.linspace(0.05, 1.0, 100), "rises from"),
    ],
    ids=["always random", "never random", "at once", "the wrong way"],
)
def test_fires_without_progress(epsilon, said):
    [finding] = check(run(epsilon, stuck(len(epsilon))), "ENT005")

    assert finding.severity == "warning"
    assert said in finding.message
    assert (finding.span.first, finding.span.last) == (10, 10 * len(epsilon))


@pytest.mark.parametrize(
    ("epsilon", "outcome", "about"),
    [
        (USUAL, stuck(100), {}),
        ([1.0] * 100, learning(100), {}),
        ([0.0] * 100, solved(100), {}),
        ([1.0] * 15, stuck(15), {}),
        ([1.0] * 40, stuck(40), {"total_steps": 10_000, "status": "running"}),
        (np.linspace(1.0, 0.05, 100), stuck(100), {}),
    ],
    ids=["usual", "improves", "noisy networks", "too short", "early", "slow"],
)
def test_stays_silent(epsilon, outcome, about):
    assert check(run(epsilon, outcome, **about), "ENT005") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run(values, stuck(len(values))), "ENT005")
