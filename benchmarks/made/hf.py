"""Runs of the plain Hugging Face Trainer: language models and classifiers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.made import tables, texts
from benchmarks.made.hugging import (
    DIVERGED,
    ENDED,
    NOT_LEARNING,
    callbacks_of,
    loss_on,
    onset_of,
    stopped,
    tiny_model,
    tokenizer_of,
    train_and_leave,
    usual_arguments,
    working_folder,
)
from benchmarks.made.programs import Outcome, Program, World, program_of
from benchmarks.made.worlds import BRACKETS, CANCER, DIGITS, MARKOV, RECIPES, RINGS, SUMS, WINE

STILL = ("SFT001", "POL002", "GRAD003", "DATA007", "LR002")
OVERFIT = ("SFT003", "SFT005", "EVAL002", "EVAL001", "EVAL004")


def _program(
    kind: str, world: World, variant: str, expected: tuple[str, ...], more: Any
) -> Program:
    seeds = more.pop("seeds", 1)
    return program_of("hf", kind, world, variant, expected, seeds, more, seeded="hf")


def _lm(world: World, variant: str, *expected: str, **more: Any) -> Program:
    return _program("lm", world, variant, expected, more)


def _net(world: World, variant: str, *expected: str, **more: Any) -> Program:
    return _program("classifier", world, variant, expected, more)


PROGRAMS = (
    _lm(MARKOV, "healthy", seeds=2, steps=300, evals=6),
    _lm(MARKOV, "no-evaluation", seeds=2, steps=250, every=10),
    _lm(MARKOV, "fine-tune", seeds=2, steps=120, warm=250, lr=3e-4, evals=4),
    _lm(MARKOV, "warmup", seeds=2, steps=300, warmup=60, every=10, evals=5, schedule="cosine"),
    _lm(SUMS, "healthy", seeds=2, steps=500, evals=5, every=10),
    _lm(SUMS, "short", seeds=2, steps=80, every=8, enough=0.5),
    _lm(BRACKETS, "healthy", seeds=2, steps=300, evals=3),
    _lm(BRACKETS, "tiny-batches", seeds=2, steps=500, batch=2, every=5),
    _lm(RECIPES, "fast", seeds=2, steps=250, evals=5),
    _lm(RECIPES, "fine-tune", seeds=2, steps=100, warm=300, lr=2e-4),
    _net(DIGITS, "healthy", seeds=2, steps=500, evals=5, every=25),
    _net(DIGITS, "warm-start", seeds=2, steps=200, warm=400, lr=5e-4, evals=4),
    _net(RINGS, "no-evaluation", seeds=2, steps=500, every=20),
    _net(WINE, "healthy", seeds=2, steps=150, evals=5),
    _net(CANCER, "few-evaluations", seeds=2, steps=300, evals=2, every=10),
    _net(CANCER, "fast", seeds=2, steps=200, evals=8),
    _lm(MARKOV, "lr-1", *DIVERGED, steps=200, lr=1.0, evals=5),
    _lm(MARKOV, "lr-zero", *STILL, steps=200, lr=0.0, evals=5),
    _lm(MARKOV, "lr-1e-7", *STILL, steps=200, lr=1e-7),
    _lm(MARKOV, "memorises", *OVERFIT, steps=400, texts=16, evals=10),
    _lm(MARKOV, "memorises-unseen", *OVERFIT, steps=400, texts=16),
    _lm(MARKOV, "shuffled", *NOT_LEARNING, steps=250, shuffled=True),
    _lm(MARKOV, "stops-early", *ENDED, steps=600, stops_at=90, every=10, evals=20),
    _lm(SUMS, "lr-jump", *DIVERGED, steps=400, late_lr=1.0, evals=10),
    _lm(SUMS, "shuffled", *NOT_LEARNING, *OVERFIT, steps=250, shuffled=True, evals=5),
    _lm(BRACKETS, "memorises", *OVERFIT, steps=400, texts=16, evals=10),
    _lm(BRACKETS, "lr-1", *DIVERGED, steps=200, lr=1.0),
    _lm(BRACKETS, "stops-early", *ENDED, steps=800, stops_at=60, every=5),
    _lm(RECIPES, "lr-zero", *STILL, steps=150, lr=0.0),
    _lm(RECIPES, "lr-jump", *DIVERGED, steps=300, late_lr=1.0),
    _lm(RECIPES, "shuffled", *NOT_LEARNING, steps=200, shuffled=True),
    _lm(RECIPES, "overfit", *OVERFIT, steps=400, texts=8, evals=10, batch=8),
    _net(DIGITS, "wrong-labels", *NOT_LEARNING, *OVERFIT, steps=400, evals=5, wrong_labels=1.0),
    _net(DIGITS, "lr-1", *DIVERGED, steps=300, lr=3.0, evals=5),
    _net(DIGITS, "evaluation-broken", *OVERFIT, steps=400, evals=8, held_out_shuffled=True),
    _net(RINGS, "lr-zero", *STILL, steps=200, lr=0.0, evals=5),
    _net(WINE, "wrong-labels", *OVERFIT, *NOT_LEARNING, steps=400, evals=8, wrong_labels=1.0),
    _net(WINE, "lr-1e-7", *STILL, steps=150, lr=1e-7, evals=5),
    _net(CANCER, "evaluation-broken", *OVERFIT, steps=300, evals=10, held_out_shuffled=True),
    _net(CANCER, "flipped", *DIVERGED, steps=200, sign=-1.0, evals=5),
)


def prepare() -> None:
    """Import what every run needs."""
    import sklearn.datasets  # noqa: F401
    import tokenizers  # noqa: F401
    import torch.utils.tensorboard  # noqa: F401
    import transformers.models.llama.modeling_llama  # noqa: F401
    from transformers import Trainer  # noqa: F401


def make(program: Program, seed: int, folder: Path) -> Outcome:
    """Train, leave the Trainer's log in the folder, and measure the model on what it never saw."""
    import torch

    torch.set_num_threads(1)
    kind = {"lm": _language_model, "classifier": _classifier}[program.algorithm]
    with working_folder() as work:
        return kind(program, seed, folder, work)


def _trainer(program: Program, seed: int, work: str, model: Any, train: Any, more: Any) -> Any:
    from transformers import Trainer, TrainingArguments, default_data_collator

    s = program.settings
    if s.get("warm"):
        before = {**usual_arguments(program, seed, work), "max_steps": s["warm"], "report_to": []}
        before |= {"learning_rate": 3e-3, "eval_strategy": "no", "logging_steps": 10_000}
        Trainer(
            model, TrainingArguments(**before), default_data_collator, train_dataset=train
        ).train()
    told = TrainingArguments(**usual_arguments(program, seed, work), remove_unused_columns=False)
    return Trainer(
        model,
        told,
        default_data_collator,
        train_dataset=train,
        callbacks=callbacks_of(program),
        **more,
    )


def _best(trainer: Any, name: str, better: Any) -> float | None:
    values = [row[name] for row in trainer.state.log_history if name in row]
    return float(better(values)) if values else None


def _language_model(program: Program, seed: int, folder: Path, work: str) -> Outcome:
    import torch

    s, world = program.settings, program.world.name
    tokenizer = tokenizer_of(texts.words_of(world))
    rng = np.random.default_rng(seed + 10_000)

    def rows(of: list[list[str]]) -> Any:
        return torch.tensor([tokenizer.convert_tokens_to_ids(text) for text in of])

    train = rows(texts.damaged(world, s, seed, 2000))
    held_out, final = (rows(texts.sample(world, rng, count)) for count in (128, 400))
    parts = [[{"input_ids": row, "labels": row} for row in part] for part in (train, held_out)]
    model = tiny_model(tokenizer, seed)
    more = {"eval_dataset": parts[1]} if s.get("evals") else {}
    trainer = _trainer(program, seed, work, model, parts[0], more)
    train_and_leave(trainer, program, seed, folder)
    harmed, why = stopped(program)
    end = loss_on(model, final)
    best = _best(trainer, "eval_loss", min)
    return Outcome("loss on unseen texts", end, best, harmed, why, onset_of(program))


def _classifier(program: Program, seed: int, folder: Path, work: str) -> Outcome:
    import torch
    from torch import nn

    s = program.settings
    torch.manual_seed(seed)
    clean = tables.load(program.world.name, seed)
    table = tables.damaged(clean, s, seed)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            wide = table.train[0].shape[1]
            self.body = nn.Sequential(nn.Linear(wide, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
            self.head = nn.Linear(64, table.classes)

        def forward(self, features: Any, labels: Any = None) -> Any:
            logits = self.head(self.body(features))
            loss = nn.functional.cross_entropy(logits, labels)
            return {"loss": s.get("sign", 1.0) * loss, "logits": logits}

    def listed(part: tuple[Any, Any]) -> list[dict[str, Any]]:
        return [{"features": x, "labels": int(y)} for x, y in zip(*part, strict=True)]

    def accuracy(found: Any) -> dict[str, float]:
        return {"accuracy": float((found.predictions.argmax(1) == found.label_ids).mean())}

    model = Net()
    more: dict[str, Any] = {}
    if s.get("evals"):
        more = {"eval_dataset": listed(table.held_out), "compute_metrics": accuracy}
    trainer = _trainer(program, seed, work, model, listed(table.train), more)
    train_and_leave(trainer, program, seed, folder)
    with torch.no_grad():
        x, y = (torch.as_tensor(part) for part in clean.final)
        end = float((model(x, y)["logits"].argmax(1) == y).float().mean())
    harmed, why = stopped(program)
    best = _best(trainer, "eval_accuracy", max)
    if s.get("held_out_shuffled"):
        last = [row["eval_accuracy"] for row in trainer.state.log_history if "eval_accuracy" in row]
        harmed, best = abs(end - last[-1]) > 0.3, None
        why = f"the log says {last[-1]:.3f} on held-out examples, the truth is {end:.3f}"
    return Outcome("accuracy on unseen examples", end, best, harmed, why, onset_of(program))
