import numpy as np
import pytest

from runvitals.testing import check, make_run


def run(loss, algorithm="SFT", **more):
    return make_run({"lm/loss": loss, **more}, algorithm=algorithm)


def test_fires_on_a_loss_of_zero_from_the_start():
    [finding] = check(run([0.0] * 30), "SFT004")

    assert finding.severity == "critical"
    assert finding.message == "the loss is exactly 0 at 30 points from the start"


def test_fires_when_the_loss_drops_to_zero_at_once():
    [finding] = check(run([1.2, 1.1, 1.0] + [0.0] * 20), "SFT004")

    assert finding.message.endswith("it was 1 before")
    assert finding.causes[0] == "overflow hidden by a filter"


def test_fires_on_a_token_accuracy_of_zero():
    assert check(run([2.0] * 30, **{"lm/token_accuracy": [0.0] * 30}), "SFT004")


@pytest.mark.parametrize(
    "loss",
    [
        np.linspace(2, 1, 30),
        list(np.geomspace(2, 0.001, 30)) + [0.0] * 10,
        [1.0] * 10 + [0.0] * 6 + [1.0] * 10,
        [0.03] + [0.0] * 30,
        [0.0] * 3,
        [np.nan] * 30,
    ],
    ids=["learning", "memorised", "came back", "known by heart", "too short", "all nan"],
)
def test_stays_silent(loss):
    assert check(run(loss), "SFT004") == []


def test_leaves_reinforcement_learning_alone():
    series = {"optim/loss": [0.0] * 30, "reward/score_mean": [0.1] * 30}

    assert check(make_run(series), "SFT004") == []
