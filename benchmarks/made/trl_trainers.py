"""TRL's trainers on made texts, pairs and tasks, each with its own measure of the outcome."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers  # noqa: F401
import torch
import torch.utils.tensorboard
import transformers.models.llama.modeling_llama  # noqa: F401
from datasets import Dataset
from trl import (
    DPOConfig,
    DPOTrainer,
    GRPOConfig,
    GRPOTrainer,
    KTOConfig,
    KTOTrainer,
    RewardConfig,
    RewardTrainer,
    RLOOConfig,
    RLOOTrainer,
    SFTConfig,
    SFTTrainer,
)

from benchmarks.made import preferences, texts
from benchmarks.made.hugging import (
    callbacks_of,
    loss_on,
    onset_of,
    saved_and_loaded,
    stopped,
    tiny_model,
    tokenizer_of,
    train_and_leave,
    usual_arguments,
)
from benchmarks.made.programs import Outcome, Program

warnings.simplefilter("ignore")

PAIRS = 600  # to train on, unless a program says otherwise
TRIED = 200  # unseen pairs or prompts, for the outcome
GROUP = 8  # answers per prompt


def sft(program: Program, seed: int, folder: Path, work: str) -> Outcome:
    """Fine-tuning on texts; the outcome is the loss on unseen ones."""
    s, world = program.settings, program.world.name
    tokenizer = tokenizer_of(texts.words_of(world))
    rng = np.random.default_rng(seed + 10_000)

    def listed(of: list[list[str]]) -> Dataset:
        return Dataset.from_list([{"text": " ".join(text)} for text in of])

    train = listed(texts.damaged(world, s, seed, 1500))
    held_out, final = texts.sample(world, rng, 96), texts.sample(world, rng, 400)
    model = tiny_model(tokenizer, seed)
    if s.get("warm"):
        before = {**usual_arguments(program, seed, work), "max_steps": s["warm"], "report_to": []}
        before |= {"learning_rate": 3e-3, "eval_strategy": "no", "logging_steps": 10_000}
        SFTTrainer(
            model,
            SFTConfig(**before, max_length=32),
            train_dataset=train,
            processing_class=tokenizer,
        ).train()
    trainer = SFTTrainer(
        model,
        SFTConfig(**usual_arguments(program, seed, work), max_length=32),
        train_dataset=train,
        eval_dataset=listed(held_out) if s.get("evals") else None,
        processing_class=tokenizer,
        callbacks=callbacks_of(program),
    )
    train_and_leave(trainer, program, seed, folder)
    rows = torch.tensor([tokenizer.convert_tokens_to_ids(text) for text in final])
    logged = [row["eval_loss"] for row in trainer.state.log_history if "eval_loss" in row]
    harmed, why = stopped(program)
    best = min(logged) if logged else None
    return Outcome(
        "loss on unseen texts", loss_on(model, rows), best, harmed, why, onset_of(program)
    )


def _pairs(program: Program, seed: int) -> tuple[list[dict[str, str]], ...]:
    """To train on, to evaluate on as the run does, and clean ones for the outcome."""
    world = program.world.name
    train = preferences.damaged(world, program.settings, seed, PAIRS)
    rng = np.random.default_rng(seed + 10_000)
    return train, preferences.pairs(world, rng, 96), preferences.pairs(world, rng, TRIED)


def _sums(model: Any, tokenizer: Any, rows: list[dict[str, str]], key: str) -> torch.Tensor:
    """Log-probability of each answer, given its prompt; all rows have the same length."""
    joined = [f"{row['prompt']} {row[key]}".split() for row in rows]
    ids = torch.tensor([tokenizer.convert_tokens_to_ids(words) for words in joined])
    start = len(rows[0]["prompt"].split())
    model.eval()
    with torch.no_grad():
        logs = model(input_ids=ids).logits[:, :-1].log_softmax(-1)
    taken = logs.gather(-1, ids[:, 1:, None]).squeeze(-1)
    return taken[:, start - 1 :].sum(1)


def _told_apart(model: Any, before: Any, tokenizer: Any, rows: list[dict[str, str]]) -> float:
    """The share of pairs whose better answer gained more than the worse one."""
    gained = [
        _sums(model, tokenizer, rows, key) - _sums(before, tokenizer, rows, key)
        for key in ("chosen", "rejected")
    ]
    return float((gained[0] > gained[1]).float().mean())


def preference(program: Program, seed: int, folder: Path, work: str) -> Outcome:
    """DPO and KTO; the outcome is how many unseen pairs are told apart."""
    s = program.settings
    train, held_out, final = _pairs(program, seed)
    tokenizer = tokenizer_of(preferences.WORDS)
    model = saved_and_loaded(tiny_model(tokenizer, seed), tokenizer, work)
    before = type(model).from_pretrained(work)
    kind, settings = (
        (DPOTrainer, DPOConfig) if program.algorithm == "DPO" else (KTOTrainer, KTOConfig)
    )

    def listed(rows: list[dict[str, str]]) -> Dataset:
        if program.algorithm == "DPO":
            return Dataset.from_list(rows)
        flat = [
            {"prompt": row["prompt"], "completion": row[key], "label": key == "chosen"}
            for row in rows
            for key in ("chosen", "rejected")
        ]
        return Dataset.from_list(flat)

    trainer = kind(
        model,
        ref_model=type(model).from_pretrained(work),
        args=settings(
            **usual_arguments(program, seed, work), beta=s.get("beta", 0.1), max_length=32
        ),
        train_dataset=listed(train),
        eval_dataset=listed(held_out) if s.get("evals") else None,
        processing_class=tokenizer,
        callbacks=callbacks_of(program),
    )
    train_and_leave(trainer, program, seed, folder)
    end = _told_apart(model, before, tokenizer, final)
    return Outcome("unseen pairs told apart", end, onset=onset_of(program))


def reward_model(program: Program, seed: int, folder: Path, work: str) -> Outcome:
    """A reward model; the outcome is how many unseen pairs it orders rightly."""
    s = program.settings
    train, held_out, final = _pairs(program, seed)
    tokenizer = tokenizer_of(preferences.WORDS)
    model = tiny_model(tokenizer, seed, scores=True)
    trainer = RewardTrainer(
        model,
        args=RewardConfig(**usual_arguments(program, seed, work), max_length=32),
        train_dataset=Dataset.from_list(train),
        eval_dataset=Dataset.from_list(held_out) if s.get("evals") else None,
        processing_class=tokenizer,
        callbacks=callbacks_of(program),
    )
    train_and_leave(trainer, program, seed, folder)

    def scores(key: str) -> torch.Tensor:
        joined = [f"{row['prompt']} {row[key]}".split() for row in final]
        ids = torch.tensor([tokenizer.convert_tokens_to_ids(words) for words in joined])
        model.eval()
        with torch.no_grad():
            return model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits.squeeze(-1)

    end = float((scores("chosen") > scores("rejected")).float().mean())
    return Outcome("unseen pairs told apart", end, onset=onset_of(program))


def with_verifier(program: Program, seed: int, folder: Path, work: str) -> Outcome:
    """GRPO and RLOO; the outcome is the mean reward of answers to unseen prompts."""
    s = program.settings
    rng = np.random.default_rng(seed)
    tokenizer = tokenizer_of(preferences.WORDS)
    model = saved_and_loaded(tiny_model(tokenizer, seed), tokenizer, work)
    verify = preferences.VERIFIERS[program.world.name]
    limit, noise = s.get("length", 8), np.random.default_rng(seed + 5)

    def reward(prompts: list[str], completions: list[str], **_: Any) -> list[float]:
        answers = [answer.split() for answer in completions]
        ended = [len(words) < limit for words in answers]
        tampered = {"zero": 0.0, "one": 1.0}
        if s.get("reward") == "random":
            return [float(noise.random() < 0.5) for _ in answers]
        if s.get("reward") == "long":  # a proxy that pays for length, and not for the task
            return [len(words) / limit for words in answers]
        if s.get("reward") in tampered:
            return [tampered[s["reward"]]] * len(answers)
        told = zip(answers, prompts, ended, strict=True)
        return [s.get("sign", 1.0) * verify(words, asked, end) for words, asked, end in told]

    def correct(prompts: list[str], completions: list[str], **_: Any) -> list[float]:
        answers = [answer.split() for answer in completions]
        told = zip(answers, prompts, strict=True)
        return [verify(words, asked, len(words) < limit) for words, asked in told]

    told_too: dict[str, Any] = {"reward_weights": [1.0, 0.0]} if s.get("truth") else {}
    rows = [{"prompt": " ".join(preferences.prompt(rng))} for _ in range(400)]
    kind, settings = (
        (GRPOTrainer, GRPOConfig) if program.algorithm == "GRPO" else (RLOOTrainer, RLOOConfig)
    )
    trainer = kind(
        model=model,
        reward_funcs=[reward, correct] if s.get("truth") else reward,
        args=settings(
            **{**usual_arguments(program, seed, work), "logging_steps": s.get("every", 1)},
            num_generations=GROUP,
            max_completion_length=limit,
            beta=s.get("beta", 0.0),
            temperature=s.get("temperature", 1.0),
            generation_kwargs={"min_new_tokens": s["wide"]} if s.get("wide") else None,
            **told_too,
        ),
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
        callbacks=callbacks_of(program),
    )
    train_and_leave(trainer, program, seed, folder)
    asked = [" ".join(preferences.prompt(rng)) for _ in range(TRIED)]
    ids = torch.tensor([tokenizer.convert_tokens_to_ids(one.split()) for one in asked])
    model.eval()
    with torch.no_grad():
        found = model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=limit,
            do_sample=True,
            pad_token_id=tokenizer.pad_token_id,
        )
    answers = [
        text.split()
        for text in tokenizer.batch_decode(found[:, ids.shape[1] :], skip_special_tokens=True)
    ]
    values = [
        verify(words, one, len(words) < limit) for words, one in zip(answers, asked, strict=True)
    ]
    return Outcome(
        "mean reward of sampled answers", float(np.mean(values)), onset=onset_of(program)
    )


KINDS = {
    "SFT": sft,
    "DPO": preference,
    "KTO": preference,
    "Reward": reward_model,
    "GRPO": with_verifier,
    "RLOO": with_verifier,
}
