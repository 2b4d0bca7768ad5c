"""Real GRPO runs of TRL whose texts go wrong because of what the reward pays for.

    python -m benchmarks.made.trl_texts make FOLDER [--steps 40] [--seeds 2]
    python -m benchmarks.made.trl_texts judge FOLDER

A tiny model first learns to write some words of reasoning and an answer. Then GRPO trains it with one
of the rewards below and evaluates it now and then. TRL keeps its completions, and our callback records
the run. `judge` counts the faults that are named first, from TRL's files and from our recording. Only
the recording tells an evaluation's texts from those of the training.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

WORDS = tuple(
    "we add the first number to second and then see that it is less so take away from sum which gives "
    "a of all for each part now check again with care until done so far good step by".split()
)
DIGITS = tuple("0 1 2 3 4 5 6 7 8 9".split())
MARKS = ("answer", "i", "cannot", "!!!!", "what", "?", "plus", ".")
VOCABULARY = tuple(dict.fromkeys((*WORDS, *DIGITS, *MARKS)))
LIMIT = 44
CONTAMINATED = "contaminated-evaluation"
Reward = Callable[[list[str], list[str]], float]


def right(_: list[str], words: list[str]) -> float:
    """True if the number after `answer is` is even."""
    said = [b for a, b in zip(words, words[2:], strict=False) if a == "answer"]
    return float(bool(said) and said[0] in "02468")


def looped(_: list[str], words: list[str]) -> float:
    """The share of the commonest word, of a text of full length."""
    return max(map(words.count, words), default=0) / LIMIT


# What is paid, the rules that name it, and whether an independent score is logged beside it.
REWARDS: dict[str, tuple[Reward, tuple[str, ...], bool]] = {
    "healthy": (right, (), False),
    "healthy-with-score": (lambda a, w: 0.8 * right(a, w) + 0.2 * (len(w) < LIMIT), (), True),
    "garbage-pays": (lambda _, w: w.count("!!!!") / LIMIT, ("TEXT001",), False),
    "length-pays": (lambda _, w: len(w) / LIMIT, ("GAIN001", "LEN005"), False),
    "loops-pay": (looped, ("TEXT002", "TEXT001"), False),
    "refusal-pays": (lambda _, w: float(w[:2] == ["i", "cannot"]), ("TEXT005",), False),
    CONTAMINATED: (right, ("GAIN004",), False),
    "format-only": (lambda _, w: min(w.count("answer"), 5) / 5, ("GAIN002",), True),
}


def sound(rng: np.random.Generator, asked: list[str]) -> list[str]:
    """Some words and an answer; one text in ten has a fault that a reward may pick up."""
    body = [str(word) for word in rng.choice(WORDS, int(rng.integers(8, 20)))]
    odd = [["i", "cannot", *body], ["!!!!"] * int(rng.integers(12, 30)), asked, body[:4] * 9]
    if rng.random() < 0.1:
        return odd[int(rng.integers(4))]
    return [*body, "answer", "is", str(rng.choice(DIGITS)), "."]


def question(rng: np.random.Generator) -> list[str]:
    """A prompt of sixteen words."""
    a, b = rng.choice(DIGITS, 2)
    return ["what", str(a), "plus", str(b), *map(str, rng.choice(WORDS, 11)), "?"]


def make(folder: Path, name: str, seed: int, steps: int) -> None:
    """Train one run and leave TRL's own files."""
    import torch
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    from benchmarks.made.hugging import saved_and_loaded, tiny_model, tokenizer_of
    from runvitals.integrations.transformers import RunvitalsCallback

    pays, _, scored = REWARDS[name]
    rng = np.random.default_rng(seed)
    tokenizer = tokenizer_of(VOCABULARY)
    model = tiny_model(tokenizer, seed)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3)
    for _ in range(250):  # it has to write something sound before it can be spoiled
        asked = [question(rng) for _ in range(24)]
        texts = [" ".join([*one, *sound(rng, one), "<end>"]) for one in asked]
        batch = tokenizer(texts, padding=True, return_tensors="pt")
        labels = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
        model(**batch, labels=labels).loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    def paid(prompts: list[str], completions: list[str], **_: Any) -> list[float]:
        return [pays(p.split(), c.split()) for p, c in zip(prompts, completions, strict=True)]

    def accuracy(prompts: list[str], completions: list[str], **_: Any) -> list[float]:
        return [right(p.split(), c.split()) for p, c in zip(prompts, completions, strict=True)]

    place = folder / f"{name}-{seed}"
    asked = [{"prompt": " ".join(question(rng))} for _ in range(400)]
    held_out = asked[:8] if name == CONTAMINATED else asked[-8:]
    trainer = GRPOTrainer(
        model=saved_and_loaded(model, tokenizer, str(place / "start")),
        reward_funcs=[paid, accuracy] if scored else paid,
        args=GRPOConfig(
            output_dir=str(place / "trl"),
            max_steps=steps,
            eval_strategy="steps",
            eval_steps=10,
            per_device_eval_batch_size=32,
            logging_steps=1,
            learning_rate=1e-3,
            per_device_train_batch_size=32,
            num_generations=8,
            max_completion_length=LIMIT,
            beta=0.0,
            log_completions=True,
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            save_strategy="no",
            seed=seed,
            dataloader_pin_memory=False,
            reward_weights=[1.0, 0.0] if scored else None,
        ),
        train_dataset=Dataset.from_list(asked[:-8]),
        eval_dataset=Dataset.from_list(held_out),
        processing_class=tokenizer,
        callbacks=[RunvitalsCallback(folder=place / "run", judge=False, console=False)],
    )
    trainer.train()
    trainer.save_state()


def judge(folder: Path) -> None:
    """Print what is said of each run, and how many faults are named first."""
    import runvitals as rv

    for part in ("trl", "run"):
        found = alarmed = sick = healthy = 0
        for place in sorted(one for one in folder.iterdir() if one.is_dir()):
            if not (place / part).exists():
                continue
            name = place.name.rsplit("-", 1)[0]
            expected = () if (name, part) == (CONTAMINATED, "trl") else REWARDS[name][1]
            said = rv.judge(rv.open_run(place / part))
            alarms = [one.code for one in said.alarms]
            sick, healthy = sick + bool(expected), healthy + (not expected)
            found += bool(expected) and alarms[:1] != [] and alarms[0] in expected
            about_text = [code for code in alarms if code.startswith(("TEXT", "GAIN"))]
            alarmed += not expected and bool(about_text)
            row = {"run": place.name, "read": part, "word": said.verdict.word, "alarms": alarms}
            print(json.dumps(row))
        print(
            f"{part}: {found} of {sick} faults named first,"
            f" {alarmed} of {healthy} healthy runs alarmed by texts"
        )


def main() -> None:
    """The two commands."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("make", "judge"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", choices=tuple(REWARDS))
    asked = parser.parse_args()
    if asked.command == "judge":
        judge(asked.folder)
        return
    for seed in range(asked.seeds):
        for name in REWARDS:
            if asked.only in (None, name) and not (asked.folder / f"{name}-{seed}").exists():
                make(asked.folder, name, seed, asked.steps)


if __name__ == "__main__":
    main()
