"""What an adapter costs per step, and what it lets the doctor see beyond the framework's own log.

    .venv-frameworks/bin/python -m benchmarks.recording.adapters cost
    .venv-frameworks/bin/python -m benchmarks.recording.adapters findings

Cost is CPU time of the process, the judge's and the writer's threads included, with and without the
callback in turn, best of some rounds. Findings are warnings and worse of the same training, judged from
its log and from what the callback recorded.
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

ROUNDS = 4
QUIET = {"console": False, "tensorboard": False}


def ppo(folder: Path, callback: Any, steps: int = 6_144, **settings: Any) -> int:
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.logger import configure

    chosen = {"n_steps": 64, "batch_size": 128, "n_epochs": 6, "seed": 0, "device": "cpu"}
    model = PPO("MlpPolicy", make_vec_env("CartPole-v1", 8, seed=0), **{**chosen, **settings})
    model.set_logger(configure(str(folder), ["csv"]))
    model.learn(steps, callback=callback)
    return steps // 8


def sft(folder: Path, callback: Any, steps: int = 80, rate: float = 5e-3, **more: Any) -> int:
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
    trainer = SFTTrainer(
        tiny_model(tokenizer, 0),
        settings,
        train_dataset=Dataset.from_list([{"text": " ".join(words)} for words in rows]),
        processing_class=tokenizer,
        callbacks=[callback] if callback is not None else [],
    )
    trainer.train()
    trainer.save_state()
    return steps


def _callback(kind: Callable[..., int], folder: Path) -> Any:
    if kind is ppo:
        from runvitals.integrations.sb3 import RunvitalsCallback
    else:
        from runvitals.integrations.transformers import RunvitalsCallback  # type: ignore[assignment]
    return RunvitalsCallback(folder=folder / "recorded", **QUIET)


def _made(kind: Callable[..., int], folder: Path, with_callback: bool, **settings: Any) -> float:
    """CPU seconds per step."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    callback = _callback(kind, folder) if with_callback else None
    began = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        steps = kind(folder / "log", callback, **settings)
    return (time.process_time() - began) / steps


def cost(work: Path) -> None:
    print("| | bare | with the callback | |\n|---|---|---|---|")
    for title, kind in (("SB3 PPO, step of 8 environments", ppo), ("TRL SFT, update", sft)):
        for with_callback in (False, True):  # imports and caches
            _made(kind, work / "warm", with_callback)
        best = [
            min(_made(kind, work / "cost", with_callback) for _ in range(ROUNDS))
            for with_callback in (False, True)
        ]
        bare, ours = (1e6 * seconds for seconds in best)
        print(f"| {title} | {bare:,.0f} µs | {ours:,.0f} µs | {ours / bare - 1:+.1%} |", flush=True)


SICK: tuple[tuple[str, Callable[..., int], dict[str, Any]], ...] = (
    ("SB3 PPO, learning rate 0.3", ppo, {"learning_rate": 0.3, "steps": 16_384}),
    ("SB3 PPO, learning rate 1e-7", ppo, {"learning_rate": 1e-7, "steps": 16_384}),
    ("SB3 PPO, gradients clipped at 1e-4", ppo, {"max_grad_norm": 1e-4, "steps": 16_384}),
    ("SB3 PPO, gamma 0", ppo, {"gamma": 0.0, "steps": 16_384}),
    ("TRL SFT, learning rate 1", sft, {"rate": 1.0}),
    ("TRL SFT, learning rate 1e-8", sft, {"rate": 1e-8}),
)


def findings(work: Path) -> None:
    print("| training | from its log | with the callback |\n|---|---|---|")
    for title, kind, settings in (
        ("SB3 PPO, healthy", ppo, {"learning_rate": 1e-3, "steps": 16_384}),
        ("TRL SFT, healthy", sft, {}),
        *SICK,
    ):
        folder = work / "one"
        _made(kind, folder, True, **settings)
        told = [_told(folder / place) for place in ("log", "recorded")]
        print(f"| {title} | {told[0]} | {told[1]} |", flush=True)


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
