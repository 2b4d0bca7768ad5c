import numpy as np
import pytest
from tests.rules.reward.curves import around, learning, odd_runs, solved, stuck, wandering

from runvitals.testing import check, make_run


def run(outcome, **series):
    named = {f"advantage/{name}": values for name, values in series.items()}
    return make_run({"outcome/return_mean": outcome, **named}, every=10, algorithm="PPO")


def test_fires_on_a_collapse():
    [finding] = check(run(stuck(), std=np.r_[around(1.0, 50), np.full(30, 1e-6)]), "ADV001")

    assert finding.severity == "warning"
    assert "collapsed" in finding.message
    assert finding.span.first == 510


def test_warns_of_a_mean_beyond_a_spread():
    [finding] = check(run(stuck(), mean=2 + 0.1 * wandering(), std=np.full(80, 1.0)), "ADV001")

    assert finding.severity == "warning"
    assert finding.series == "advantage/mean"


def test_notes_an_offset_while_the_outcome_does_well_and_warns_where_it_suffers():
    [well] = check(run(learning(), mean=0.7 + 0.02 * wandering(), std=np.full(80, 1.0)), "ADV001")
    [sick] = check(run(stuck(), mean=0.7 + 0.02 * wandering(), std=np.full(80, 1.0)), "ADV001")

    assert (well.severity, sick.severity) == ("notice", "warning")
    assert "is holding up so far" in well.message


def test_takes_advantages_as_normalised_where_no_spread_was_logged():
    [finding] = check(run(stuck(), mean=0.6 + 0.05 * wandering()), "ADV001")

    assert finding.severity == "warning"


def test_tells_a_mean_that_changes_its_side():
    mean = np.r_[np.full(40, 0.35), np.full(40, -0.35)] + 0.03 * wandering()

    [finding] = check(run(stuck(), mean=mean, std=np.full(80, 1.0)), "ADV001")

    assert "changes sign" in finding.message


@pytest.mark.parametrize(
    ("outcome", "series"),
    [
        (solved(), {"std": np.r_[around(1.0, 50), np.full(30, 1e-6)]}),
        (learning(), {"mean": 2 + 0.1 * wandering(), "std": np.full(80, 1.0)}),
        (stuck(), {"mean": 0.1 * wandering(), "std": np.full(80, 1.0)}),
        (stuck(10), {"std": np.full(10, 1e-9)}),
    ],
    ids=["solved", "off centre while it learns", "centred", "too short"],
)
def test_raises_no_alarm(outcome, series):
    assert not any(f.is_alarm for f in check(run(outcome, **series), "ADV001"))


def test_survives_odd_values():
    for odd in odd_runs("advantage/mean", "advantage/std", "outcome/return_mean"):
        check(odd, "ADV001")
