"""What an adapter costs per step, and what it lets the doctor see beyond the framework's own log.

    .venv-frameworks/bin/python -m benchmarks.recording.adapters cost
    .venv-frameworks/bin/python -m benchmarks.recording.adapters findings

Cost is the CPU time that the training's thread spends inside the adapter, as a share of all that it
spends: a comparison of two trainings would drown in the noise of a busy machine. Findings are warnings
and worse of the same training, judged from its log and from what the callback recorded.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import torch

import runvitals as rv

QUIET = {"console": False, "tensorboard": False}

Change = Callable[[Any], None]  # a fault put into a network


def ppo(
    folder: Path,
    callback: Any,
    steps: int = 6_144,
    change: Change = lambda _: None,
    **settings: Any,
) -> int:
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.logger import configure

    chosen = {"n_steps": 64, "batch_size": 128, "n_epochs": 6, "seed": 0, "device": "cpu"}
    model = PPO("MlpPolicy", make_vec_env("CartPole-v1", 8, seed=0), **{**chosen, **settings})
    change(model.policy)
    model.set_logger(configure(str(folder), ["csv"]))
    model.learn(steps, callback=callback)
    return steps // 8


def sft(
    folder: Path,
    callback: Any,
    steps: int = 80,
    rate: float = 5e-3,
    optimizer: Callable[[Any], Any] | None = None,
    **more: Any,
) -> int:
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    from benchmarks.made import texts
    from benchmarks.made.hugging import tiny_model, tokenizer_of

    tokenizer = tokenizer_of(texts.words_of("markov"))
    rows = texts.sample("markov", np.random.default_rng(0), 400)
    settings = SFTConfig(
        str(folder),
        max_steps=steps,
        learning_rate=rate,
        logging_steps=1,
        per_device_train_batch_size=8,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        max_length=32,
        **more,
    )
    model = tiny_model(tokenizer, 0)
    trainer = SFTTrainer(
        model,
        settings,
        train_dataset=Dataset.from_list([{"text": " ".join(words)} for words in rows]),
        processing_class=tokenizer,
        callbacks=[callback] if callback is not None else [],
        optimizers=(None if optimizer is None else optimizer(model), None),
    )
    trainer.train()
    trainer.save_state()
    return steps


def _callback(kind: Callable[..., int], folder: Path, *, watch: bool = False) -> Any:
    if kind is ppo:
        from runvitals.integrations.sb3 import RunvitalsCallback
    else:
        from runvitals.integrations.transformers import RunvitalsCallback  # type: ignore[assignment]
    return RunvitalsCallback(folder=folder / "recorded", watch=watch, **QUIET)


def _made(kind: Callable[..., int], folder: Path, *, watch: bool = False, **settings: Any) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with contextlib.redirect_stdout(io.StringIO()):
        return kind(folder / "log", _callback(kind, folder, watch=watch), **settings)


def cost(work: Path) -> None:
    from runvitals.integrations import gradients, sb3, transformers

    on_sb3 = (
        (sb3.RunvitalsCallback, ("_on_step",)),
        (sb3.RunvitalsWriter, ("write",)),
        (gradients._Probe, ("_seen", "_stepping", "_stepped")),
    )
    on_trainer = (
        (transformers.RunvitalsCallback, ("on_step_begin", "on_step_end", "on_log", "on_evaluate")),
    )
    print("| | a step | of it in the adapter | |\n|---|---|---|---|")
    for title, kind, parts in (
        ("SB3 PPO, step of 8 environments", ppo, on_sb3),
        ("TRL SFT, update", sft, on_trainer),
    ):
        spent = [0.0]
        for owner, names in parts:
            for name in names:
                setattr(owner, name, _timed(getattr(owner, name), spent))
        began = time.thread_time()
        steps = _made(kind, work / "cost")
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


def forgotten_actor(policy: Any) -> None:
    """The optimizer does not know the layers that choose the action."""
    known = [*policy.mlp_extractor.value_net.parameters(), *policy.value_net.parameters()]
    policy.optimizer = type(policy.optimizer)(known, lr=3e-4)


def dead_units(policy: Any) -> None:
    """All units of the actor's last hidden layer are saturated from the start."""
    with torch.no_grad():
        policy.mlp_extractor.policy_net[2].bias.fill_(50.0)


def forgotten_blocks(model: Any) -> Any:
    """An optimizer that knows the embeddings only."""
    return torch.optim.AdamW(model.get_input_embeddings().parameters(), lr=5e-3)


SICK: tuple[tuple[str, Callable[..., int], dict[str, Any]], ...] = (
    ("SB3 PPO, learning rate 0.3", ppo, {"learning_rate": 0.3, "steps": 16_384}),
    ("SB3 PPO, learning rate 1e-7", ppo, {"learning_rate": 1e-7, "steps": 16_384}),
    ("SB3 PPO, gradients clipped at 1e-4", ppo, {"max_grad_norm": 1e-4, "steps": 16_384}),
    ("SB3 PPO, gamma 0", ppo, {"gamma": 0.0, "steps": 16_384}),
    ("SB3 PPO, actor not in the optimizer", ppo, {"change": forgotten_actor, "steps": 16_384}),
    ("SB3 PPO, saturated units", ppo, {"change": dead_units, "steps": 16_384}),
    ("TRL SFT, optimizer of the embeddings alone", sft, {"optimizer": forgotten_blocks}),
    ("TRL SFT, learning rate 1", sft, {"rate": 1.0}),
    ("TRL SFT, learning rate 1e-8", sft, {"rate": 1e-8}),
)


def findings(work: Path) -> None:
    print(
        "| training | from its log | with the callback | and with `watch=True` |\n|---|---|---|---|"
    )
    for title, kind, settings in (
        ("SB3 PPO, healthy", ppo, {"learning_rate": 1e-3, "steps": 16_384}),
        ("TRL SFT, healthy", sft, {}),
        *SICK,
    ):
        folder = work / "one"
        _made(kind, folder, **settings)
        told = [_told(folder / place) for place in ("log", "recorded")]
        _made(kind, folder, watch=True, **settings)
        told.append(_told(folder / "recorded"))
        print(f"| {title} | {' | '.join(told)} |", flush=True)


def _told(folder: Path) -> str:
    diagnosis = rv.judge(folder)
    bad = [one for one in diagnosis.findings if one.severity != "notice"]
    return f"{diagnosis.verdict.word}; {', '.join(sorted({one.code for one in bad})) or 'nothing'}"


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    work = Path(mkdtemp(prefix="adapters-"))
    try:
        {"cost": cost, "findings": findings}[sys.argv[1]](work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
