import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
N = 60
PERFECT = np.minimum(1.0, np.linspace(0.6, 2.0, N))
HELD_OUT = np.round((0.76 + 0.005 * RNG.standard_normal(15)) * 512) / 512


def run(accuracy, held_out, loss=None):
    series = {"rm/accuracy": accuracy, "eval/rm/accuracy": held_out}
    if loss is not None:
        series["eval/rm/loss"] = loss
    return make_run(series, algorithm="Reward")


def test_fires_when_held_out_pairs_do_not_follow():
    [finding] = check(run(PERFECT, HELD_OUT, np.linspace(0.5, 0.9, 15)), "RM004")

    assert finding.severity == "warning"
    assert finding.message.startswith(
        "100% of the training pairs but only 76% of the held-out pairs"
    )


def test_fires_when_held_out_pairs_stay_at_chance():
    [finding] = check(run(PERFECT, HELD_OUT - 0.26), "RM004")

    assert finding.severity == "warning"
    assert ", but eval/rm/accuracy " in finding.message


@pytest.mark.parametrize(
    ("accuracy", "held_out", "loss"),
    [
        (PERFECT, np.linspace(0.6, 0.97, 15), np.linspace(0.69, 0.2, 15)),
        (PERFECT, RNG.binomial(20, 0.93, 15) / 20, None),
        (PERFECT, np.round((0.92 + 0.005 * RNG.standard_normal(15)) * 512) / 512, [0.4] * 15),
        (PERFECT, HELD_OUT[:3], None),
        ([np.nan] * N, [np.nan] * 15, None),
    ],
    ids=["follows", "small set", "modest gap", "few evaluations", "all nan"],
)
def test_stays_silent(accuracy, held_out, loss):
    assert check(run(accuracy, held_out, loss), "RM004") == []
