import numpy as np
import pytest
from tests.rules.reward.curves import around, collapsing, learning, odd_runs, stuck

from runvitals.testing import check, make_run


def run(outcome, algorithm="PPO", **series):
    named = {name.replace("__", "/"): values for name, values in series.items()}
    return make_run({"outcome/return_mean": outcome, **named}, every=10, algorithm=algorithm)


def test_fires_on_returns_in_the_thousands_from_which_nothing_is_learned():
    [finding] = check(run(1e4 * stuck(), returns__std=around(9e4)), "REW012")

    assert finding.severity == "warning"
    assert "returns spread by about" in finding.message
    assert finding.limit.value == 1000


def test_takes_the_scale_from_the_value_loss():
    [finding] = check(run(1e4 * stuck(), value__loss=around(8e9)), "REW012")

    assert finding.series == "value/loss"


def test_sees_a_jump_of_the_scale():
    spread = np.r_[around(10.0, 48), around(300.0, 32)]

    [finding] = check(run(collapsing(), returns__std=spread), "REW012")

    assert "jumped by a factor of" in finding.message
    assert 460 <= finding.span.first <= 500


@pytest.mark.parametrize(
    ("outcome", "series"),
    [
        (1e4 * learning(), {"returns__std": around(9e4)}),
        (stuck(), {"returns__std": around(8.0)}),
        (-1300 + stuck(), {"value__loss": around(1e5)}),
        (stuck(6), {"returns__std": around(9e4, 6)}),
        (stuck(), {"value__loss": around(8e9)}),
    ],
    ids=["does well", "usual", "pendulum", "too short", "loss beyond the returns (VAL001)"],
)
def test_raises_no_alarm(outcome, series):
    assert not any(f.is_alarm for f in check(run(outcome, **series), "REW012"))


def test_survives_odd_values():
    for odd in odd_runs("outcome/return_mean", "returns/std", "value/loss"):
        check(odd, "REW012")
