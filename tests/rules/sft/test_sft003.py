import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
LOSS = np.linspace(2, 0.5, 80) + 0.02 * RNG.standard_normal(80)
TURNS = np.concatenate([np.linspace(2, 1.5, 6), np.linspace(1.52, 1.9, 10)])

HARDLY = np.concatenate([np.linspace(2, 1.5, 6), np.linspace(1.5, 1.58, 10)])


def run(held_out, loss=LOSS, **more):
    return make_run({"lm/loss": loss, "eval/loss": held_out, **more}, algorithm="SFT")


def test_fires_when_held_out_loss_rises_again():
    [finding] = check(run(TURNS), "SFT003")

    assert finding.severity == "warning"
    assert ", but eval/loss rose again from 1.5" in finding.message
    assert "keep the checkpoint" in finding.advice


def test_a_score_at_its_best_makes_it_a_notice():
    [finding] = check(run(TURNS, **{"eval/score_mean": np.linspace(0.2, 0.9, 16)}), "SFT003")

    assert finding.severity == "notice"
    assert finding.message.startswith("held-out loss rose from 1.5")


@pytest.mark.parametrize(("held_out", "severity"), [(TURNS, "warning"), (HARDLY, "notice")])
def test_a_held_out_accuracy_that_only_holds_excuses_little(held_out, severity):
    accuracy = {
        "supervised/accuracy": np.linspace(0.8, 0.93, 80) + 0.005 * RNG.standard_normal(80),
        "eval/supervised/accuracy": 0.885 + 0.008 * RNG.standard_normal(16),
    }

    [finding] = check(run(held_out, **accuracy), "SFT003")

    assert finding.severity == severity


def test_fires_on_samples_known_by_heart():
    loss = np.geomspace(1, 1e-4, 80)
    epochs = {"progress/epoch": np.linspace(0, 200, 80)}

    [finding] = check(run([0.2] * 16, loss, **epochs), "SFT003")

    assert finding.message.endswith("but eval/loss is 0.2 in all 16 rows")


@pytest.mark.parametrize(
    "held_out",
    [1.5 + 0.03 * RNG.standard_normal(16), [1.5] * 16, [1.5, 1.4, 1.6, 1.9]],
    ids=["stands still", "constant", "four evaluations"],
)
def test_fires_when_held_out_loss_never_falls_while_training_loss_does(held_out):
    [finding] = check(run(held_out), "SFT003")

    assert finding.severity == "warning"
    assert finding.message.startswith("lm/loss fell from ")
    assert ", but eval/loss " in finding.message


@pytest.mark.parametrize(
    "held_out",
    [
        np.linspace(2, 1.2, 16),
        np.concatenate([np.linspace(2, 1.5, 8), np.full(8, 1.51)]),
        [1.5, 1.4, 1.45],
        [1.5, 1.4],
        [np.nan] * 16,
    ],
    ids=["falls", "levels off", "hardly turns", "few evaluations", "all nan"],
)
def test_stays_silent(held_out):
    assert check(run(held_out), "SFT003") == []
