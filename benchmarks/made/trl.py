"""Runs of TRL: SFT, DPO, KTO, reward models, GRPO and RLOO."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.made.hugging import DIVERGED, ENDED, NOT_LEARNING
from benchmarks.made.programs import Outcome, Program, World, program_of
from benchmarks.made.worlds import (
    BRACKETS,
    BRIEF,
    COLOURS,
    FIRST_WORD,
    MANY_A,
    MARKOV,
    ORDER,
    POLITE,
    RECIPES,
    RISING,
    SUMS,
    VOWELS,
)

STILL = ("SFT001", "POL002", "GRAD003", "DATA007", "DPO001", "RM001", "KL003", "LR002")
OVERFIT = ("SFT003", "SFT005", "EVAL002", "EVAL001", "DPO002", "RM004")
SWAPPED = ("DPO004", "DPO002", "EVAL002", "RM004", "RM001")
CHANCE = ("DPO001", "DPO002", "RM001", "RM004", "EVAL002")
WILD = (
    "POL001",
    "KL001",
    "KL004",
    "DATA007",
    "REW003",
    "REW011",
    "ENT001",
    "GRAD001",
    "DPO003",
    "LR001",
    "LR002",
)
NO_SIGNAL = ("REW004", "REW009", "ADV001", "GRAD003")
FLAT = ("REW005", "REW006", "REW008")
CUT = ("LEN001",)
HACKED = ("REW001", "REW002", "REW010", "LEN005", "EVAL002")


def _program(
    algorithm: str, world: World, variant: str, *expected: str, seeds: int = 1, **more: Any
) -> Program:
    return program_of("trl", algorithm, world, variant, expected, seeds, more, seeded="trl")


PROGRAMS = (
    # healthy, plain and awkward
    _program("SFT", MARKOV, "healthy", seeds=2, steps=200, evals=4),
    _program("SFT", SUMS, "no-evaluation", seeds=2, steps=300, every=10),
    _program("SFT", RECIPES, "fine-tune", seeds=2, steps=80, warm=250, lr=3e-4, evals=4),
    _program("SFT", BRACKETS, "few-evaluations", seeds=2, steps=250, evals=2, every=10),
    _program("DPO", VOWELS, "healthy", seeds=2, steps=80, lr=1e-3, evals=4),
    _program("DPO", VOWELS, "no-evaluation", seeds=2, steps=60, lr=1e-3),
    _program("DPO", POLITE, "healthy", seeds=2, steps=80, lr=1e-3, evals=8),
    _program("DPO", ORDER, "no-evaluation", seeds=2, steps=120, lr=1e-3),
    _program("KTO", VOWELS, "healthy", seeds=2, steps=80, lr=1e-3),
    _program("KTO", POLITE, "healthy", seeds=2, steps=100, lr=2e-3, evals=4),
    _program("Reward", VOWELS, "healthy", seeds=2, steps=80, lr=1e-3, evals=4),
    _program("Reward", ORDER, "healthy", seeds=2, steps=100, lr=1e-3, evals=5),
    _program("Reward", POLITE, "no-evaluation", seeds=2, steps=80, lr=1e-3),
    _program("GRPO", MANY_A, "healthy", seeds=2, steps=50, lr=5e-3),
    _program("GRPO", MANY_A, "short", seeds=2, steps=24, lr=5e-3, every=1, enough=0.15),
    _program("GRPO", FIRST_WORD, "sparse", seeds=2, steps=80, lr=1e-2),
    _program("GRPO", BRIEF, "healthy", seeds=3, steps=60, lr=1e-2, every=1),
    _program("GRPO", RISING, "healthy", seeds=2, steps=80, lr=1e-2, enough=0.6),
    _program("RLOO", MANY_A, "healthy", seeds=2, steps=50, lr=5e-3),
    _program("RLOO", BRIEF, "healthy", seeds=2, steps=60, lr=1e-2),
    # with a fault
    _program("SFT", MARKOV, "lr-1", *DIVERGED, steps=120, lr=1.0),
    _program("SFT", MARKOV, "memorises", *OVERFIT, steps=300, texts=16, evals=10),
    _program("SFT", SUMS, "lr-zero", *STILL, steps=100, lr=0.0),
    _program("SFT", SUMS, "stops-early", *ENDED, steps=500, stops_at=60),
    _program("SFT", RECIPES, "memorises", *OVERFIT, steps=300, texts=8, batch=8, evals=10),
    _program("SFT", BRACKETS, "lr-jump", *DIVERGED, steps=250, late_lr=1.0, evals=10),
    _program("SFT", BRACKETS, "shuffled", *NOT_LEARNING, steps=150, shuffled=True),
    _program("DPO", VOWELS, "half-swapped", *CHANCE, steps=80, lr=1e-3, swapped=0.5, evals=8),
    _program("DPO", VOWELS, "lr-1e-8", *STILL, steps=60, lr=1e-8),
    _program("DPO", VOWELS, "swapped", *SWAPPED, steps=80, lr=1e-3, swapped=1.0, evals=8),
    _program("DPO", COLOURS, "memorises", *OVERFIT, steps=120, lr=2e-3, pairs=16, evals=8),
    _program("DPO", POLITE, "swapped", *SWAPPED, steps=80, lr=1e-3, swapped=1.0, evals=8),
    _program("DPO", ORDER, "lr-0.5", *WILD, steps=60, lr=0.5),
    _program("KTO", VOWELS, "swapped", *SWAPPED, steps=60, lr=1e-3, swapped=1.0, evals=6),
    _program("KTO", POLITE, "lr-1e-8", *STILL, steps=60, lr=1e-8),
    _program("Reward", VOWELS, "half-swapped", *CHANCE, steps=100, lr=1e-3, swapped=0.5, evals=5),
    _program("Reward", COLOURS, "memorises", *OVERFIT, steps=150, lr=2e-3, pairs=16, evals=8),
    _program("Reward", ORDER, "half-swapped", *CHANCE, steps=100, lr=1e-3, swapped=0.5, evals=5),
    _program("Reward", POLITE, "swapped", *SWAPPED, steps=80, lr=1e-3, swapped=1.0, evals=8),
    _program("Reward", POLITE, "lr-zero", *STILL, steps=60, lr=0.0, evals=4),
    _program(
        "GRPO", MANY_A, "verifier-zero", *NO_SIGNAL, seeds=2, steps=30, lr=5e-3, reward="zero"
    ),
    _program("GRPO", MANY_A, "flipped", "REW011", *FLAT, steps=40, lr=5e-3, sign=-1.0),
    _program("GRPO", MANY_A, "lr-1", *WILD, steps=40, lr=1.0),
    _program("GRPO", MANY_A, "lr-zero", *STILL, *FLAT, steps=40, lr=0.0),
    _program("GRPO", MANY_A, "lr-jump", *WILD, steps=60, lr=5e-3, late_lr=1.0),
    _program("GRPO", FIRST_WORD, "cold", *NO_SIGNAL, *FLAT, steps=40, lr=5e-3, temperature=0.01),
    _program(
        "GRPO", BRIEF, "cut-off", *CUT, *NO_SIGNAL, seeds=2, steps=30, lr=5e-3, length=3, wide=5
    ),
    _program("GRPO", BRIEF, "random-reward", *FLAT, steps=40, lr=5e-3, reward="random"),
    _program("GRPO", RISING, "verifier-constant", *NO_SIGNAL, steps=30, lr=5e-3, reward="one"),
    _program("GRPO", RISING, "lr-1", *WILD, steps=40, lr=1.0),
    _program("RLOO", MANY_A, "verifier-zero", *NO_SIGNAL, steps=30, lr=5e-3, reward="zero"),
    _program("RLOO", BRIEF, "lr-zero", *STILL, *FLAT, steps=30, lr=0.0),
    _program("RLOO", RISING, "flipped", "REW011", *FLAT, steps=40, lr=5e-3, sign=-1.0),
    _program("GRPO", MANY_A, "hacked", *HACKED, steps=40, lr=1e-2, reward="long", truth=True),
    _program("GRPO", MANY_A, "hacked-unseen", *HACKED, *CUT, steps=40, lr=1e-2, reward="long"),
    _program("GRPO", BRIEF, "hacked", *HACKED, steps=40, lr=1e-2, reward="long", truth=True),
    _program("RLOO", BRIEF, "hacked-unseen", *HACKED, *CUT, steps=40, lr=1e-2, reward="long"),
    _program("Reward", VOWELS, "swapped", *SWAPPED, steps=80, lr=1e-3, swapped=1.0, evals=8),
    _program("DPO", ORDER, "half-swapped", *CHANCE, steps=80, lr=1e-3, swapped=0.5),
    _program("DPO", ORDER, "memorises", *OVERFIT, steps=120, lr=2e-3, pairs=16, evals=8),
)


def prepare() -> None:
    """Import what every run needs."""
    import benchmarks.made.trl_trainers  # noqa: F401


def make(program: Program, seed: int, folder: Path) -> Outcome:
    """Train, leave the trainer's log in the folder, and measure the model on what it never saw."""
    import torch

    from benchmarks.made.hugging import working_folder
    from benchmarks.made.trl_trainers import KINDS

    torch.set_num_threads(1)
    with working_folder() as work:
        return KINDS[program.algorithm](program, seed, folder, work)
