import pytest
from tests.rules.reward.curves import around, learning, odd_runs, stuck

from runvitals.testing import check, make_run

SPIKED = around(1.0)
SPIKED[[40, 50, 60, 70]] = 30.0


def run(outcome, **series):
    named = {f"advantage/{name}": values for name, values in series.items()}
    return make_run({"outcome/return_mean": outcome, **named}, every=10, algorithm="PPO")


def test_warns_of_raw_advantages():
    [finding] = check(run(stuck(), std=around(500.0)), "ADV002")

    assert finding.severity == "warning"
    assert "not normalised" in finding.message


def test_warns_of_repeated_jumps():
    [finding] = check(run(stuck(), std=SPIKED), "ADV002")

    assert finding.severity == "warning"
    assert (finding.span.first, finding.span.last) == (410, 710)


@pytest.mark.parametrize("std", [SPIKED, around(500.0)], ids=["jumps", "raw"])
def test_is_a_notice_while_it_does_well(std):
    [finding] = check(run(learning(), std=std), "ADV002")

    assert finding.severity == "notice"


@pytest.mark.parametrize(
    ("outcome", "series"),
    [
        (stuck(), {"std": around(1.0)}),
        (stuck(20), {"std": around(500.0, 20)}),
        (stuck(), {"std": around(1.0), "max": around(4.0)}),
    ],
    ids=["steady", "too short", "usual maximum"],
)
def test_stays_silent(outcome, series):
    assert check(run(outcome, **series), "ADV002") == []


def test_survives_odd_values():
    for odd in odd_runs("advantage/std", "advantage/max", "outcome/return_mean"):
        check(odd, "ADV002")
