"""A classifier of points: plain Trainer, Lightning, Accelerate, Keras, and a loop of one's own."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy

import runvitals as rv

Adapter = dict[str, Any]
FEATURES, CLASSES, ROWS, BATCH = 8, 4, 1024, 32
BREAKS_AT = 60


def points() -> tuple[np.ndarray, np.ndarray]:
    """Points, and which of four directions they lie in."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, FEATURES)).astype("float32")
    return x, (x @ rng.normal(size=(FEATURES, CLASSES))).argmax(1)


class Classifier(torch.nn.Module):
    """Two layers. `cut`: the first gets no gradient. `breaks`: its output is NaN from pass 60 on."""

    def __init__(self, cut: bool = False, breaks: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.body = torch.nn.Sequential(torch.nn.Linear(FEATURES, 64), torch.nn.ReLU())
        self.norm = Rooted() if breaks else torch.nn.Identity()
        self.head = torch.nn.Linear(64, CLASSES)
        self.cut = cut

    def forward(self, x: Any, labels: Any = None) -> Any:
        """Logits, and the loss where labels are given."""
        seen = self.norm(self.body(x))
        logits = self.head(seen.detach() if self.cut else seen)
        return (
            logits if labels is None else {"loss": cross_entropy(logits, labels), "logits": logits}
        )


class Rooted(torch.nn.Module):
    """Passes numbers on, until it takes the root of a negative one."""

    def __init__(self) -> None:
        super().__init__()
        self.passes = 0

    def forward(self, x: Any) -> Any:
        """The same numbers, or NaN."""
        self.passes += 1
        return x if self.passes < BREAKS_AT else (x - x.max() - 1).sqrt()


class Points(torch.utils.data.Dataset):  # type: ignore[type-arg]
    """The points as rows for a Trainer."""

    def __init__(self) -> None:
        x, y = points()
        self.x, self.y = torch.tensor(x), torch.tensor(y)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, i: int) -> dict[str, Any]:
        return {"x": self.x[i], "labels": self.y[i]}


def loader() -> Any:
    """Shuffled batches."""
    x, y = points()
    pairs = torch.utils.data.TensorDataset(torch.tensor(x), torch.tensor(y))
    order = torch.Generator().manual_seed(0)
    return torch.utils.data.DataLoader(pairs, batch_size=BATCH, shuffle=True, generator=order)


def trainer(
    folder: Path, adapter: Adapter, *, steps: int = 120, rate: float = 1e-2, **fault: bool
) -> int:
    """The plain Trainer of transformers."""
    from transformers import Trainer, TrainingArguments

    from runvitals.integrations.transformers import RunvitalsCallback

    made = TrainingArguments(
        str(folder / "log"),
        max_steps=steps,
        learning_rate=rate,
        logging_steps=1,
        per_device_train_batch_size=BATCH,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        seed=0,
    )
    work = Trainer(
        Classifier(**fault), made, train_dataset=Points(), callbacks=[RunvitalsCallback(**adapter)]
    )
    work.train()
    work.save_state()
    return int(work.state.global_step)


def lightning(
    folder: Path, adapter: Adapter, *, epochs: int = 5, rate: float = 1e-2, **fault: bool
) -> int:
    """Lightning, with its CSV logger beside ours."""
    import lightning.pytorch as pl
    from lightning.pytorch.loggers import CSVLogger

    from runvitals.integrations.lightning import RunvitalsCallback, RunvitalsLogger

    class Module(pl.LightningModule):  # type: ignore[misc]
        def __init__(self, learning_rate: float) -> None:
            super().__init__()
            self.save_hyperparameters({"learning_rate": learning_rate})
            self.net = Classifier(**fault)

        def training_step(self, batch: Any, _: int) -> Any:
            loss = cross_entropy(self.net(batch[0]), batch[1])
            self.log("train_loss", loss)
            return loss

        def validation_step(self, batch: Any, _: int) -> None:
            self.log("val_loss", cross_entropy(self.net(batch[0]), batch[1]))

        def configure_optimizers(self) -> Any:
            return torch.optim.Adam(self.parameters(), lr=self.hparams.learning_rate)

    told = dict(adapter)
    watching = {key: told.pop(key) for key in ("watch", "stop_on") if key in told}
    work = pl.Trainer(
        max_epochs=epochs,
        logger=[RunvitalsLogger(**told), CSVLogger(str(folder), "log", version="")],
        callbacks=[RunvitalsCallback(**watching)],
        log_every_n_steps=1,
        enable_progress_bar=False,
        enable_model_summary=False,
        enable_checkpointing=False,
        accelerator="cpu",
    )
    work.fit(Module(rate), loader(), loader())
    return int(work.global_step)


def accelerate(
    folder: Path, adapter: Adapter, *, epochs: int = 5, rate: float = 1e-2, **fault: bool
) -> int:
    """Accelerate, with its TensorBoard tracker beside ours."""
    from accelerate import Accelerator

    from runvitals.integrations.accelerate import register

    register()
    told = dict(adapter)
    watch = told.pop("watch", False)
    (folder / "log").mkdir(parents=True)
    work = Accelerator(
        cpu=True, log_with=["tensorboard", "runvitals"], project_dir=str(folder / "log")
    )
    config = {"learning_rate": rate, "optimizer": "Adam", "batch_size": BATCH}
    work.init_trackers("points", config, init_kwargs={"runvitals": told})
    tracker = work.get_tracker("runvitals")
    net = Classifier(**fault)
    optimizer = torch.optim.Adam(net.parameters(), lr=rate)
    net, optimizer, batches = work.prepare(net, optimizer, loader())
    if watch:
        rv.watch(work.unwrap_model(net), optimizer.optimizer, run=tracker.tracker)
    step = 0
    for _ in range(epochs):
        for x, y in batches:
            loss = cross_entropy(net(x), y)
            work.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            work.log({"train/loss": loss.item()}, step=step)
        if tracker.should_stop:
            break
    work.end_training()
    return step


def keras(folder: Path, adapter: Adapter, *, epochs: int = 30, rate: float = 1e-2) -> int:
    """Keras on torch, with its CSV logger beside ours."""
    os.environ["KERAS_BACKEND"] = "torch"
    import keras as library

    from runvitals.integrations.keras import RunvitalsCallback

    library.utils.set_random_seed(0)
    model = library.Sequential(
        [
            library.layers.Input((FEATURES,)),
            library.layers.Dense(64, "relu"),
            library.layers.Dense(CLASSES),
        ]
    )
    loss = library.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(library.optimizers.Adam(rate), loss, metrics=["accuracy"])
    told = {key: value for key, value in adapter.items() if key != "watch"}
    (folder / "log").mkdir(parents=True)
    history = model.fit(
        *points(),
        batch_size=128,
        epochs=epochs,
        verbose=0,
        validation_split=0.25,
        callbacks=[
            library.callbacks.CSVLogger(str(folder / "log" / "training.csv")),
            RunvitalsCallback(**told),
        ],
    )
    return len(history.history["loss"])


def own_loop(
    folder: Path, adapter: Adapter, *, steps: int = 200, rate: float = 1e-2, **fault: bool
) -> int:
    """A loop of one's own that writes a CSV file, with `rv.init` and `rv.watch` beside it."""
    told = dict(adapter)
    watch = told.pop("watch", False)
    net = Classifier(**fault)
    optimizer = torch.optim.Adam(net.parameters(), lr=rate)
    (folder / "log").mkdir(parents=True)
    step = 0
    with (
        (folder / "log" / "progress.csv").open("w") as file,
        rv.init("points", config={"learning_rate": rate, "batch_size": BATCH}, **told) as run,
    ):
        table = csv.writer(file)
        table.writerow(["step", "train/loss"])
        if watch:
            rv.watch(net, optimizer)
        while step < steps and not run.should_stop:
            for x, y in loader():
                loss = cross_entropy(net(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                step += 1
                table.writerow([step, loss.item()])
                run.log({"train/loss": loss.item()}, step=step)
    return step


SCRIPT = Path(__file__).with_name("cleanrl_script.py")


def script(folder: Path, adapter: Adapter, *, steps: int = 16_384, rate: float = 2.5e-3) -> int:
    """A script that knows `SummaryWriter` only, unmodified, under `runvitals run`."""
    observe = [sys.executable, "-m", "runvitals.cli.main", "run", "--quiet"]
    observe += ["--dir", str(folder / "observed")]
    if "stop_on" in adapter:
        observe += ["--stop-on", adapter["stop_on"]]
    words = ["--total-timesteps", str(steps), "--learning-rate", str(rate)]
    (folder / "log").mkdir(parents=True)
    subprocess.run(
        [*observe, "--", sys.executable, str(SCRIPT), *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,  # it ends by a signal where it is stopped
        capture_output=True,
    )
    [run] = [file.parent for file in (folder / "observed").rglob("run.json")]
    run.rename(adapter["folder"])
    return int(rv.open_run(adapter["folder"]).last_step or 0)
