"""Loops as people write them by themselves, with logs as they write them: csv, json lines, text."""

from __future__ import annotations

import csv
import json
import zlib
from pathlib import Path
from typing import Any

from benchmarks.made.programs import Outcome, Program, World, program_of
from benchmarks.made.worlds import (
    BLACKJACK,
    BRACKETS,
    CANCER,
    CARTPOLE,
    CATCH,
    CLIFF,
    CORRIDOR,
    DIGITS,
    FROZENLAKE,
    MARKOV,
    MAZE,
    REACH,
    RECIPES,
    RINGS,
    SHOP,
    SLIPPERYLAKE,
    SUMS,
    TAXI,
    THERMOSTAT,
    WINE,
)

FORMATS = ("csv", "jsonl", "text", "history")

FLAT = ("REW005", "REW006", "ENT004", "VAL003")
STILL = ("POL002", "GRAD003", "DATA007", "REW005", "SFT001", "LR002")
WILD = ("REW003", "REW011", "ENT001", "POL001", "VAL006", "NUM001", "DATA007", "LR002")
WORSE = ("REW011", "REW003")
NO_SIGNAL = ("REW004", "REW001", "REW005")
NOT_LEARNING = ("SFT001", "SFT006", "REW005")
DIVERGED = (
    "SFT002",
    "POL001",
    "DATA007",
    "NUM001",
    "SFT001",
    "GRAD001",
    "REW003",
    "LR001",
    "LR002",
)
OVERFIT = ("SFT003", "SFT005", "EVAL002", "EVAL001", "EVAL004")


def _program(
    kind: str,
    world: World,
    variant: str = "healthy",
    expected: tuple[str, ...] = (),
    seeds: int = 1,
    **settings: Any,
) -> Program:
    return program_of("loops", kind, world, variant, expected, seeds, settings)


def _q(world: World, variant: str, *expected: str, seeds: int = 1, **settings: Any) -> Program:
    return _program("q", world, variant, expected, seeds, **settings)


def _pg(world: World, variant: str, *expected: str, seeds: int = 1, **settings: Any) -> Program:
    return _program("reinforce", world, variant, expected, seeds, **settings)


def _cem(world: World, variant: str, *expected: str, seeds: int = 1, **settings: Any) -> Program:
    return _program("cem", world, variant, expected, seeds, **settings)


def _net(world: World, variant: str, *expected: str, seeds: int = 1, **settings: Any) -> Program:
    return _program("classifier", world, variant, expected, seeds, **settings)


def _lm(world: World, variant: str, *expected: str, seeds: int = 1, **settings: Any) -> Program:
    return _program("lm", world, variant, expected, seeds, **settings)


PROGRAMS = (
    # Q-tables
    _q(TAXI, "healthy", seeds=2, episodes=3000, every=20, hope=1.0, alpha=0.4),
    _q(TAXI, "every-episode", seeds=2, episodes=2500, hope=1.0, alpha=0.4, success=False),
    _q(FROZENLAKE, "healthy", seeds=2, episodes=1200, every=10),
    _q(SHOP, "noisy", seeds=2, episodes=3000, every=25, alpha=0.02, gamma=0.0, success=False),
    _q(SLIPPERYLAKE, "noisy", seeds=2, episodes=8000, every=100, alpha=0.05, gamma=0.99),
    _q(CLIFF, "healthy", seeds=2, episodes=600, every=5, alpha=0.5, limit=100),
    _q(MAZE, "fast-then-plateau", seeds=2, episodes=3000, every=20, fade=0.1),
    _q(BLACKJACK, "noisy", seeds=2, episodes=20_000, every=250, alpha=0.01, gamma=1.0, tries=4000),
    _q(CORRIDOR, "late-success", seeds=2, episodes=1500, every=10, fade=0.9),
    _q(TAXI, "alpha-zero", *STILL, episodes=1500, every=10, alpha=0.0),
    _q(TAXI, "gamma-0", *FLAT, episodes=1500, every=10, gamma=0.0),
    _q(TAXI, "alpha-3", *WILD, episodes=1500, every=10, alpha=3.0),
    _q(FROZENLAKE, "reward-zero", *NO_SIGNAL, seeds=2, episodes=800, every=10, env={"scale": 0.0}),
    _q(FROZENLAKE, "no-exploration", *NO_SIGNAL, episodes=800, every=5, epsilon=0.0),
    _q(CLIFF, "blind", *FLAT, episodes=500, every=5, limit=100, env={"blind": True}),
    _q(MAZE, "flipped", *WORSE, seeds=2, episodes=1500, every=10, env={"scale": -1.0}),
    _q(SLIPPERYLAKE, "alpha-zero", *STILL, episodes=3000, every=50, alpha=0.0),
    _q(CORRIDOR, "no-exploration", *NO_SIGNAL, episodes=600, every=5, epsilon=0.0),
    _q(MAZE, "late-wild", "REW003", episodes=2000, every=10, late_alpha=3.0),
    # policy gradients
    _pg(CARTPOLE, "healthy", seeds=2, updates=60, rate=0.08, gamma=0.99, enough=0.5),
    _pg(SHOP, "noisy", seeds=2, updates=150, rate=0.1, gamma=0.0),
    _pg(FROZENLAKE, "late-success", seeds=2, updates=120, rate=0.3, success=True, batch=20),
    _pg(CATCH, "healthy", seeds=2, updates=200, rate=1.0, batch=20, success=True),
    _pg(CORRIDOR, "late-success", seeds=2, updates=150, rate=0.1, success=True),
    _pg(MAZE, "healthy", seeds=2, updates=120, rate=0.3, batch=16),
    _pg(CARTPOLE, "rate-30", *WILD, updates=80, rate=30.0),
    _pg(CARTPOLE, "flipped", *WORSE, updates=80, rate=0.05, sign=-1.0),
    _pg(CARTPOLE, "rate-zero", *STILL, updates=80, rate=0.0),
    _pg(SHOP, "rate-tiny", *STILL, updates=120, rate=1e-6, gamma=0.0),
    _pg(FROZENLAKE, "reward-constant", *NO_SIGNAL, updates=100, env={"scale": 0.0, "shift": 1.0}),
    _pg(CATCH, "flipped", *WORSE, updates=120, rate=0.2, batch=20, sign=-1.0, success=True),
    _pg(CATCH, "rate-100", *WILD, updates=120, rate=100.0, batch=20),
    _pg(CATCH, "late-flip", "REW003", updates=200, rate=1.0, batch=20, late_rate=-2.0),
    _pg(MAZE, "rate-zero", *STILL, updates=100, rate=0.0),
    _pg(CORRIDOR, "blind", *FLAT, updates=100, rate=0.1, env={"blind": True}, success=True),
    # evolution
    _cem(CARTPOLE, "healthy", seeds=2, generations=25),
    _cem(REACH, "healthy", seeds=2, generations=40),
    _cem(THERMOSTAT, "healthy", seeds=2, generations=30),
    _cem(CARTPOLE, "no-selection", *FLAT, generations=25, learns=False),
    _cem(THERMOSTAT, "keeps-the-worst", *WORSE, generations=30, sign=-1.0),
    _cem(REACH, "no-spread", *STILL, generations=30, spread=1e-6, extra=0.0),
    # classifiers
    _net(DIGITS, "healthy", seeds=2, epochs=25),
    _net(DIGITS, "no-evaluation", seeds=2, epochs=15, evals=False),
    _net(DIGITS, "warm-start", seeds=2, epochs=20, warm=15, lr=3e-4),
    _net(DIGITS, "short", seeds=2, epochs=6),
    _net(RINGS, "healthy", seeds=2, epochs=30),
    _net(RINGS, "few-evaluations", seeds=2, epochs=40, eval_every=10),
    _net(WINE, "healthy", seeds=2, epochs=40),
    _net(WINE, "small-batches", seeds=2, epochs=20, batch=2, lr=5e-4),
    _net(CANCER, "fast", seeds=2, epochs=25),
    _net(CANCER, "warm-start", seeds=2, epochs=12, warm=10, lr=2e-4),
    _net(CANCER, "sgd", seeds=2, epochs=30, sgd=True, lr=0.05),
    _net(DIGITS, "wrong-labels", *NOT_LEARNING, *OVERFIT, epochs=20, wrong_labels=1.0),
    _net(DIGITS, "lr-zero", *STILL, epochs=20, lr=0.0),
    _net(DIGITS, "lr-3", *DIVERGED, epochs=20, lr=3.0),
    _net(DIGITS, "validation-broken", *OVERFIT, epochs=20, held_out_shuffled=True),
    _net(DIGITS, "memorises", *OVERFIT, epochs=60, examples=10, copies=6, width=128),
    _net(RINGS, "lr-jump", *DIVERGED, "EVAL001", epochs=40, late_lr=5.0),
    _net(RINGS, "flipped", *DIVERGED, epochs=20, sign=-1.0),
    _net(WINE, "lr-1000", *DIVERGED, epochs=30, lr=1000.0),
    _net(WINE, "wrong-labels", *NOT_LEARNING, *OVERFIT, epochs=60, wrong_labels=1.0, width=128),
    _net(WINE, "lr-1e-7", *STILL, epochs=20, lr=1e-7),
    _net(CANCER, "validation-broken", *OVERFIT, epochs=20, held_out_shuffled=True),
    _net(CANCER, "lr-jump", *DIVERGED, "EVAL001", epochs=40, late_lr=10.0, sgd=True, lr=0.05),
    # language models
    _lm(MARKOV, "healthy", seeds=2, steps=600, evals=12),
    _lm(MARKOV, "no-evaluation", seeds=2, steps=400),
    _lm(MARKOV, "fine-tune", seeds=2, steps=300, warm=400, lr=5e-4, evals=6),
    _lm(SUMS, "healthy", seeds=2, steps=900, evals=10),
    _lm(BRACKETS, "healthy", seeds=2, steps=600, evals=8),
    _lm(BRACKETS, "tiny-batches", seeds=2, steps=800, batch=2, evals=8),
    _lm(RECIPES, "fast", seeds=2, steps=500, evals=10),
    _lm(RECIPES, "fine-tune", seeds=2, steps=200, warm=400, lr=2e-4),
    _lm(MARKOV, "shuffled", *NOT_LEARNING, steps=400, shuffled=True, evals=8),
    _lm(MARKOV, "memorises", *OVERFIT, steps=600, texts=16, evals=12, width=96),
    _lm(MARKOV, "lr-zero", *STILL, steps=400, lr=0.0),
    _lm(SUMS, "lr-3", *DIVERGED, steps=500, lr=3.0, evals=10),
    _lm(SUMS, "stops-early", "DATA004", "PERF006", steps=900, stops_at=130, evals=9),
    _lm(BRACKETS, "memorises", *OVERFIT, steps=600, texts=16, evals=12, width=96),
    _lm(BRACKETS, "lr-jump", *DIVERGED, steps=600, late_lr=2.0, evals=12),
    _lm(RECIPES, "lr-1e-7", *STILL, steps=300, lr=1e-7, evals=6),
    _lm(RECIPES, "shuffled", *NOT_LEARNING, steps=400, shuffled=True),
)


def prepare() -> None:
    """Import what every run needs."""
    import sklearn.datasets  # noqa: F401
    import torch  # noqa: F401

    import benchmarks.made.loops_rl
    import benchmarks.made.loops_supervised  # noqa: F401


def make(program: Program, seed: int, folder: Path) -> Outcome:
    """Train; the log has one of the formats people use."""
    import torch

    from benchmarks.made import loops_rl, loops_supervised

    torch.set_num_threads(1)
    kinds: dict[str, Any] = {
        "q": loops_rl.q_table,
        "reinforce": loops_rl.reinforce,
        "cem": loops_rl.evolution,
        "classifier": loops_supervised.classifier,
        "lm": loops_supervised.language_model,
    }
    rows: list[dict[str, Any]] = []
    outcome: Outcome = kinds[program.algorithm](program, seed, rows.append)
    form = FORMATS[zlib.crc32(f"{program.name}{seed}".encode()) % len(FORMATS)]
    plan = {key: program.settings[key] for key in PLAN if key in program.settings}
    if "stops_at" in program.settings or form == "jsonl":
        (folder / "config.json").write_text(json.dumps({**plan, "seed": seed}))
    write_log(form, rows, folder)
    return outcome


PLAN = ("lr", "batch", "epochs", "steps", "episodes", "updates", "generations", "gamma", "alpha")


def write_log(form: str, rows: list[dict[str, Any]], folder: Path) -> None:
    """The rows in one of the formats."""
    rows = [{name: _plain(value) for name, value in row.items()} for row in rows]
    names = list(dict.fromkeys(name for row in rows for name in row))
    if form == "csv":
        with (folder / "log.csv").open("w", newline="") as out:
            writer = csv.DictWriter(out, names)
            writer.writeheader()
            writer.writerows(rows)
    elif form == "jsonl":
        lines = [json.dumps(row) for row in rows]
        (folder / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    elif form == "text":
        lines = [" | ".join(f"{n}: {_short(v)}" for n, v in row.items()) for row in rows]
        (folder / "train.log").write_text("\n".join(lines) + "\n")
    elif form == "history":
        columns = {name: [row.get(name) for row in rows] for name in names}
        (folder / "history.json").write_text(json.dumps(columns))
    else:
        raise ValueError(f"unknown format {form!r}")


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _short(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) and abs(value) > 1e-3 else f"{value:g}"
