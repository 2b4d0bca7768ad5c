import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
N = 80
NOISE = 0.03 * RNG.standard_normal(N)
FALL = np.concatenate([np.linspace(3, 1, 40), np.full(40, 1.0)]) + NOISE


def run(loss, held_out=None, **more):
    series = {"lm/loss": loss, **more}
    if held_out is not None:
        series["eval/loss"] = held_out
    return make_run(series, algorithm="SFT", config={"learning_rate": 1e-3})


def test_fires_when_all_progress_is_lost():
    loss = np.concatenate([np.linspace(3, 1, 40), np.full(40, 4.0)]) + NOISE

    [finding] = check(run(loss), "SFT002")

    assert finding.severity == "critical"
    assert finding.message.startswith("lm/loss lost 100% of what it had gained by step 41: from 1.")
    assert "this run: 0.001" in finding.advice


def test_half_of_it_is_a_warning():
    loss = np.concatenate([np.linspace(3, 1, 40), np.full(40, 2.0)]) + NOISE

    assert check(run(loss), "SFT002")[0].severity == "warning"


def test_fires_when_the_loss_shot_up_and_came_back():
    loss = np.concatenate(
        [[3.6, 3.6, 4.5], np.full(30, 30.0), np.linspace(20, 3.3, 30), np.full(10, 3.3)]
    )

    [finding] = check(run(loss), "SFT002")

    assert finding.severity == "warning"
    assert "is back at" in finding.message


@pytest.mark.parametrize(
    ("loss", "held_out"),
    [
        (FALL, None),
        (FALL + 0.2 * (np.arange(N) % 20 == 0), None),
        (np.concatenate([[14.0], FALL[1:]]), None),
        (np.where(np.arange(N) == 42, 20.0, FALL), None),
        (np.concatenate([FALL[:40], np.full(40, 2.2)]), np.linspace(3, 0.8, 10)),
        (FALL[:8], None),
        ([np.nan] * N, None),
        ([1.0] * N, None),
    ],
    ids=[
        "learning",
        "sawtooth",
        "high start",
        "one burst",
        "held out falls",
        "short",
        "all nan",
        "constant",
    ],
)
def test_stays_silent(loss, held_out):
    assert check(run(loss, held_out), "SFT002") == []


def test_leaves_the_loss_of_reinforcement_learning_alone():
    series = {"optim/loss": np.linspace(0.1, 9, N), "outcome/return_mean": np.linspace(0, 1, N)}

    assert check(make_run(series), "SFT002") == []
