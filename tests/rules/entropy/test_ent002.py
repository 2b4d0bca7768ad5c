import numpy as np
import pytest
from tests.rules.policy.curves import ODD, around, learning, stuck

from runvitals.testing import check, make_run


def run(entropy, outcome=None, *, config=None, **more):
    series = {"policy/entropy": entropy, **more}
    if outcome is not None:
        series["outcome/return_mean"] = outcome
    return make_run(series, every=10, algorithm="PPO", config=config)


def test_fires_below_the_floor_of_the_run():
    entropy = [*[0.9] * 40, *[0.3] * 40]

    [finding] = check(run(entropy, learning(), config={"entropy_min": 0.5}), "ENT002")

    assert finding.severity == "warning"
    assert (finding.span.first, finding.span.last) == (410, 800)
    assert "below 0.5 in 40 updates" in finding.message


def test_your_floor_counts():
    assert len(check(run([0.3] * 80), "ENT002", floor=0.5)) == 1


def test_a_policy_that_was_certain_from_the_start_is_found():
    [finding] = check(run(around(1e-4), stuck()), "ENT002")

    assert finding.severity == "warning"


def test_the_number_of_actions_sets_the_limit():
    shares = {f"policy/action_share{{action={i}}}": [0.25] * 80 for i in range(4)}

    [finding] = check(run([0.3] * 80, stuck(), **shares), "ENT002")

    assert finding.limit is not None
    assert finding.limit.value == pytest.approx(0.3 * np.log(4))


@pytest.mark.parametrize(
    ("entropy", "outcome", "config"),
    [
        ([0.6] * 80, stuck(), {"entropy_min": 0.5}),
        ([*[0.4] * 6, *[0.9] * 74], stuck(), {"entropy_min": 0.5}),
        (around(1e-4), learning(), None),
        (around(1e-4), None, None),
        (np.linspace(0.69, 0.001, 80), stuck(), None),
        (np.linspace(-1.0, -3.0, 80), stuck(), None),
        ([0.001] * 8, stuck(8), None),
    ],
    ids=[
        "above the floor",
        "warm-up",
        "does well",
        "no outcome",
        "fell later",
        "continuous",
        "too short",
    ],
)
def test_stays_silent(entropy, outcome, config):
    assert check(run(entropy, outcome, config=config), "ENT002") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run(values, stuck(len(values)), config={"entropy_min": "low"}), "ENT002")
