import numpy as np
import pytest
from tests.rules.reward.curves import learning, odd_runs, stuck, wandering

from runvitals.testing import check, make_run


def run(clipped, outcome):
    return make_run(
        {"value/clip_fraction": clipped, "outcome/return_mean": outcome}, algorithm="PPO"
    )


def test_warns_of_many_clipped_updates():
    [finding] = check(run(0.3 + 0.02 * wandering(), stuck()), "VAL005")

    assert finding.severity == "warning"
    assert finding.message.startswith("30% of the value predictions")


def test_is_no_alarm_while_it_does_well():
    [finding] = check(run(0.7 + 0.02 * wandering(), learning()), "VAL005")

    assert finding.severity == "notice"


@pytest.mark.parametrize(
    "clipped",
    [np.full(80, 0.05), [0.9] * 50 + [0.01] * 30, [0.9] * 8],
    ids=["low", "over", "too short"],
)
def test_stays_silent(clipped):
    assert check(run(clipped, stuck(len(clipped))), "VAL005") == []


def test_survives_odd_values():
    for odd in odd_runs("value/clip_fraction", "outcome/return_mean"):
        check(odd, "VAL005")
