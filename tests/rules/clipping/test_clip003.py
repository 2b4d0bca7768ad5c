import numpy as np
import pytest
from tests.rules.policy.curves import ODD, around, learning, stuck

from runvitals.testing import check, make_run

LOW, HIGH = around(0.004), around(0.06, seed=3)
FALLING = np.linspace(1.0, 0.2, 80)


def run(low, high, outcome=None, entropy=None):
    series = {
        "policy/clip_fraction_low": low,
        "policy/clip_fraction_high": high,
        "length/response_mean": [100.0] * len(low),
    }
    if outcome is not None:
        series["reward/score_mean"] = outcome
    if entropy is not None:
        series["policy/entropy"] = entropy
    return make_run(series, every=10, algorithm="GRPO")


def test_fires_when_one_side_clips_and_entropy_falls():
    [finding] = check(run(LOW, HIGH, stuck(), FALLING), "CLIP003")

    assert finding.severity == "warning"
    assert finding.series == "policy/clip_fraction_high"
    assert "upper bound" in finding.message
    assert "entropy falls" in finding.message


@pytest.mark.parametrize(
    ("outcome", "entropy"),
    [(learning(), FALLING), (stuck(), None), (None, FALLING)],
    ids=["improves", "entropy not logged", "no outcome"],
)
def test_is_a_notice_otherwise(outcome, entropy):
    found = check(run(LOW, HIGH, outcome, entropy), "CLIP003")

    assert [one.severity for one in found] == ["notice"]


def test_the_lower_side_is_named_too():
    [finding] = check(run(HIGH, LOW, stuck(), FALLING), "CLIP003")

    assert "lower bound" in finding.message


@pytest.mark.parametrize(
    ("low", "high"),
    [(HIGH, HIGH), (LOW / 100, HIGH / 100), (LOW[:15], HIGH[:15]), (LOW, np.zeros(80))],
    ids=["both sides", "next to nothing", "too short", "not above the limit"],
)
def test_stays_silent(low, high):
    assert check(run(low, high, stuck(len(low)), FALLING[: len(low)]), "CLIP003") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run(values, values, stuck(len(values))), "CLIP003")
