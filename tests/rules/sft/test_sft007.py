import numpy as np
import pytest

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.testing import check, make_run

NOISE = 0.05 * np.random.default_rng(0).standard_normal(40)


def run(loss, metric="lm/loss"):
    return make_run({metric: loss}, algorithm="SFT")


@pytest.mark.parametrize(
    "loss",
    [
        np.linspace(-3.9, -17.6, 40),
        np.linspace(2.0, -6.0, 40) + NOISE,
        [1.0, -1.0, -2.0, -3.0, -4.0],
    ],
    ids=["from the start", "on its way", "a few points"],
)
def test_a_cross_entropy_below_zero_has_the_wrong_sign(loss):
    [finding] = check(run(loss), "SFT007")

    assert finding.severity == "critical"
    assert finding.message.endswith("but a cross-entropy cannot be below 0")
    assert judge_by_rules(run(loss), since_when=False).verdict.word == "diverged"


@pytest.mark.parametrize(
    "loss",
    [
        np.linspace(2.0, 0.5, 40) + NOISE,
        np.r_[np.geomspace(2, 0.01, 39), -1e-3],
        [0.0] * 40,
        [-1.0, 2.0],
    ],
    ids=["healthy", "rounded at the end", "zero", "came back"],
)
def test_stays_silent(loss):
    assert check(run(loss), "SFT007") == []


def test_other_losses_may_be_negative():
    assert check(run(np.linspace(2.0, -6.0, 40), "optim/loss"), "SFT007") == []
