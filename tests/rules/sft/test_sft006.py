import math

import numpy as np
import pytest
from tests.rules.policy.curves import ODD

from runvitals.testing import check, make_run

N = 40
NOISE = np.random.default_rng(0).standard_normal(N)


def run(loss, config=None, algorithm="SFT", **more):
    return make_run({"lm/loss": loss, **more}, algorithm=algorithm, config=config)


def test_fires_at_the_logarithm_of_the_vocabulary():
    loss = math.log(50_257) + 0.02 * NOISE

    [finding] = check(run(loss, {"vocab_size": 50_257}), "SFT006")

    assert finding.severity == "warning"
    assert "guessing among 50,257 choices" in finding.message


@pytest.mark.parametrize("choices", [2, 6, 10])
def test_a_small_number_of_choices_is_told_by_the_loss_itself(choices):
    loss = math.log(choices) * (1 - 0.008 * np.linspace(0, 1, N)) + 0.001 * NOISE

    [finding] = check(run(loss), "SFT006")

    assert f"ln {choices} =" in finding.message


def test_five_points_are_enough():
    assert check(run([1.792, 1.7915, 1.792, 1.7917, 1.791]), "SFT006")


@pytest.mark.parametrize(
    ("loss", "config"),
    [
        (math.log(6) * np.linspace(1, 0.5, N), None),
        (np.linspace(10.8, 3.0, N), {"vocab_size": 50_257}),
        (1.5 + 0.01 * NOISE, None),
        (np.linspace(3.2, math.log(4), N), {"num_labels": 4}),
        (10.82 + 0.02 * NOISE, None),
        ([1.7918] * 4, None),
        (np.linspace(3.178, 3.10, N), None),
    ],
    ids=[
        "learns",
        "learns from scratch",
        "no logarithm",
        "came down to it",
        "unknown and large",
        "too short",
        "falls by more",
    ],
)
def test_stays_silent(loss, config):
    assert check(run(loss, config), "SFT006") == []


def test_the_very_start_says_nothing():
    begun = make_run(
        {"lm/loss": math.log(6) + 0.001 * NOISE},
        algorithm="SFT",
        status="running",
        total_steps=100 * N,
    )

    assert check(begun, "SFT006") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run(values, {"vocab_size": 6}, **{"eval/lm/loss": values}), "SFT006")


def test_an_accuracy_of_one_in_k_says_how_many_classes_there_are():
    """The loss comes down from far above, and ends no better than guessing."""
    loss = np.maximum(12 * np.exp(-np.linspace(0, 9, N)), 1.12) + 0.01 * np.abs(NOISE)
    series = {"optim/loss": loss, "supervised/accuracy": 0.335 + 0.004 * NOISE}

    [finding] = check(make_run(series), "SFT006")

    assert "no better than guessing among 3 choices" in finding.message


def test_an_accuracy_that_rose_to_one_in_k_is_learned():
    """Half of a hundred classes told is no guess, though the loss is above ln 2."""
    loss = np.linspace(4.6, 2.0, N) + 0.01 * np.abs(NOISE)
    series = {"optim/loss": loss, "supervised/accuracy": np.linspace(0.01, 0.5, N)}

    assert check(make_run(series), "SFT006") == []
