import numpy as np
import pytest
from tests.rules.reward.curves import learning, odd_runs, stuck

from runvitals.testing import check, make_run

T = np.linspace(0, 1, 80)


def run(outcome, **series):
    named = {f"net/{name}": values for name, values in series.items()}
    return make_run({"outcome/return_mean": outcome, **named}, every=10, algorithm="DQN")


def test_warns_when_most_units_sleep_and_nothing_is_learned():
    [finding] = check(run(stuck(), dormant_fraction=0.1 + 0.6 * T), "NET001")

    assert finding.severity == "warning"
    assert "of the units are dormant" in finding.message


def test_is_a_notice_while_it_does_well():
    [finding] = check(run(learning(), dormant_fraction=0.1 + 0.6 * T), "NET001")

    assert finding.severity == "notice"


def test_sees_the_rank_of_the_features_fall():
    [finding] = check(run(stuck(), effective_rank=60 - 45 * T), "NET001")

    assert "effective rank" in finding.message


@pytest.mark.parametrize(
    "share",
    [np.full(80, 0.1), np.full(80, 0.3), 0.6 * T[:10], 50 * T],
    ids=["few", "steady", "too short", "not a share"],
)
def test_stays_silent(share):
    assert check(run(stuck(len(share)), dormant_fraction=share), "NET001") == []


def test_survives_odd_values():
    for odd in odd_runs("net/dormant_fraction", "net/effective_rank", "outcome/return_mean"):
        check(odd, "NET001")
