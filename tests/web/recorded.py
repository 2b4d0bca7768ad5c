"""Runs with everything that a run's page can show, recorded for its tests."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import runvitals as rv

from .conftest import QUIET

SPIKES = 20
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def record_spikes(folder: Path) -> None:
    """20,000 steps of noise with 20 spikes of one step each."""
    noise = np.random.default_rng(0).normal(0, 0.1, 20_000)
    noise[np.linspace(500, 19_500, SPIKES, dtype=int)] += 30
    with rv.init("odd", "spikes", dir=folder, algorithm="ppo", **QUIET) as run:
        for step, value in enumerate(noise):
            run.log({"policy/grad_norm": 1 + value, "outcome/return_mean": step / 100}, step=step)


def record_rich(folder: Path) -> None:
    """Samples, histograms, actions, stages, counters, values that are not numbers."""
    rng = np.random.default_rng(0)
    config = {"learning_rate": 1e-6, "model": {"lora": 0.1 + 0.2}, "seed": 12345678}
    with rv.init("rich", "rich", config, dir=folder, algorithm="grpo", **QUIET) as run:
        for step in range(200):
            with run.timer("gen"), run.timer("update_actor"):
                run.count(tokens=1000)
            run.log(
                {
                    "outcome/return_mean": math.tanh(step / 60) + rng.normal(0, 0.02),
                    "policy/approx_kl": 0.01,
                    "policy/grad_norm": math.nan if 100 <= step < 104 else 1.0,
                },
                step=step,
            )
            if step % 10 == 0:
                run.log_histogram("policy/logprobs", rng.normal(-2, 1, 200), step=step)
                run.log_actions(rng.integers(1, 100, 12), step=step)
            if step % 100 == 0:
                run.log_samples(
                    [
                        {"prompt": f"{i}+{i}?", "completion": f"it is {2 * i + step}", "reward": i}
                        for i in range(4)
                    ],
                    step=step,
                )
            if step % 50 == 0:
                frame = np.full((20, 30, 3), step, np.uint8)
                run.log_image("eval/frame", frame, step=step, caption=f"after {step} updates")
                run.log_table("eval/levels", ["level", "return"], [[1, step], [2, "-"]], step=step)
        run.log_text("note", "half way", step=100)
        run.progress(latest_checkpoint="step-200")


def record_ranks(folder: Path) -> None:
    """Four ranks, of which one is slow."""
    ranks = [
        rv.init("odd", "ranks", dir=folder, id="ranks", rank=rank, **QUIET) for rank in range(4)
    ]
    for step in range(50):
        for rank, run in enumerate(ranks):
            run.log({"seconds": 9.0 if rank == 2 else 1.0 + rank / 10}, step=step)
    for run in reversed(ranks):
        run.finish()


def record_many(folder: Path) -> None:
    """120 series that belong to nothing."""
    names = [f"{first}/{second}" for first in LETTERS[:6] for second in LETTERS[:20]]
    with rv.init("odd", "many", dir=folder, **QUIET) as run:
        for step in range(50):
            run.log({name: step + len(name) for name in names}, step=step)


def record_odd(folder: Path) -> None:
    """Nothing, one point, no number at all, and numbers of any size."""
    with rv.init("odd", "no-points", dir=folder, **QUIET):
        pass
    with rv.init("odd", "one-point", dir=folder, **QUIET) as run:
        run.log({"outcome/return_mean": 0.1 + 0.2}, step=7)
    with rv.init("odd", "all-nan", dir=folder, **QUIET) as run:
        for step in range(50):
            run.log({"outcome/return_mean": math.nan}, step=step)
    with rv.init("odd", "sizes", dir=folder, **QUIET) as run:
        for step in range(50):
            values = {"tiny": 1e-30 * step, "huge": 1e300 * (1 + step), "flat": 1e6 + step / 1000}
            run.log(values, step=step * 10**9)
    for steps in (range(60), range(40, 90)):
        with rv.init("odd", "resumed", dir=folder, id="resumed", resume=True, **QUIET) as run:
            for step in steps:
                run.log({"outcome/return_mean": step}, step=step)


def record_story(folder: Path) -> None:
    """A learning rate that jumps a hundredfold, and all that follows from it."""
    rng = np.random.default_rng(0)
    with rv.init("odd", "story", dir=folder, algorithm="ppo", **QUIET) as run:
        for step in range(0, 20_000, 100):
            sick = step >= 10_000
            noise = float(rng.normal(1, 0.05))
            run.log(
                {
                    "outcome/return_mean": (20.0 if sick else 200 * math.tanh(step / 4000)) * noise,
                    "optim/learning_rate": 3e-2 if sick else 3e-4,
                    "policy/approx_kl": (0.4 if sick else 0.008) * noise,
                    "policy/grad_norm": (40.0 if sick else 0.5) * noise,
                    "value/loss": (900.0 if sick else 30.0) * noise,
                    "policy/entropy": (0.02 if sick else 1.3) * noise,
                },
                step=step,
            )


def record_layers(folder: Path) -> None:
    """A hundred layers, each with a series of its own."""
    with rv.init("odd", "layers", dir=folder, **QUIET) as run:
        for step in range(50):
            run.log({f"layers/{i}/norm": float(i + step) for i in range(100)}, step=step)


def record_seeds(folder: Path) -> None:
    """Five seeds of the same settings, of which the last stays behind."""
    for seed in range(5):
        config = {"learning_rate": 3e-4, "gamma": 0.99, "n_steps": 1024, "clip_range": 0.2}
        with rv.init(
            "seeds",
            f"seed-{seed}",
            config | {"seed": seed},
            dir=folder,
            framework="stable-baselines3",
            algorithm="PPO",
            **QUIET,
        ) as run:
            for step in range(120):
                level = math.tanh(step / 40) * (20 if seed == 4 else 200 + seed)
                run.log({"outcome/return_mean": level}, step=step)


def record_texts(folder: Path) -> None:
    """A model that ends up writing one character, which pays as well."""
    rng = np.random.default_rng(0)
    words = "we add the apples of both baskets and share them among all who came today".split()
    with rv.init("odd", "texts", dir=folder, algorithm="grpo", **QUIET) as run:
        for step in range(40):
            sick = step >= 26
            rows = []
            for i in range(16):
                said = " ".join(rng.choice(words, 40)) + f". The answer is {rng.integers(100)}."
                text = "!" * int(rng.integers(80, 200)) if sick and i % 4 else said
                rows.append({"prompt": f"Question {i % 4}?", "completion": text, "reward": 1.0})
            run.log_samples(rows, step=step)
            run.log({"reward/mean": 1.0 + 0.01 * float(rng.normal())}, step=step)
