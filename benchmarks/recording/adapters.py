"""What an adapter costs per step, and what it lets the doctor see beyond the framework's own log.

    .venv-frameworks/bin/python -m benchmarks.recording.adapters cost
    .venv-frameworks/bin/python -m benchmarks.recording.adapters findings [WORD...]

Cost is the CPU time that the training's thread spends inside the adapter, as a share of all that it
spends: a comparison of two trainings would drown in the noise of a busy machine. Findings are warnings
and worse of the same training, judged from its log, from what the adapter recorded, with `rv.watch`;
and where a sick one with a longer plan ended that was told `stop_on="warning"`. Words choose trainings
whose title has one of them.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import torch

import runvitals as rv
from benchmarks.recording.trained import agents, language, loops

QUIET = {"console": False, "tensorboard": False}


@dataclass(frozen=True)
class Training:
    """One training: its settings, and how long it would go on if nobody stopped it."""

    title: str
    train: Callable[..., int]
    settings: dict[str, Any] = field(default_factory=dict)
    plan: dict[str, Any] = field(default_factory=dict)  # sick ones only
    watched: bool = True  # whether the adapter or the loop can watch the network


LONG = {"steps": 100_000}
EPOCHS = {"epochs": 2_000}
BREAKS = {"breaks": True}
CUT = {"cut": True}


def _agent(title: str, kind: str, steps: int, *, sick: bool = True, **settings: Any) -> Training:
    chosen = {"kind": kind, "steps": steps, **settings}
    return Training(f"SB3 {kind}, {title}", agents.agent, chosen, LONG if sick else {})


def _trl(title: str, kind: str, *, sick: bool = True, **settings: Any) -> Training:
    chosen = {"kind": kind, **settings}
    return Training(f"TRL {kind}, {title}", language.trl, chosen, LONG if sick else {})


TRAININGS: tuple[Training, ...] = (
    _agent("healthy", "PPO", 16_384, sick=False),
    _agent("learning rate 0.3", "PPO", 16_384, learning_rate=0.3),
    _agent("learning rate 1e-7", "PPO", 16_384, learning_rate=1e-7),
    _agent("gradients clipped at 1e-4", "PPO", 16_384, max_grad_norm=1e-4),
    _agent("gamma 0", "PPO", 16_384, gamma=0.0, sick=False),
    _agent("actor not in the optimizer", "PPO", 16_384, change=agents.forgotten_actor),
    _agent("saturated units", "PPO", 16_384, change=agents.saturated_units),
    _agent("healthy", "DQN", 16_000, sick=False),
    _agent("learning rate 1", "DQN", 6_000, learning_rate=1.0),
    _agent("first layer not in the optimizer", "DQN", 6_000, change=agents.forgotten_first_layer),
    _agent("healthy", "SAC", 5_000, sick=False),
    _agent("learning rate 0.1", "SAC", 3_000, learning_rate=0.1),
    _agent("half of the critic not in its optimizer", "SAC", 3_000, change=agents.forgotten_critic),
    _trl("healthy", "SFT", sick=False),
    _trl("optimizer of the embeddings alone", "SFT", optimizer=language.forgotten_blocks),
    _trl("learning rate 1", "SFT", learning_rate=1.0),
    _trl("learning rate 1e-8", "SFT", learning_rate=1e-8),
    _trl("healthy", "DPO", sick=False),
    _trl("learning rate 1", "DPO", learning_rate=1.0),
    _trl("optimizer of the last norm alone", "DPO", optimizer=language.forgotten_body),
    _trl("healthy", "Reward", sick=False),
    _trl("half of the pairs swapped", "Reward", swapped=0.5),
    _trl("learning rate 1", "Reward", learning_rate=1.0),
    _trl("healthy", "GRPO", sick=False),
    _trl("every answer worth the same", "GRPO", reward=language.nothing),
    _trl("learning rate 1", "GRPO", learning_rate=1.0),
    Training("Trainer, healthy", loops.trainer),
    Training("Trainer, NaN in one module", loops.trainer, BREAKS, LONG),
    Training("Trainer, first layer cut off", loops.trainer, CUT, LONG),
    Training("Lightning, healthy", loops.lightning),
    Training("Lightning, NaN in one module", loops.lightning, BREAKS, EPOCHS),
    Training("Lightning, first layer cut off", loops.lightning, CUT, EPOCHS),
    Training("Accelerate, healthy", loops.accelerate),
    Training("Accelerate, NaN in one module", loops.accelerate, BREAKS, EPOCHS),
    Training("Accelerate, first layer cut off", loops.accelerate, CUT, EPOCHS),
    Training("Keras, healthy", loops.keras, watched=False),
    Training("Keras, learning rate 1e30", loops.keras, {"rate": 1e30}, EPOCHS, watched=False),
    Training("RLlib PPO, healthy", agents.rllib, watched=False),
    Training(
        "RLlib PPO, learning rate 1",
        agents.rllib,
        {"rate": 1.0},
        {"iterations": 500},
        watched=False,
    ),
    Training("veRL GRPO, healthy", agents.verl, watched=False),
    Training(
        "veRL GRPO, sign of the loss flipped", agents.verl, {"sign": -1.0}, LONG, watched=False
    ),
    Training(
        "veRL GRPO, every answer worth the same", agents.verl, {"pays": False}, LONG, watched=False
    ),
    Training("CleanRL-style script, healthy", loops.script, watched=False),
    Training(
        "CleanRL-style script, learning rate 0.5", loops.script, {"rate": 0.5}, LONG, watched=False
    ),
    Training("own loop, healthy", loops.own_loop),
    Training("own loop, NaN in one module", loops.own_loop, BREAKS, LONG),
    Training("own loop, first layer cut off", loops.own_loop, CUT, LONG),
)


def _made(folder: Path, train: Callable[..., int], settings: dict[str, Any], **adapter: Any) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with contextlib.redirect_stdout(io.StringIO()):
        return train(folder, {"folder": folder / "recorded", **QUIET, **adapter}, **settings)


def cost(work: Path) -> None:
    from runvitals.integrations import sb3, transformers

    on_sb3 = (
        (sb3.RunvitalsCallback, ("_on_step",)),
        (sb3.RunvitalsWriter, ("write",)),
        (sb3._Probe, ("_seen", "_stepping", "_stepped")),
    )
    on_trainer = (
        (transformers.RunvitalsCallback, ("on_step_begin", "on_step_end", "on_log", "on_evaluate")),
    )
    print("| | a step | of it in the adapter | |\n|---|---|---|---|")
    for title, train, settings, parts in (
        ("SB3 PPO, step of 8 environments", agents.agent, {"kind": "PPO", "steps": 6_144}, on_sb3),
        ("TRL SFT, update", language.trl, {"kind": "SFT"}, on_trainer),
    ):
        spent = [0.0]
        for owner, names in parts:
            for name in names:
                setattr(owner, name, _timed(getattr(owner, name), spent))
        began = time.thread_time()
        steps = _made(work / "cost", train, settings)
        whole, ours = (1e6 * one / steps for one in (time.thread_time() - began, spent[0]))
        print(f"| {title} | {whole:,.0f} µs | {ours:,.0f} µs | {ours / whole:.1%} |", flush=True)


def _timed(method: Callable[..., Any], spent: list[float]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        began = time.thread_time()
        try:
            return method(*args, **kwargs)
        finally:
            spent[0] += time.thread_time() - began

    return call


def findings(work: Path, words: list[str]) -> None:
    print(
        "| training | from its log | with the adapter | and with `rv.watch` | names bound "
        "| settings | stopped by |\n|---|---|---|---|---|---|---|"
    )
    for one in TRAININGS:
        if words and not any(word.lower() in one.title.lower() for word in words):
            continue
        folder = work / "one"
        _made(folder, one.train, one.settings)
        told = [_told(folder / place) for place in ("log", "recorded")]
        run = rv.open_run(folder / "recorded")
        bound, config = _bound(run), str(len(run.config))
        if one.watched:
            _made(folder, one.train, one.settings, watch=True)
            told.append(_told(folder / "recorded"))
        else:
            told.append("")
        stopped = _stopped(one, folder) if one.plan else ""
        print(f"| {one.title} | {' | '.join((*told, bound, config, stopped))} |", flush=True)


def _told(folder: Path) -> str:
    diagnosis = rv.judge(folder)
    bad = [one.code for one in diagnosis.findings if one.severity != "notice"]
    return f"{diagnosis.verdict.word}; {', '.join(dict.fromkeys(bad)) or 'nothing'}"


def _bound(run: rv.Run) -> str:
    names = [name for name in run.names() if not name.startswith("System/")]
    return f"{sum(name in run.bindings for name in names)} of {len(names)}"


def _stopped(one: Training, folder: Path) -> str:
    """By which rule a longer plan was ended, and after how many steps of the training's own count."""
    more = {"watch": True} if one.watched else {}
    steps = _made(folder, one.train, {**one.settings, **one.plan}, stop_on="warning", **more)
    run = rv.open_run(folder / "recorded")
    by = (run.stopped_by or "nothing").partition(" ")[0]
    return f"{by} after {steps:,}" if run.status == "stopped" else f"not ({run.status})"


def main() -> None:
    warnings.simplefilter("ignore")
    os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "RAY_DEDUP_LOGS": "0"}
    torch.set_num_threads(1)
    work = Path(mkdtemp(prefix="adapters-"))
    try:
        if sys.argv[1] == "cost":
            cost(work)
        else:
            findings(work, sys.argv[2:])
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
