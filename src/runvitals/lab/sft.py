"""Supervised fine-tuning of a tiny language model, recorded from head to foot.

One file, to be read from top to bottom: the settings, what can go wrong, the training loop, then the
pieces it uses. A base model that has seen too little of a puzzle learns its right answers, in a
second or two on one core. Names are those of TRL's SFTTrainer.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from runvitals.lab import lm
from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Trained, Trainer
from runvitals.lab.nn import Adam, Array, clip_norm, generators, norm
from runvitals.lab.pages import dialect, faults, tasks, variants
from runvitals.lab.puzzles import PAD, VOCABULARY, Puzzle, Tokens, is_right, puzzle
from runvitals.lab.tuning import (
    EVERYTHING,
    Order,
    check_steps,
    columns_of,
    copy_of,
    some_samples,
    warmed_up,
)


@dataclass(frozen=True)
class SFTConfig:
    """All that decides how a run goes. A step is one update of the weights."""

    task: str = "sorting"
    seed: int = 0
    base_seed: int = 0  # which base model; all runs of one experiment share it
    base_steps: int = 80  # how long the base model was trained
    base_noise: float = 0.5  # and how many of the answers it saw were wrong
    max_steps: int = 600
    batch_size: int = 64
    train_samples: int | None = None  # None: all there are
    learning_rate: float = 1e-2
    lr_scheduler_type: Literal["linear", "cosine", "constant"] = "linear"
    warmup_ratio: float = 0.05
    max_grad_norm: float = 1.0
    fp16: bool = False  # gradients pass through 16 bits
    loss_scale: float = 1.0  # they are multiplied by this before, and divided after
    logging_nan_inf_filter: bool = True  # a loss that is not a number is left out of the mean
    logging_steps: int = 5
    eval_steps: int = 25
    eval_samples: int = 256

    def __post_init__(self) -> None:
        check_steps(self.max_steps, self.logging_steps, self.eval_steps)


def learning_rate_at(config: SFTConfig, progress: float) -> float:
    """The rate at a share of the run: up in a straight line, then down as the schedule says.

    >>> round(learning_rate_at(SFTConfig(learning_rate=1.0, warmup_ratio=0.1), 0.55), 6)
    0.5
    """
    anneal = config.lr_scheduler_type != "constant"
    share = warmed_up(progress, config.warmup_ratio, anneal=anneal)
    if config.lr_scheduler_type == "cosine" and progress > config.warmup_ratio:
        share = 0.5 * (1.0 - math.cos(math.pi * share))
    return config.learning_rate * share


# what can go wrong

FAULTS = faults(
    """
lr-x100 (S01): learning rate far too high
  expect: SFT002; accept: SFT001, POL001, GRAD001, DATA007, NUM001, EVAL001; doses: 10, 100, 1000
  sets: learning_rate *= dose
lr-zero (S01): learning rate zero
  expect: POL002; accept: SFT001, DATA007; sets: learning_rate = 0.0
lr-tiny (S01): learning rate of 1e-8 or a little more
  expect: SFT001; accept: POL002, DATA007; doses: 1e-05, 1e-06, 1e-08
labels-masked (S02): the labels are ignored in the loss, as with a chat template that marks no
    answer
  expect: SFT004; accept: SFT001, POL002, GRAD003
  doses: mild 0.95, clear 1.0  # share of the samples
labels-shifted-twice (S03): labels are shifted by the trainer and again by the data
  expect: SFT001; accept: EVAL001, EVAL002
few-samples (S04): many epochs over a few samples
  expect: SFT003; accept: EVAL001; doses: 256, 64, 16; sets: train_samples = int(dose); late: no
fp16-overflow (S05): 16-bit gradients overflow; the filter hides the loss that is not a number
  expect: NUM002; accept: NUM001, SFT004, EVAL001
  sets: fp16 = True, loss_scale = dose, logging_nan_inf_filter = True
  doses: 16777216, 268435456, 4294967296  # 2^24, 2^28, 2^32
fp16-overflow-unfiltered (S05): 16-bit gradients overflow, and the log says so
  expect: NUM001; accept: NUM002, EVAL001
  sets: fp16 = True, loss_scale = dose, logging_nan_inf_filter = False
  doses: 16777216, 268435456, 4294967296  # 2^24, 2^28, 2^32
wrong-answers (S06): a share of the training answers is wrong; one run alone cannot show it
  accept: SFT001, EVAL001; doses: 0.2, 0.5, 0.9
bad-batches (S07): some batches in a row are garbage
  expect: GRAD001; accept: POL001, LR001; doses: 1, 5, 25
optimizer-step-missing (P25): gradients are computed and never applied
  expect: POL002; accept: SFT001
optimizer-lost (X06): resumed without the state of the optimiser and of its schedule
  expect: DATA005; accept: LR001, GRAD001, POL001; late: no; resume_at: 0.5
""",
    changes={"lr-tiny": lambda c, dose: {"learning_rate": min(dose, c.learning_rate)}},
)

TASKS = tasks(
    "held-out prompts answered rightly",
    """
sorting (0.9): put four digits in order
brackets (0.9): close brackets in the right order
  sets: task="brackets", base_steps=150
addition (0.7): add two numbers
  sets: task="addition", max_steps=1200, logging_steps=10, eval_steps=50
""",
)
VARIANTS = variants("""
slow-learner: a tenth of the learning rate; still improving at the end
  sets: learning_rate=1e-3; learns: no
short-run: 15 rows of metrics
  sets: max_steps=75; learns: no
solved-early: the base model knows the task already
  sets: base_steps=600, base_noise=0.0, learning_rate=1e-3; tasks: sorting, brackets
cosine: the rate falls to zero in a cosine
  sets: lr_scheduler_type="cosine"
constant-rate: the rate never falls
  sets: lr_scheduler_type="constant"
no-warm-up: full rate from the first step
  sets: warmup_ratio=0.0
small-batches: a noisy loss
  sets: batch_size=16, learning_rate=5e-3
large-batches: few epochs turn into many
  sets: batch_size=256
fp16: 16-bit gradients that fit
  sets: fp16=True, loss_scale=256.0
many-epochs: a third of the samples, seen three times as often, and no overfit
  sets: train_samples=1200; tasks: sorting
metrics-missing: no evaluation, and only the usual four numbers
  hides: eval*, entropy, mean_token_accuracy, num_tokens
few-logs: a row every 20 steps
  sets: logging_steps=20, eval_steps=60
resumed: stopped half-way and resumed with everything
  resume_at: 0.5
""")


# training


@dataclass
class State:
    """Where a training is; what a checkpoint holds."""

    model: lm.SequenceNet
    optimizer: Adam
    order: Order
    noise_rng: np.random.Generator
    eval_rng: np.random.Generator
    step: int = 0
    schedule_began: int = 0  # the step at which the learning rate's schedule began
    tokens: int = 0
    epoch: float = 0.0
    bad_batches: int = 0

    @classmethod
    def new(cls, config: SFTConfig, task: Puzzle) -> State:
        """The beginning: a copy of the base model, and an optimiser that has seen nothing."""
        order_rng, noise_rng, eval_rng = generators(config.seed, 3)
        columns = columns_of(task)
        base = lm.base_model(
            config.task, columns, config.base_seed, steps=config.base_steps, noise=config.base_noise
        )
        model = copy_of(base, columns)
        order = Order(len(task.train.prompts), order_rng)
        return cls(model, Adam(model.params), order, noise_rng, eval_rng)


@np.errstate(over="ignore", invalid="ignore")  # a sick run may overflow
def train(
    config: SFTConfig,
    run: Recorder,
    sick: Sickness = HEALTHY,
    *,
    stop_at: float | None = None,
    resume: State | None = None,
) -> Trained:
    """Teach a base model the right answers and log everything through `run`."""
    task = puzzle(config.task)
    state = State.new(config, task) if resume is None else resume
    if resume is not None and sick("optimizer-lost"):
        state.optimizer = Adam(state.model.params)
        state.schedule_began = state.step
    model = state.model
    last_step = config.max_steps if stop_at is None else int(stop_at * config.max_steps)
    logged = TokenWindow()
    started = time.perf_counter()
    run.progress(total_steps=config.max_steps)

    while state.step < last_step:
        sick.at(state.step / config.max_steps)
        now = sick.settings(config)
        learning_rate = learning_rate_at(
            now, (state.step - state.schedule_began) / config.max_steps
        )
        state.step += 1

        rows = task.train.take(state.order.next(now.batch_size, now.train_samples))
        answers = rows.answers
        if share := sick("wrong-answers"):
            answers = lm.spoil(answers, share, state.noise_rng)
        if state.bad_batches < sick("bad-batches") and state.step > 0.1 * config.max_steps:
            state.bad_batches += 1
            answers = state.noise_rng.integers(PAD + 1, VOCABULARY, answers.shape)
        labels = labels_of(answers, sick, state.noise_rng)

        with run.timer("update"):
            judged = against(lm.judge(model, rows.prompts, answers), labels)
            count = max(1, int(judged.mask.sum()))
            loss = -float(judged.log_probs.sum()) / count
            lm.push(model, judged, labels, np.full(labels.shape, -1.0 / count, np.float32))
            if now.fp16:
                through_16_bits(model.grads, now.loss_scale)
            grad_norm = clip_norm(model.grads, now.max_grad_norm)
            if not sick("optimizer-step-missing"):
                state.optimizer.step(model.grads, learning_rate)

        logged.add(loss, judged, labels, now.logging_nan_inf_filter)
        tokens = int((rows.prompts != PAD).sum() + (answers != PAD).sum())
        state.tokens += tokens
        state.epoch += len(rows.prompts) / state.order.size(now.train_samples)
        run.count(updates=1, tokens=tokens, samples=len(rows.prompts))
        if state.step % config.logging_steps:
            continue

        metrics: dict[str, float] = {
            **logged.take(),
            "grad_norm": grad_norm,
            "learning_rate": learning_rate,
            "num_tokens": state.tokens,
            "epoch": state.epoch,
            "optim/param_norm": norm(model.params),
        }
        evaluate = state.step % config.eval_steps == 0 or state.step == config.max_steps
        if evaluate:
            with run.timer("eval"):
                found, samples = evaluation(model, task, config, sick, state.eval_rng)
            metrics |= found
        run.log(metrics, state.step)
        if evaluate:
            run.log_samples(samples, state.step)
            run.progress(updates=state.step, tokens=state.tokens)

    score = lm.accuracy(model, task, EVERYTHING, temperature=1.0)
    return Trained(score, state.step, time.perf_counter() - started, checkpoint=state)


def labels_of(answers: Tokens, sick: Sickness, rng: np.random.Generator) -> Tokens:
    """What the model is to say at each column of the answers; the filling is ignored."""
    labels = answers
    if sick("labels-shifted-twice"):
        labels = np.pad(answers[:, 1:], ((0, 0), (0, 1)))
    if share := sick("labels-masked"):
        labels = np.where(rng.random((len(labels), 1)) < share, PAD, labels)
    return labels


def against(judged: lm.TokenScores, labels: Tokens) -> lm.TokenScores:
    """The same choices, compared with other labels than the tokens that were read."""
    mask = labels != PAD
    log_probs = judged.choice.log_prob(labels.ravel()).reshape(labels.shape)
    return judged._replace(log_probs=np.where(mask, log_probs, 0.0), mask=mask)


def through_16_bits(grads: Sequence[Array], scale: float) -> None:
    """Let gradients pass through 16-bit numbers, in place; what does not fit becomes infinite."""
    for grad in grads:
        grad[:] = (grad * np.float32(scale)).astype(np.float16) / np.float32(scale)


class TokenWindow:
    """Means over the steps since the last row of metrics."""

    def __init__(self) -> None:
        self._sums: Array = np.zeros(5)  # steps, loss, entropy, right tokens, tokens

    def add(self, loss: float, judged: lm.TokenScores, labels: Tokens, filtered: bool) -> None:
        """Take a step in. A filtered loss that is not a number counts as the mean so far."""
        if filtered and not math.isfinite(loss):
            loss = self._sums[1] / (1 + self._sums[0])
        entropy = (judged.entropy * judged.mask).sum()
        likeliest = judged.choice.mode().reshape(labels.shape)
        right = ((likeliest == labels) & judged.mask).sum()
        self._sums += (1.0, loss, entropy, right, judged.mask.sum())

    def take(self) -> dict[str, float]:
        """The means; a new window begins."""
        steps, loss, entropy, right, tokens = self._sums.tolist()
        self._sums[:] = 0.0
        counted = max(1.0, tokens)
        return {
            "loss": loss / steps,
            "entropy": entropy / counted,
            "mean_token_accuracy": right / counted,
        }


def evaluation(
    model: lm.SequenceNet, task: Puzzle, config: SFTConfig, sick: Sickness, rng: np.random.Generator
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Loss on held-out rows, and how many of their prompts the model answers rightly."""
    rows = task.held_out.take(np.arange(min(config.eval_samples, len(task.held_out.prompts))))
    labels = labels_of(rows.answers, sick, rng)
    judged = against(lm.judge(model, *rows), labels)
    window = TokenWindow()
    count = max(1, int(judged.mask.sum()))
    window.add(-float(judged.log_probs.sum()) / count, judged, labels, filtered=False)
    written = lm.respond(model, rows.prompts, task.answer_width, rng)
    right = is_right(written.tokens, rows.answers)
    samples = some_samples(rows, written.tokens, right)
    metrics = {f"eval_{name}": value for name, value in window.take().items()}
    return {**metrics, "eval/score_mean": float(right.mean())}, samples


TRANSFORMERS = dialect("""
num_tokens = num_input_tokens_seen; entropy = lm/entropy; mean_token_accuracy = lm/token_accuracy;
eval_entropy = eval/lm/entropy; eval_mean_token_accuracy = eval/lm/token_accuracy
""")
SFT = Trainer(
    "sft", "Supervised fine-tuning of a tiny language model", "SFT", SFTConfig, train, TASKS, FAULTS,
    VARIANTS, "trl", resumable=True, dialects={"transformers": TRANSFORMERS},
)  # fmt: skip
