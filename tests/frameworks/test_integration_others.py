"""Accelerate, Lightning, Keras, RLlib, veRL and JAX, each on a small real training."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from tests.frameworks.adapted import QUIET, codes, example, recorded, settings, stopped

import runvitals as rv

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("ignore")]

RNG = np.random.default_rng(0)
X = RNG.normal(size=(256, 8)).astype("float32")
Y = (X @ RNG.normal(size=8) > 0).astype("int64")
SICK = 1e4  # a learning rate that nothing survives


def torch_data(size=256):
    torch = pytest.importorskip("torch", reason="needs torch")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    pairs = torch.utils.data.TensorDataset(torch.tensor(X[:size]), torch.tensor(Y[:size]))
    return torch, torch.utils.data.DataLoader(pairs, batch_size=32, shuffle=True)


# Accelerate


def accelerated(folder, rate, epochs=8, **options):
    accelerate = pytest.importorskip("accelerate", reason="needs accelerate")
    from runvitals.integrations.accelerate import register

    register()
    torch, loader = torch_data()
    accelerator = accelerate.Accelerator(cpu=True, log_with="runvitals")
    told = {"dir": str(folder), **QUIET, **options}
    accelerator.init_trackers(
        "points", {"learning_rate": rate, "optimizer": "SGD"}, init_kwargs={"runvitals": told}
    )
    tracker = accelerator.get_tracker("runvitals")
    model = torch.nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    step = 0
    for _ in range(epochs):
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y) * (1 if rate < 1 else rate)
            accelerator.backward(loss)
            norm = accelerator.clip_grad_norm_(model.parameters(), 1e12)
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            accelerator.log({"train/loss": loss.item(), "train/grad_norm": norm}, step=step)
        if tracker.should_stop:
            break
    accelerator.end_training()
    return tracker.folder, step


def test_accelerate_healthy_and_sick(tmp_path):
    folder, _ = accelerated(tmp_path, 0.5)

    run = recorded(folder)
    assert (run.project, run.status) == ("points", "finished")
    settings(run, learning_rate=0.5)
    assert rv.judge(run).verdict.word in ("learning", "learned")
    assert codes(run) == set()

    most = 20_000  # the fewer looks a busy machine has time for, the later the run is stopped
    folder, steps = accelerated(tmp_path, SICK, epochs=most, stop_on="warning")
    run = recorded(folder)
    assert steps < most * 8
    assert run.status == "stopped"
    assert codes(run)


# Lightning


def lightning_parts():
    pl = pytest.importorskip("lightning.pytorch", reason="needs lightning")
    torch, loader = torch_data()

    class Points(pl.LightningModule):
        def __init__(self, rate):
            super().__init__()
            self.save_hyperparameters()
            self.net = torch.nn.Linear(8, 2)

        def training_step(self, batch, _):
            loss = torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1])
            if self.hparams.rate == SICK:  # clipped gradients survive even such a rate
                loss = loss * float("nan")
            self.log("train_loss", loss)
            return loss

        def validation_step(self, batch, _):
            self.log("val_loss", torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1]))

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=self.hparams.rate)

    return pl, Points, loader


def fitted(folder, rate, epochs, stop_on=None):
    from runvitals.integrations.lightning import RunvitalsCallback, RunvitalsLogger

    pl, kind, loader = lightning_parts()
    logger = RunvitalsLogger(dir=folder, **QUIET)
    trainer = pl.Trainer(
        max_epochs=epochs,
        logger=logger,
        callbacks=[RunvitalsCallback(stop_on=stop_on)],
        log_every_n_steps=1,
        enable_progress_bar=False,
        enable_model_summary=False,
        enable_checkpointing=False,
        accelerator="cpu",
        gradient_clip_val=1.0,
    )
    trainer.fit(kind(rate), loader, loader)
    return trainer, logger


def test_lightning_healthy_and_sick(tmp_path):
    trainer, logger = fitted(tmp_path, 0.05, 6)

    run = recorded(logger.folder)
    assert (run.framework, run.status) == ("pytorch-lightning", "finished")
    settings(run, learning_rate=0.05, max_grad_norm=1.0, total_epochs=6)
    assert run.config["rate"] == 0.05
    assert len(run["train_loss"]) == trainer.global_step == 48
    assert len(run["eval/loss"]) == 6
    assert rv.judge(run).verdict.word in ("learning", "learned")
    assert codes(run) == set()

    trainer, logger = fitted(tmp_path, SICK, 3000, stop_on="warning")
    run = recorded(logger.folder)
    assert trainer.current_epoch < 3000
    assert run.status == "stopped"
    assert codes(run)


# Keras


def test_keras_healthy_and_sick(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    pytest.importorskip("torch", reason="needs torch").set_num_threads(1)
    keras = pytest.importorskip("keras", reason="needs keras")
    from runvitals.integrations.keras import RunvitalsCallback

    def fitted(rate, epochs, **options):
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(2)], name="points")
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.SGD(rate), loss, metrics=["accuracy"])
        callback = RunvitalsCallback(dir=tmp_path, **QUIET, **options)
        history = model.fit(
            X,
            Y,
            batch_size=64,
            epochs=epochs,
            verbose=0,
            validation_split=0.25,
            callbacks=[callback],
        )
        return recorded(callback.folder), history.history

    run, history = fitted(0.5, 12)
    assert (run.framework, run.project, run.status) == ("keras", "points", "finished")
    settings(run, learning_rate=0.5, total_epochs=12)
    assert run["optim/loss"].values.tolist() == pytest.approx(history["loss"])
    assert run["eval/loss"].steps.tolist() == list(range(1, 13))
    assert rv.judge(run).verdict.word in ("learning", "learned")
    assert codes(run) == set()

    run, history = fitted(1e30, 3000, stop_on="warning", every_batches=1)
    assert len(history["loss"]) < 3000
    assert run.status == "stopped"
    assert codes(run)


# RLlib


def test_rllib(tmp_path):
    pytest.importorskip("ray.rllib", reason="needs ray[rllib]")

    run = recorded(example("rllib_ppo", tmp_path).path)

    assert (run.framework, run.algorithm, run.status) == ("rllib", "PPO", "finished")
    settings(run, learning_rate=0.0003, env_id="CartPole-v1", gamma=0.99)
    assert run["outcome/return_mean"].steps.tolist() == [256, 512]
    assert run["policy/entropy"].last > 0


def test_a_sick_rllib_is_done_before_its_plan(tmp_path):
    pytest.importorskip("ray.rllib", reason="needs ray[rllib]")
    import ray
    from benchmarks.recording.trained.agents import rllib

    try:
        run = stopped(rllib, tmp_path, 1000, iterations=1000, rate=1.0)
    finally:
        ray.shutdown()  # or its five processes stay until the last test

    assert (run.framework, run.algorithm) == ("rllib", "PPO")


# veRL


def test_verl_tracking_has_the_backend_without_any_import_of_ours(tmp_path):
    pytest.importorskip("verl", reason="needs verl")
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    plugin = project["entry-points"]["verl.plugins"]["runvitals"]
    metadata = tmp_path / "site" / "plugin_of_runvitals-0.dist-info"  # an install of today's code
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: plugin-of-runvitals\nVersion: 0\n"
    )
    (metadata / "entry_points.txt").write_text(f"[verl.plugins]\nrunvitals = {plugin}\n")
    path = os.pathsep.join([str(metadata.parent), os.environ.get("PYTHONPATH", "")])

    run = recorded(example("verl_tracking", tmp_path, PYTHONPATH=path).path)

    assert (run.framework, run.algorithm, run.status) == ("verl", "GRPO", "finished")
    assert (run.project, run.name) == ("math", "grpo")
    settings(run, batch_size=8)
    assert run["actor/ppo_kl"].steps.tolist() == list(range(1, 31))
    assert rv.judge(run).verdict.word in ("learning", "learned")


def test_verl_learns_and_a_sick_one_is_stopped_by_an_exception(tmp_path):
    pytest.importorskip("verl", reason="needs verl")
    from benchmarks.recording.trained.agents import verl

    verl(tmp_path / "healthy", {"folder": tmp_path / "healthy" / "recorded", **QUIET})

    run = recorded(tmp_path / "healthy" / "recorded")
    assert (run.framework, run.algorithm, run.status) == ("verl", "GRPO", "finished")
    settings(run, learning_rate=0.05, group_size=8)
    assert "trainer.runvitals.folder" not in run.config
    assert rv.judge(run).verdict.word in ("learning", "learned")
    assert codes(run) == set()

    run = stopped(verl, tmp_path / "sick", 100_000, steps=100_000, pays=False)
    assert rv.judge(run).verdict.word == "not learning"


# OpenRLHF and others that import wandb themselves

REPORTS_TO_WANDB = """
import runvitals.integrations.wandb as stand_in
stand_in.install()
import torch
from transformers import Trainer, TrainingArguments
torch.set_num_threads(1)

class Points(torch.utils.data.Dataset):
    def __len__(self):
        return 64
    def __getitem__(self, i):
        return {"x": torch.ones(4) * i / 64, "labels": torch.tensor(i % 2)}

class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)
    def forward(self, x, labels):
        return {"loss": torch.nn.functional.cross_entropy(self.layer(x), labels)}

made = TrainingArguments("out", max_steps=6, logging_steps=1, report_to="wandb", save_strategy="no",
                         disable_tqdm=True, use_cpu=True, learning_rate=0.01)
Trainer(Classifier(), made, train_dataset=Points()).train()

import wandb  # as OpenRLHF's trainers do
if not wandb.api.api_key:
    wandb.login(key="x")
wandb.finish()
wandb.init(entity=None, project="openrlhf", group="g", config={"eps_clip": 0.2}, reinit=True)
wandb.define_metric("train/global_step")
wandb.define_metric("train/*", step_metric="train/global_step", step_sync=True)
for step in range(1, 4):
    wandb.log({"train/policy_loss": 0.1, "train/reward": 0.5, "train/global_step": step})
wandb.finish()
"""


def test_frameworks_that_import_wandb_get_the_stand_in(tmp_path):
    pytest.importorskip("transformers", reason="needs transformers")
    done = subprocess.run(
        [sys.executable, "-c", REPORTS_TO_WANDB],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=tmp_path,
        env={**os.environ, "WANDB_PROJECT": "hf"},
    )

    assert done.returncode == 0, done.stderr[-3000:]
    [hugging] = rv.open_runs(tmp_path / "runs" / "hf")
    assert hugging.framework == "transformers"
    assert hugging["train/loss"].steps.tolist() == [1, 2, 3, 4, 5, 6]
    assert hugging.settings["learning_rate"] == 0.01
    [openrlhf] = rv.open_runs(tmp_path / "runs" / "openrlhf")
    assert openrlhf["train/policy_loss"].steps.tolist() == [1, 2, 3]
    assert openrlhf.settings["clip_range"] == 0.2
