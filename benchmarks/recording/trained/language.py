"""Trainers of TRL on a tiny random model: SFT, DPO, GRPO and reward models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset

from benchmarks.made import preferences, texts
from benchmarks.made.hugging import tiny_model, tokenizer_of

Adapter = dict[str, Any]
WIDTH = 32
ROWS = 400
END = 1  # the token of `tokenizer_of`

DEFAULTS: dict[str, dict[str, Any]] = {
    "SFT": {"learning_rate": 5e-3, "max_length": 32},
    "DPO": {"learning_rate": 1e-3, "max_length": 32, "beta": 0.1},
    "Reward": {"learning_rate": 1e-3, "max_length": 32},
    "GRPO": {
        "learning_rate": 3e-3,
        "num_generations": 8,
        "max_completion_length": 24,
        "per_device_train_batch_size": 16,
        "beta": 0.0,
    },
}
STEPS = {"SFT": 80, "DPO": 60, "Reward": 60, "GRPO": 80}


def vowels(completions: list[str], completion_ids: list[list[int]], **_: Any) -> list[float]:
    """The share of vowels, and as much again for an answer that ends by itself."""
    shares = [np.mean([w in "aeio" for w in one.split()] or [0.0]) for one in completions]
    return [float(s + (END in ids)) for s, ids in zip(shares, completion_ids, strict=True)]


def nothing(completions: list[str], **_: Any) -> list[float]:
    """No answer is worth anything."""
    return [0.0] * len(completions)


def trl(
    folder: Path,
    adapter: Adapter,
    *,
    kind: str = "SFT",
    steps: int | None = None,
    optimizer: Callable[[Any], Any] | None = None,
    reward: Callable[..., list[float]] = vowels,
    swapped: float = 0.0,
    **settings: Any,
) -> int:
    """One of TRL's trainers; `swapped` is the share of pairs with chosen and rejected swapped."""
    import trl as library

    from runvitals.integrations.transformers import RunvitalsCallback

    config = getattr(library, f"{kind}Config")(
        **{
            "output_dir": str(folder / "log"),
            "max_steps": steps or STEPS[kind],
            "logging_steps": 1,
            "per_device_train_batch_size": 8,
            "save_strategy": "no",
            "report_to": [],
            "disable_tqdm": True,
            "use_cpu": True,
            "seed": 0,
            **DEFAULTS[kind],
            **settings,
        }
    )
    words = texts.words_of("markov") if kind == "SFT" else preferences.WORDS
    tokenizer = tokenizer_of(words)
    model = tiny_model(tokenizer, 0, width=WIDTH, scores=kind == "Reward")
    more: dict[str, Any] = {"reward_funcs": reward} if kind == "GRPO" else {}
    if kind == "DPO":
        more["ref_model"] = tiny_model(tokenizer, 0, width=WIDTH)
    trainer = getattr(library, f"{kind}Trainer")(
        model,
        args=config,
        train_dataset=_rows(kind, swapped),
        processing_class=tokenizer,
        callbacks=[RunvitalsCallback(**adapter)],
        **({} if optimizer is None else {"optimizers": (optimizer(model), None)}),
        **more,
    )
    trainer.train()
    trainer.save_state()
    return int(trainer.state.global_step)


def _rows(kind: str, swapped: float) -> Dataset:
    rng = np.random.default_rng(0)
    if kind == "SFT":
        return Dataset.from_list([{"text": " ".join(w)} for w in texts.sample("markov", rng, ROWS)])
    if kind == "GRPO":
        return Dataset.from_list(
            [{"prompt": " ".join(preferences.prompt(rng))} for _ in range(ROWS)]
        )
    pairs = preferences.pairs("vowels", rng, ROWS)
    for pair in pairs:
        if rng.random() < swapped:
            pair["chosen"], pair["rejected"] = pair["rejected"], pair["chosen"]
    return Dataset.from_list(pairs)


def forgotten_blocks(model: Any) -> Any:
    """An optimizer that knows the embeddings only."""
    return torch.optim.AdamW(model.get_input_embeddings().parameters(), lr=5e-3)


def forgotten_body(model: Any) -> Any:
    """An optimizer that knows the last norm only."""
    return torch.optim.AdamW(model.model.norm.parameters(), lr=5e-3)
