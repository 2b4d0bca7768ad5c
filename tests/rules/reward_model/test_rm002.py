import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
N = 60
NOISE = 0.05 * RNG.standard_normal(N)


def run(**series):
    return make_run({f"rm/{k}": v for k, v in series.items()}, algorithm="Reward")


def test_fires_when_the_margin_is_gone():
    margin = np.concatenate([np.linspace(0, 2, 30), np.zeros(30)]) + NOISE / 10

    [finding] = check(run(margin=margin), "RM002")

    assert finding.severity == "warning"
    assert finding.message.startswith("margin fell from 1.")


def test_fires_when_accuracy_is_gone():
    accuracy = np.concatenate([np.linspace(0.5, 0.85, 30), np.full(30, 0.5)]) + NOISE / 3

    assert "accuracy fell from 0.8" in check(run(accuracy=accuracy), "RM002")[0].message


@pytest.mark.parametrize(
    "margin",
    [
        np.linspace(0, 2, N) + NOISE,
        np.concatenate([np.linspace(0, 2, 30), np.linspace(2, 1, 30)]),
        0.05 * RNG.standard_normal(N),
        [1.0] * 5 + [0.0] * 5,
        [np.nan] * N,
        [1.0] * N,
    ],
    ids=["learning", "half left", "never there", "too short", "all nan", "constant"],
)
def test_stays_silent(margin):
    assert check(run(margin=margin), "RM002") == []
