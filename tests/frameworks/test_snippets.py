"""Each snippet of docs/integrations.md as it stands there, with the rest of a small training around it.

`...` in a snippet is what its reader has to fill in: the code before it gives it a meaning.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import runvitals as rv

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("ignore")]

PAGE = Path(__file__).parents[2] / "docs" / "integrations.md"
POINTS = """
import torch
x = torch.randn(256, 8)
y = (x.sum(1) > 0).long()
data = torch.utils.data.TensorDataset(x, y)
"""
TRAINER = """
import torch, transformers

class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(8, 2)

    def forward(self, x, labels):
        scores = self.net(x)
        return {"loss": torch.nn.functional.cross_entropy(scores, labels), "logits": scores}

def GRPOTrainer(_, callbacks):
    points = [{"x": x, "labels": (x.sum() > 0).long()} for x in torch.randn(256, 8)]
    brief = {"max_steps": 30, "logging_steps": 1, "save_strategy": "no", "use_cpu": True}
    settings = transformers.TrainingArguments("out", report_to=[], **brief)
    return transformers.Trainer(Classifier(), settings, train_dataset=points, callbacks=callbacks)
"""
PPO = """
from stable_baselines3 import PPO
model = PPO("MlpPolicy", "CartPole-v1", n_steps=128, batch_size=64, device="cpu")
learn, model.learn = model.learn, lambda steps, callback: learn(steps // 50, callback)
"""
ACCELERATE = """
import accelerate, functools, itertools
Accelerator = functools.partial(accelerate.Accelerator, cpu=True)
config, falling = {"learning_rate": 0.1}, itertools.count(1)
def train(): return 1 / next(falling)
"""
LIGHTNING = (
    POINTS
    + """
import functools
import lightning.pytorch as pl

class Points(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(8, 2)

    def training_step(self, batch, _):
        loss = torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)

small = {"max_epochs": 3, "log_every_n_steps": 1, "enable_checkpointing": False, "accelerator": "cpu"}
Trainer = functools.partial(pl.Trainer, **small)
"""
)
FIT = "trainer.fit(Points(), torch.utils.data.DataLoader(data, batch_size=32))"
KERAS = """
import os
os.environ["KERAS_BACKEND"] = "torch"
import keras, numpy as np
x = np.random.default_rng(0).normal(size=(256, 8)).astype("float32")
network = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(1)])
network.compile("adam", "mse")

class model:
    def fit(_, callbacks):
        network.fit(x, x.sum(1), epochs=5, verbose=0, callbacks=callbacks)
"""
RLLIB = """
import ray
from ray.rllib.algorithms.ppo import PPOConfig
ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
config = PPOConfig().environment("CartPole-v1").env_runners(num_env_runners=0)
config.training(train_batch_size_per_learner=128, minibatch_size=64, num_epochs=1)
"""
ALGORITHM = """
algorithm = config.build_algo()
algorithm.train()
algorithm.stop()
import runvitals as rv
rv.finish()
"""
OPTUNA = """
import optuna
def train(rate): return {"outcome/return_mean": rate, "policy/approx_kl": 0.01}
def score(): return 1.0
"""
TUNE = """
import ray
from ray import tune
ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
def train(config):
    for step in range(5):
        tune.report({"outcome/return_mean": 1.0 + step})
"""
FORWARD = """
import types, wandb as real
import runvitals
wandb = types.SimpleNamespace(init=lambda _: real.init(mode="offline", project="x"))
rv = types.SimpleNamespace(init=lambda _: runvitals.init())
"""
JAX = """
import jax
import runvitals as rv
values, step = {"train/loss": jax.numpy.ones(())}, 3
rv.init()
"""
STEPS = """
    for step in range(20):
        run.log({"outcome/return_mean": step}, step=step)
"""
# by what a snippet begins with: the package it needs, and the code before and after it
AROUND = {
    "from runvitals.integrations.transformers": ("transformers", TRAINER, "trainer.train()"),
    "from runvitals.integrations.sb3": ("stable_baselines3", PPO, ""),
    "from runvitals.integrations.accelerate": ("accelerate", ACCELERATE, ""),
    "from runvitals.integrations.lightning": ("lightning", LIGHTNING, FIT),
    "from runvitals.integrations.keras": ("keras", KERAS, ""),
    "from runvitals.integrations.rllib": ("ray", RLLIB, ALGORITHM),
    "from runvitals.integrations.optuna": (
        "optuna",
        OPTUNA,
        "study.optimize(objective, n_trials=1)",
    ),
    "from runvitals.integrations.ray_tune": ("ray", TUNE, "tuner.fit()"),
    "from runvitals.integrations.forward": ("wandb", FORWARD, STEPS),
    "jax.debug.callback": ("jax", JAX, "jax.effects_barrier()\nrv.finish()"),
}


def snippets() -> dict[str, str]:
    return {
        next((start for start in AROUND if text.startswith(start)), text): text
        for text in re.findall(r"```py\n(.*?)```", PAGE.read_text(), re.DOTALL)
    }


def test_every_snippet_of_the_page_is_run_here():
    assert set(snippets()) == set(AROUND)


@pytest.mark.parametrize("start", AROUND, ids=lambda start: start.rpartition(".")[2])
def test_a_snippet_records_a_run(start, tmp_path):
    package, before, after = AROUND[start]
    if find_spec(package) is None:
        pytest.skip(f"needs {package}")
    (tmp_path / "train.py").write_text("\n".join([before, snippets()[start] + after]))

    done = subprocess.run(
        [sys.executable, "train.py"],
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1", "WANDB_SILENT": "true"},
        capture_output=True,
        text=True,
        timeout=600,
    )

    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    assert rv.open_runs(tmp_path / "runs")[0].names()
