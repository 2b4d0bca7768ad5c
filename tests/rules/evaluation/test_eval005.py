import numpy as np
import pytest
from tests.rules.policy.curves import ODD

from runvitals.testing import check, make_run

N = 60
NOISE = np.random.default_rng(0).standard_normal(N)
RISING = np.clip(np.linspace(0.5, 0.9, N) + 0.05 * NOISE, 0, 1)


def run(training, held_out, what="preference/accuracy", algorithm="DPO"):
    every = N // len(held_out)
    evaluations = {every * (i + 1): float(value) for i, value in enumerate(held_out)}
    return make_run({what: training, f"eval/{what}": evaluations}, algorithm=algorithm)


@pytest.mark.parametrize(
    ("what", "algorithm"), [("preference/accuracy", "DPO"), ("rm/accuracy", "Reward model")]
)
def test_fires_when_held_out_pairs_are_ranked_the_wrong_way_round(what, algorithm):
    [finding] = check(run(RISING, [0.5, 0.44, 0.42, 0.4, 0.39, 0.4], what, algorithm), "EVAL005")

    assert finding.severity == "warning"
    assert "below chance" in finding.message
    assert finding.also == (what,)


def test_fires_on_margins_of_opposite_sign():
    margin = np.linspace(0, 2, N) + 0.1 * NOISE

    [finding] = check(
        run(margin, [0.0, -0.3, -0.5, -0.6, -0.6, -0.7], "preference/margin"), "EVAL005"
    )

    assert "on held-out pairs" in finding.message


@pytest.mark.parametrize(
    ("training", "held_out", "what"),
    [
        (RISING, [0.5, 0.6, 0.65, 0.7], "preference/accuracy"),
        (RISING, [0.5, 0.48, 0.47, 0.49], "preference/accuracy"),
        (0.5 + 0.05 * NOISE, [0.4, 0.4, 0.4], "preference/accuracy"),
        (RISING, [0.2], "preference/accuracy"),
        (np.linspace(0, 2, N), [0.1, -0.4, 0.5, -0.3, 0.2, -0.3], "preference/margin"),
        (np.linspace(0, 2, N), [-0.01] * 6, "preference/margin"),
    ],
    ids=[
        "healthy",
        "chance",
        "nothing learned",
        "one evaluation",
        "margins of both signs",
        "next to nothing",
    ],
)
def test_stays_silent(training, held_out, what):
    assert check(run(training, held_out, what), "EVAL005") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    metrics = ("preference/accuracy", "eval/preference/accuracy", "preference/margin")
    check(make_run(dict.fromkeys(metrics, values), algorithm="DPO"), "EVAL005")
