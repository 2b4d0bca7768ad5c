"""What runs of the Hugging Face Trainer and of TRL share: tiny models, and the logs they leave."""

from __future__ import annotations

import contextlib
import os
import shutil
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.made.programs import Program

LATE = 0.65  # of the run: where a late fault sets in
# rules that name the same fault in runs of either
NOT_LEARNING = ("SFT001", "SFT006")
ENDED = ("DATA004", "PERF006")
DIVERGED = (
    "SFT002",
    "SFT001",
    "POL001",
    "NUM001",
    "GRAD001",
    "GRAD004",
    "DATA007",
    "LR001",
    "LR002",
)
FORMS = ("state", "events", "checkpoint", "console")


def form_of(program: Program, seed: int) -> str:
    """Which of the logs that the Trainer can leave is kept."""
    return FORMS[zlib.crc32(f"{program.name}{seed}".encode()) % len(FORMS)]


def tokenizer_of(words: tuple[str, ...]) -> Any:
    """One token per word."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: k for k, word in enumerate(("<pad>", "<end>", "<unk>", *words))}
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="<pad>", eos_token="<end>", unk_token="<unk>"
    )


def tiny_model(tokenizer: Any, seed: int, *, width: int = 48, scores: bool = False) -> Any:
    """A random Llama of two layers; with one output instead of words if it is to give scores."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, LlamaConfig

    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=64,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        num_labels=1,
    )
    kind = AutoModelForSequenceClassification if scores else AutoModelForCausalLM
    return kind.from_config(config)


def saved_and_loaded(model: Any, tokenizer: Any, place: str) -> Any:
    """The same model with a path that a trainer can load its reference from."""
    model.save_pretrained(place)
    tokenizer.save_pretrained(place)
    return type(model).from_pretrained(place)


def usual_arguments(program: Program, seed: int, work: str) -> dict[str, Any]:
    """Arguments of every trainer."""
    s = program.settings
    return {
        "output_dir": work,
        "max_steps": s["steps"],
        "logging_steps": s.get("every", 5),
        "learning_rate": s.get("lr", 3e-3),
        "lr_scheduler_type": s.get("schedule", "linear"),
        "warmup_steps": s.get("warmup", 0),
        "per_device_train_batch_size": s.get("batch", 16),
        "per_device_eval_batch_size": 64,
        "eval_strategy": "steps" if s.get("evals") else "no",
        "eval_steps": max(1, s["steps"] // s["evals"]) if s.get("evals") else None,
        "save_strategy": "no",
        "report_to": ["tensorboard"] if form_of(program, seed) == "events" else [],
        "disable_tqdm": True,
        "use_cpu": True,
        "seed": seed,
        "max_grad_norm": s.get("clip", 1.0),
        "dataloader_pin_memory": False,
    }


def callbacks_of(program: Program) -> list[Any]:
    """For faults that set in late, and for runs that end before their plan."""
    from transformers import TrainerCallback

    s = program.settings
    late = int(LATE * s["steps"])

    class Late(TrainerCallback):
        def on_step_begin(self, _args: Any, state: Any, _control: Any, **more: Any) -> None:
            if s.get("late_lr") and state.global_step >= late:
                for group in more["optimizer"].param_groups:
                    group["lr"] = s["late_lr"]

        def on_step_end(self, _args: Any, state: Any, control: Any, **_more: Any) -> None:
            if s.get("stops_at") and state.global_step >= s["stops_at"]:
                control.should_training_stop = True

    return [Late()]


def train_and_leave(trainer: Any, program: Program, seed: int, folder: Path) -> None:
    """Train, and keep the log in the form this run has; nothing else of what the trainer wrote."""
    form = form_of(program, seed)
    work = Path(trainer.args.output_dir)
    console = folder / "train.log" if form == "console" else Path(os.devnull)
    with console.open("w") as out, contextlib.redirect_stdout(out):
        trainer.train()
    if form in ("state", "checkpoint"):
        trainer.save_state()
        place = (
            folder / f"checkpoint-{trainer.state.global_step}" if form == "checkpoint" else folder
        )
        place.mkdir(exist_ok=True)
        shutil.copy(work / "trainer_state.json", place)
    if form == "events":
        shutil.copytree(work / "runs", folder / "runs")


def working_folder() -> TemporaryDirectory[str]:
    """For what a trainer writes besides its log."""
    return TemporaryDirectory(prefix="made-")


def stopped(program: Program) -> tuple[bool | None, str]:
    """Whether the run ended before its plan."""
    s = program.settings
    if not s.get("stops_at"):
        return None, ""
    return True, f"stopped after {s['stops_at']} of {s['steps']} steps"


def onset_of(program: Program) -> int | None:
    """The step from which on a late fault acts."""
    return int(LATE * program.settings["steps"]) if program.settings.get("late_lr") else None


def loss_on(model: Any, rows: Any) -> float:
    """Cross-entropy per word of a causal model on rows of token numbers without padding."""
    import torch
    from torch.nn.functional import cross_entropy

    model.eval()
    with torch.no_grad():
        scores = model(input_ids=rows).logits[:, :-1]
    return float(cross_entropy(scores.transpose(1, 2), rows[:, 1:]))
