"""Logs that real trainers write here and now, read back and compared with independent readers."""

from __future__ import annotations

import contextlib
import csv
import json
import subprocess
import sys
import time

import numpy as np
import pytest

import runvitals as rv
from runvitals.model import ReadError

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("ignore")]

SB3 = """
import sys
import gymnasium as gym
import torch
import stable_baselines3 as sb3
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.monitor import Monitor

torch.set_num_threads(1)
folder, algorithm, env, steps = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
settings = {"n_steps": 128} if algorithm == "PPO" else {"learning_starts": 100}
env_here = Monitor(gym.make(env), folder + "/monitor.csv")
model = getattr(sb3, algorithm)("MlpPolicy", env_here, **settings)
model.set_logger(configure(folder, ["stdout", "csv", "json", "tensorboard", "log"]))
evaluation = EvalCallback(
    Monitor(gym.make(env)), eval_freq=steps // 4, n_eval_episodes=2, verbose=0,
    log_path=folder + "/eval",
)
model.learn(steps, callback=evaluation, log_interval=1)
"""


def started(script, folder, *arguments):
    """The trainer at work, its output captured in its folder as people do."""
    folder.mkdir(parents=True)
    with (folder / "console.log").open("w") as console:
        return subprocess.Popen(
            [sys.executable, "-c", script, str(folder), *map(str, arguments)],
            stdout=console,
            stderr=subprocess.STDOUT,
        )


def tensorboard_scalars(folder):
    module = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", reason="needs tensorboard"
    )
    reader = module.EventAccumulator(str(folder), size_guidance={"scalars": 0})
    reader.Reload()
    return {tag: reader.Scalars(tag) for tag in reader.Tags()["scalars"]}


def same_points(run, other):
    for name in other.names():
        mine, theirs = run.points.column(name), other.points.column(name)
        assert mine[0].tolist() == theirs[0].tolist(), name
        np.testing.assert_allclose(mine[2], theirs[2], rtol=2e-3, err_msg=name)


@pytest.mark.parametrize(
    ("algorithm", "env", "steps", "named"),
    [
        ("PPO", "CartPole-v1", 2048, "PPO"),
        ("DQN", "CartPole-v1", 1500, "DQN"),
        ("TD3", "Pendulum-v1", 600, "TD3 or DDPG"),
    ],
)
def test_stable_baselines_with_all_loggers_is_one_run_also_while_it_trains(
    tmp_path, algorithm, env, steps, named
):
    pytest.importorskip("stable_baselines3", reason="needs stable-baselines3")
    pytest.importorskip("gymnasium", reason="needs gymnasium")
    folder = tmp_path / "run"
    trainer = started(SB3, folder, algorithm, env, steps)
    live = None
    while trainer.poll() is None:
        if live is None:
            with contextlib.suppress(ReadError):
                live = rv.open_run(folder)
        else:
            live.refresh()
        time.sleep(0.05)
    assert trainer.returncode == 0, (folder / "console.log").read_text()

    [run] = rv.open_runs(tmp_path)

    assert (run.id, run.framework, run.algorithm) == ("run", "stable-baselines3", named)
    assert run.warnings == []
    with (folder / "progress.csv").open() as file:
        rows = list(csv.DictReader(file))
    for name in rows[0]:
        expected = [(int(r["time/total_timesteps"]), float(r[name])) for r in rows if r[name]]
        found, _, values = run.points.column(name)
        assert [(int(s), v) for s, v in zip(found, values, strict=True)] == expected, name
    for tag, scalars in tensorboard_scalars(folder).items():
        found, _, values = rv.open_run(next(folder.glob("*tfevents*"))).points.column(tag)
        assert found.tolist() == [event.step for event in scalars]
        np.testing.assert_array_equal(values, [event.value for event in scalars])
    archive = np.load(folder / "eval" / "evaluations.npz")
    assert run["eval/return_mean"].steps.tolist() == archive["timesteps"].tolist()
    np.testing.assert_allclose(run["eval/return_mean"].values, archive["results"].mean(axis=1))
    if algorithm == "PPO":
        logged = [-float(r["train/entropy_loss"]) for r in rows if r["train/entropy_loss"]]
        np.testing.assert_allclose(run["policy/entropy"].values, logged)
    assert live is not None
    live.refresh()
    same_points(live, run)
    assert (live.framework, live.algorithm) == (run.framework, run.algorithm)
    assert set(live.metrics()) == set(run.metrics())


TRAINER = """
import sys
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

torch.set_num_threads(1)

class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 32
    def __getitem__(self, i):
        ids = torch.arange(i, i + 6) % 20
        return {"input_ids": ids, "labels": ids}

def train(steps, resume):
    model = GPT2LMHeadModel(GPT2Config(vocab_size=20, n_positions=16, n_embd=8, n_layer=1, n_head=1))
    settings = TrainingArguments(
        sys.argv[1], max_steps=steps, per_device_train_batch_size=4, logging_steps=1, save_steps=4,
        eval_strategy="steps", eval_steps=4, report_to="tensorboard", use_cpu=True,
    )
    trainer = Trainer(model, settings, train_dataset=Numbers(), eval_dataset=Numbers())
    trainer.train(resume_from_checkpoint=resume)

train(12, None)
import time; time.sleep(1.1)  # the folder of the second start is named by the second
train(20, True)
"""


def test_a_resumed_hugging_face_trainer_is_one_run(tmp_path):
    pytest.importorskip("transformers", reason="needs transformers")
    pytest.importorskip("tensorboard", reason="needs tensorboard")
    folder = tmp_path / "out"
    trainer = started(TRAINER, folder)
    assert trainer.wait(900) == 0, (folder / "console.log").read_text()[-2000:]

    [run] = rv.open_runs(tmp_path)
    console = rv.open_run(folder / "console.log")

    assert (run.name, run.framework, run.algorithm) == ("out", "transformers", "SFT")
    assert (run.status, run.warnings) == ("finished", [])
    newest = folder / "checkpoint-20" / "trainer_state.json"
    history = json.loads(newest.read_text())["log_history"]
    for name in ("loss", "eval_loss", "learning_rate", "grad_norm"):
        rows = [(row["step"], row[name]) for row in history if name in row]
        found, _, values = run.points.column(name)
        assert list(zip(found.tolist(), values.tolist(), strict=True)) == rows
    assert run["loss"].steps.tolist() == list(range(1, 21))
    assert run.settings["learning_rate"] == 5e-5
    for name in ("loss", "eval_loss"):
        assert console[name].steps.tolist() == run[name].steps.tolist()
        np.testing.assert_allclose(console[name].values, run[name].values, rtol=1e-3)


def test_scalars_and_hparams_of_pytorch_are_one_run(tmp_path):
    writers = pytest.importorskip("torch.utils.tensorboard", reason="needs torch and tensorboard")
    with writers.SummaryWriter(str(tmp_path / "run")) as writer:
        for step in range(5):
            writer.add_scalar("loss/train", 1 / (step + 1), step)
            writer.add_scalars("acc", {"train": step / 5, "val": step / 6}, step)
        writer.add_hparams({"lr": 0.1, "bs": 8}, {"hparam/acc": 0.5})

    [run] = rv.open_runs(tmp_path)

    assert set(run.names()) == {"loss/train", "train/acc", "val/acc", "hparam/acc"}
    assert run["val/acc"].last == pytest.approx(4 / 6)
    assert run.settings["learning_rate"] == pytest.approx(0.1)
