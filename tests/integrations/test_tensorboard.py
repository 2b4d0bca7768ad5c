"""`SummaryWriter`, used as CleanRL and others use it."""

from __future__ import annotations

import numpy as np
import pytest

import runvitals as rv
from runvitals.integrations.tensorboard import SummaryWriter

QUIET = {"console": False, "system": False, "tensorboard": False}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    rv.finish()


def test_a_script_in_the_style_of_cleanrl_needs_only_the_import():
    writer = SummaryWriter("runs/CartPole-v1__ppo__1", console=False, system=False)
    writer.add_text(
        "hyperparameters",
        "|param|value|\n|-|-|\n|exp_name|ppo|\n|learning_rate|0.00025|\n|gamma|0.99|\n|clip_coef|0.2|",
    )
    for step in range(128, 128 * 21, 128):
        writer.add_scalar("charts/episodic_return", 20.0 + step / 100, step)
        writer.add_scalar("charts/learning_rate", 2.5e-4, step)
        writer.add_scalar("losses/approx_kl", np.float32(0.01), step)
        writer.add_scalar("losses/entropy", 0.6, step)
        writer.add_scalar("charts/SPS", 1000, step)
    writer.close()

    run = rv.open_run("runs/CartPole-v1__ppo__1")
    assert (run.name, run.status) == ("CartPole-v1__ppo__1", "finished")
    assert (run.framework, run.algorithm) == ("cleanrl", "PPO")
    assert run.settings["learning_rate"] == 2.5e-4
    assert run.settings["clip_range"] == 0.2
    assert run["policy/approx_kl"].steps.tolist() == list(range(128, 128 * 21, 128))
    assert list((run.path / "tensorboard").glob("*tfevents*")), "TensorBoard still finds its files"


def test_everything_else_that_a_writer_takes():
    with SummaryWriter(logdir="runs/x", flush_secs=30, **QUIET) as writer:
        writer.add_scalars("loss", {"train": 1.0, "val": 2.0}, 3)
        writer.add_histogram("weights", np.arange(100.0), 3)
        writer.add_text("note", "all is well", 3)
        writer.add_hparams({"lr": 0.1}, {"hparam/accuracy": 0.5})
        writer.flush()
        assert writer.get_logdir() == writer.logdir == str(writer.run.folder)

    run = rv.open_run("runs/x")
    assert run.names() == ["loss/train", "loss/val", "hparam/accuracy"]
    assert run.config == {"lr": 0.1}
    assert {type(event).__name__ for event in run.events()} == {"Histogram", "Text"}


def test_without_a_step_values_of_a_name_are_counted():
    with SummaryWriter("runs/x", **QUIET) as writer:
        for value in (3.0, 2.0, 1.0):
            writer.add_scalar("loss", value)
            writer.add_scalar("accuracy", 1 / value)

    run = rv.open_run("runs/x")
    assert run["loss"].steps.tolist() == [0, 1, 2]


def test_what_is_not_recorded_is_said_once_and_what_is_no_method_is_an_error(capfd):
    with SummaryWriter("runs/x", **QUIET) as writer:
        writer.add_image("picture", np.zeros((3, 2, 2)), 0)
        writer.add_image("picture", np.zeros((3, 2, 2)), 1)
        with pytest.raises(AttributeError, match="add_scaler"):
            writer.add_scaler("loss", 1.0)

    assert capfd.readouterr().err.count("add_image() is accepted, but not recorded") == 1


def test_two_writers_are_two_runs_and_both_write_into_a_run_of_the_user():
    with SummaryWriter("runs/a", **QUIET) as one, SummaryWriter("runs/b", **QUIET) as other:
        one.add_scalar("loss", 1.0, 0)
        other.add_scalar("loss", 2.0, 0)
    assert [rv.open_run(f"runs/{k}")["loss"].last for k in "ab"] == [1.0, 2.0]

    with rv.init(project="mine", **QUIET) as mine:
        for name in ("c", "d"):
            SummaryWriter(f"runs/{name}").add_scalar(name, 3.0, 0)
    assert set(rv.open_run(mine.folder).names()) == {"c", "d"}


def test_a_script_that_is_started_again_goes_on_in_its_folder():
    for first in (0, 5):
        with SummaryWriter("runs/x", **QUIET) as writer:
            for step in range(first, first + 10):
                writer.add_scalar("loss", float(first), step)

    steps = rv.open_run("runs/x")["loss"].steps.tolist()
    assert steps == list(range(15))
