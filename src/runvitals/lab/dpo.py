"""Learning from preferences: DPO, KTO and SimPO on a tiny language model, recorded throughout.

One file, to be read from top to bottom: the settings, what can go wrong, the training loop, then the
pieces it uses. A base model that is often wrong learns to prefer right answers to wrong ones that it
wrote itself, in a few seconds on one core. Names are those of TRL's trainers.

    with rv.init(project="lab", config=asdict(config)) as run:
        result = train(config, run)

DPO is Rafailov et al. (2023), KTO Ethayarajh et al. (2024), SimPO Meng et al. (2024).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Task, Trained, Trainer, Variant
from runvitals.lab.fault_page import faults
from runvitals.lab.lm import Judged, SequenceNet, accuracy, base_model, judge, push, respond, spoil
from runvitals.lab.nn import Adam, Array, Integers, clip_norm, norm
from runvitals.lab.puzzles import MARK, PAD, Puzzles, Tokens, is_right, lengths, puzzle
from runvitals.lab.tuning import (
    EVERYTHING,
    Means,
    Order,
    check_steps,
    columns_of,
    copy_of,
    some_samples,
    warmed_up,
)
from runvitals.metrics import dpo, kto, simpo
from runvitals.model import ConfigError

Method = Literal["dpo", "kto", "simpo"]


@dataclass(frozen=True)
class PreferenceConfig:
    """All that decides how a run goes. A step is one update of the weights."""

    method: Method = "dpo"
    task: str = "sorting"
    seed: int = 0
    base_seed: int = 0  # which base model; all runs of one experiment share it
    base_steps: int = 300  # how long the base model was trained
    base_noise: float = 0.5  # and how many of the answers it saw were wrong
    max_steps: int = 300
    batch_size: int = 32  # pairs, or half as many good and bad samples each for KTO
    train_samples: int | None = None  # pairs; None: one for each training prompt
    max_length: int | None = None  # tokens of an answer that are kept; None: all
    learning_rate: float = 5e-4
    anneal_learning_rate: bool = True  # in a straight line down to 0
    warmup_ratio: float = 0.05
    beta: float = 0.5
    gamma: float = 0.5  # the margin that SimPO asks for
    label_smoothing: float = 0.0
    max_grad_norm: float = 1.0
    logging_steps: int = 2
    eval_steps: int = 10
    eval_samples: int = 128

    def __post_init__(self) -> None:
        if self.method not in ("dpo", "kto", "simpo"):
            raise ConfigError(f"no method {self.method!r}", hint="one of: dpo, kto, simpo")
        check_steps(self.max_steps, self.logging_steps, self.eval_steps)


@dataclass(frozen=True)
class KTOConfig(PreferenceConfig):
    """KTO's settings. Its loss is bounded, so that it stands a higher learning rate."""

    method: Method = "kto"
    learning_rate: float = 2e-3


@dataclass(frozen=True)
class SimPOConfig(PreferenceConfig):
    """SimPO's settings. Its rewards are means per token, so that beta has another scale."""

    method: Method = "simpo"
    learning_rate: float = 2.5e-4  # no reference holds it back
    beta: float = 2.0


# what can go wrong

[REFERENCE] = faults("""
other-reference (D03): the reference is another checkpoint than the one training began from
  expect: DPO004; accept: DPO003
  doses: 0.1, 0.3, 1.0  # noise on its weights, against their own spread
""")
[ONE_CLASS] = faults("""
one-class-batches (D08): good and bad samples never share a batch
  expect: DPO005; accept: NUM001, POL001
  doses: 1, 10, 100  # batches in a row of one class
""")
FAULTS = faults("""
swapped (D01): chosen and rejected are swapped
  expect: DPO004; accept: EVAL001, DPO003
  doses: mild 0.7, clear 1.0  # share of the pairs

random-labels (D02): which answer is the chosen one is left to chance
  expect: DPO001; accept: DPO002, EVAL001
  doses: 0.5, 0.8, 1.0  # share of the pairs

lr-x100 (D04): learning rate far too high
  expect: DPO003; accept: DPO002, POL001, EVAL001, GRAD001, NUM001, DATA007
  doses: 10, 100, 1000; sets: learning_rate *= dose

few-pairs (D05): many epochs over a few pairs
  expect: DPO002; accept: SFT003, EVAL001
  doses: 256, 64, 16; sets: train_samples = int(dose); late: no

one-token-pairs (D06): the two answers of a pair differ in one token that does not matter
  expect: DPO003; accept: DPO001, DPO002
  doses: 0.5, 0.9, 1.0  # share of the pairs

truncated (D07): answers are cut before the place where they differ
  expect: DPO001; accept: DPO002, POL002, GRAD003
  doses: 3, 2, 1  # tokens that are kept
  sets: max_length = int(dose)

lr-zero (D09): learning rate zero
  expect: POL002; accept: DPO001, DATA007
  sets: learning_rate = 0.0

beta-tiny (D10): beta is far too small: nothing holds the policy to its reference
  expect: DPO003; accept: DPO001, DPO002, EVAL001
  doses: 0.1, 0.01, 0.001; sets: beta *= dose

beta-huge (D10): beta is far too large: the smallest margin is enough
  expect: DPO002; accept: DPO001, GRAD003, POL002
  doses: 10, 100, 1000; sets: beta *= dose

optimizer-step-missing (P25): gradients are computed and never applied
  expect: POL002; accept: DPO001
""")

SCORE = "held-out prompts answered rightly when sampling"
SMALL = {"task": "brackets", "base_steps": 600}  # fewer prompts, and a base model that knows more
SORTING = Task("sorting", "put four digits in order", SCORE, 0.75)
BRACKETS = Task(
    "brackets",
    "close brackets in the right order",
    SCORE,
    0.6,
    {**SMALL, "learning_rate": 1e-4},
)
DPO_TASKS = (SORTING, BRACKETS)
KTO_TASKS = (SORTING, replace(BRACKETS, target=0.75, settings=SMALL))
SIMPO_TASKS = (
    replace(SORTING, target=0.65),
    replace(BRACKETS, target=0.58, settings={**SMALL, "learning_rate": 5e-5}),
)

VARIANTS = (
    Variant(
        "slow-learner",
        "a small learning rate; still improving at the end",
        {"learning_rate": 5e-5},
        learns=False,
    ),
    Variant("short-run", "15 rows of metrics", {"max_steps": 30}, learns=False),
    Variant(
        "solved-early",
        "the base model is nearly always right",
        {"base_steps": 500, "base_noise": 0.02, "learning_rate": 2e-4},
    ),
    Variant("no-annealing", "the rate never falls", {"anneal_learning_rate": False}),
    Variant("no-warm-up", "full rate from the first step", {"warmup_ratio": 0.0}),
    Variant("large-batches", "a quiet loss", {"batch_size": 64}),
    Variant("one-epoch", "every pair is seen once at most", {"max_steps": 100}, learns=False),
    Variant(
        "metrics-missing",
        "no held-out metric, no log-probabilities",
        hide=("eval*", "logps/*", "logits/*", "entropy", "mean_token_accuracy"),
    ),
    Variant("few-logs", "a row every 10 steps", {"logging_steps": 10, "eval_steps": 30}),
)
SMOOTHED = Variant("label-smoothing", "one label in ten is doubted", {"label_smoothing": 0.1})
SMALL_BETA = Variant("small-beta", "a loose leash", {"beta": 0.1, "learning_rate": 3e-4})


# training


def train(config: PreferenceConfig, run: Recorder, sick: Sickness = HEALTHY) -> Trained:
    """Teach a base model which answers are better and log everything through `run`."""
    pairs_rng, order_rng, label_rng, noise_rng, eval_rng = map(
        np.random.default_rng, np.random.SeedSequence(config.seed).spawn(5)
    )
    task = puzzle(config.task)
    columns = columns_of(task)
    base = base_model(
        config.task, columns, config.base_seed, steps=config.base_steps, noise=config.base_noise
    )
    policy, reference = copy_of(base, columns), base
    optimizer = Adam(policy.params)
    data = Pairs.made_by(base, task.train, task.answer_width, pairs_rng)
    held_out = task.held_out.take(np.arange(min(config.eval_samples, len(task.held_out.prompts))))
    eval_data = Pairs.made_by(base, held_out, task.answer_width, pairs_rng)
    labels = Labels(len(data.prompts), label_rng)
    eval_labels = Labels(len(eval_data.prompts), label_rng)
    order = Order(len(data.prompts), order_rng)
    means = Means()
    started = time.perf_counter()
    tokens_seen, epoch = 0, 0.0
    run.progress(total_steps=config.max_steps)

    for step in range(1, config.max_steps + 1):
        sick.at((step - 1) / config.max_steps)
        now = sick.settings(config)
        learning_rate = now.learning_rate * warmed_up(
            sick.progress, now.warmup_ratio, anneal=now.anneal_learning_rate
        )
        if now.method != "simpo" and (dose := sick("other-reference")) and reference is base:
            reference = _with_noise(base, columns, dose, noise_rng)

        rows = order.next(now.batch_size, now.train_samples)
        good = np.arange(len(rows)) < len(rows) // 2  # which samples are the good ones, for KTO
        if now.method == "kto" and (dose := sick("one-class-batches")):
            good[:] = (step // int(dose)) % 2 == 0
        batch = Batch.of(labels.given(data, rows, sick), good, now)

        with run.timer("ref"), np.errstate(over="ignore", invalid="ignore"):
            reference_log_probs = batch.log_probs(reference, now)
        with run.timer("update"), np.errstate(over="ignore", invalid="ignore"):
            judged = judge(policy, batch.prompts, batch.answers)
            found, weights = preference(now, batch, policy, reference, judged, reference_log_probs)
            push(
                policy, judged, batch.answers, np.broadcast_to(weights[:, None], judged.mask.shape)
            )
            grad_norm = clip_norm(policy.grads, now.max_grad_norm)
            if not sick("optimizer-step-missing"):
                optimizer.step(policy.grads, learning_rate)

        means.add(found)
        tokens = int((batch.prompts != PAD).sum() + (batch.answers != PAD).sum())
        tokens_seen += tokens
        epoch += len(rows) / order.size(now.train_samples)
        run.count(updates=1, tokens=tokens, samples=len(rows))
        if step % config.logging_steps:
            continue

        metrics: dict[str, float] = {
            **with_margin(means.take()),
            "grad_norm": grad_norm,
            "learning_rate": learning_rate,
            "num_tokens": tokens_seen,
            "epoch": epoch,
            "preference/beta": now.beta,
            "optim/param_norm": norm(policy.params),
        }
        look_closer = step % config.eval_steps == 0 or step == config.max_steps
        if look_closer:
            with run.timer("eval"), np.errstate(over="ignore", invalid="ignore"):
                every = np.arange(len(eval_data.prompts))
                shown = Batch.of(eval_labels.given(eval_data, every, sick), every % 2 == 0, now)
                metrics |= evaluate(now, shown, policy, reference)
                written = respond(policy, held_out.prompts, task.answer_width, eval_rng)
            right = is_right(written.tokens, held_out.answers)
            metrics["eval/score_mean"] = float(right.mean())
        run.log(metrics, step)
        if look_closer:
            run.log_samples(some_samples(held_out, written.tokens, right), step)
            run.progress(updates=step, tokens=tokens_seen)

    with np.errstate(over="ignore", invalid="ignore"):
        score = accuracy(policy, task, EVERYTHING, temperature=1.0)
    return Trained(score, config.max_steps, time.perf_counter() - started)


# data


class Pairs(NamedTuple):
    """Two answers to each prompt, the better one first."""

    prompts: Tokens
    chosen: Tokens
    rejected: Tokens

    @classmethod
    def made_by(
        cls, model: SequenceNet, rows: Puzzles, width: int, rng: np.random.Generator
    ) -> Pairs:
        """Right answers beside wrong ones of the model, or spoilt ones where it was right."""
        written = respond(model, rows.prompts, width, rng).tokens
        right = is_right(written, rows.answers)[:, None]
        wrong = np.where(right, spoil(rows.answers, 1.0, rng), written)
        return cls(rows.prompts, rows.answers, wrong)


class Labels:
    """Which answer of a pair is called the better one: the right one, unless a fault acts."""

    def __init__(self, count: int, rng: np.random.Generator) -> None:
        self._draw = rng.random(count)  # one per pair, so that a pair keeps its label
        self._coin = rng.random(count) < 0.5

    def given(self, pairs: Pairs, rows: Integers, sick: Sickness) -> Pairs:
        """These rows of the pairs, with the labels they have in the data."""
        prompts, chosen, rejected = (part[rows] for part in pairs)
        swap = np.zeros(len(rows), np.bool_)
        if share := sick("swapped"):
            swap = self._draw[rows] < share
        if share := sick("random-labels"):
            swap = (self._draw[rows] < share) & self._coin[rows]
        if share := sick("one-token-pairs"):
            other_mark = chosen.copy()
            other_mark[:, 0] = MARK + 1
            rejected = np.where((self._draw[rows] < share)[:, None], other_mark, rejected)
        swap = swap[:, None]
        return Pairs(prompts, np.where(swap, rejected, chosen), np.where(swap, chosen, rejected))


class Batch(NamedTuple):
    """Answers to judge: for pairs all chosen ones and then all rejected ones, for KTO in any order."""

    prompts: Tokens
    answers: Tokens
    good: NDArray[np.bool_]

    @classmethod
    def of(cls, pairs: Pairs, good: NDArray[np.bool_], config: PreferenceConfig) -> Batch:
        """What the method makes of pairs; KTO takes one answer of each, and `good` says which."""
        chosen, rejected = (part[:, : config.max_length] for part in (pairs.chosen, pairs.rejected))
        if config.method == "kto":
            return cls(pairs.prompts, np.where(good[:, None], chosen, rejected), good)
        twice = np.concatenate([pairs.prompts, pairs.prompts])
        first = np.arange(len(twice)) < len(pairs.prompts)
        return cls(twice, np.concatenate([chosen, rejected]), first)

    def log_probs(self, model: SequenceNet, config: PreferenceConfig) -> Array:
        """Of whole answers under a reference; SimPO needs none."""
        if config.method == "simpo":
            return np.zeros(len(self.answers), np.float32)
        whole: Array = judge(model, self.prompts, self.answers).log_probs.sum(axis=1)
        return whole

    def mismatched_kl(self, policy: SequenceNet, reference: SequenceNet) -> float:
        """How far the policy has moved, judged on answers to other prompts (KTO's baseline)."""
        others = np.roll(self.answers, 1, axis=0)
        mine = judge(policy, self.prompts, others).log_probs.sum(axis=1)
        theirs = judge(reference, self.prompts, others).log_probs.sum(axis=1)
        return max(0.0, float((mine - theirs).mean()))


# the losses


def preference(
    config: PreferenceConfig,
    batch: Batch,
    policy: SequenceNet,
    reference: SequenceNet,
    judged: Judged,
    reference_log_probs: Array,
) -> tuple[dict[str, float], Array]:
    """The metrics of a batch, and the loss's gradient at the log-probability of each answer."""
    log_probs = judged.log_probs.sum(axis=1)
    half = len(log_probs) // 2
    if config.method == "kto":
        kl = batch.mismatched_kl(policy, reference)
        stats = kto(log_probs, reference_log_probs, batch.good, kl=kl, beta=config.beta)
        sides = np.where(batch.good, 1.0, -1.0)
        happy = _sigmoid(sides * config.beta * (log_probs - reference_log_probs - kl))
        weights = -sides * config.beta * happy * (1.0 - happy) / len(sides)
    elif config.method == "simpo":
        length = lengths(batch.answers)
        stats = simpo(
            log_probs[:half],
            log_probs[half:],
            length[:half],
            length[half:],
            beta=config.beta,
            gamma=config.gamma,
            label_smoothing=config.label_smoothing,
        )
        rewards = config.beta * log_probs / length
        slope = _slope(rewards[:half] - rewards[half:] - config.gamma, config.label_smoothing)
        weights = config.beta * np.concatenate([slope, -slope]) / half / length
    else:
        stats = dpo(
            log_probs[:half],
            log_probs[half:],
            reference_log_probs[:half],
            reference_log_probs[half:],
            beta=config.beta,
            label_smoothing=config.label_smoothing,
        )
        rewards = config.beta * (log_probs - reference_log_probs)
        slope = _slope(rewards[:half] - rewards[half:], config.label_smoothing)
        weights = config.beta * np.concatenate([slope, -slope]) / half
    found = {NAMES[name]: float(value) for name, value in stats.items() if name in NAMES}
    if config.method == "kto":
        del found["rewards/accuracies"]  # TRL's KTO has none
    return {**_only_present(found, batch), **_logits(judged, batch)}, weights


NAMES = {
    "preference/loss": "loss",
    "preference/chosen_reward": "rewards/chosen",
    "preference/rejected_reward": "rewards/rejected",
    "preference/accuracy": "rewards/accuracies",
    "preference/chosen_logprob": "logps/chosen",
    "preference/rejected_logprob": "logps/rejected",
    "preference/kl": "kl",
}


def _sigmoid(x: Array) -> Array:
    share: Array = 0.5 * (1.0 + np.tanh(0.5 * x))
    return share


def _slope(x: Array, smoothing: float) -> Array:
    """Of the smoothed log-sigmoid loss at `x`."""
    return _sigmoid(x) - (1.0 - smoothing)


def _only_present(found: dict[str, float], batch: Batch) -> dict[str, float]:
    """Without the numbers of a class that the batch has not."""
    absent = {"chosen": not batch.good.any(), "rejected": bool(batch.good.all())}
    return {name: value for name, value in found.items() if not absent.get(name.rpartition("/")[2])}


def _logits(judged: Judged, batch: Batch) -> dict[str, float]:
    """Mean logits over the answers of each class, and the entropy of the next token."""
    outputs = judged.reading.outputs[:, -judged.mask.shape[1] :].mean(axis=-1)
    found = {"entropy": float(judged.entropy.sum() / judged.mask.sum())}
    for name, rows in (("logits/chosen", batch.good), ("logits/rejected", ~batch.good)):
        if rows.any():
            found[name] = float(outputs[rows][judged.mask[rows]].mean())
    return found


def with_margin(means: dict[str, float]) -> dict[str, float]:
    """Metrics with the margin, where both classes were there."""
    if {"rewards/chosen", "rewards/rejected"} <= means.keys():
        return means | {"rewards/margins": means["rewards/chosen"] - means["rewards/rejected"]}
    return means


# evaluation


def evaluate(
    config: PreferenceConfig, batch: Batch, policy: SequenceNet, reference: SequenceNet
) -> dict[str, float]:
    """The same numbers on held-out pairs."""
    judged = judge(policy, batch.prompts, batch.answers)
    means = Means()
    before = batch.log_probs(reference, config)
    means.add(preference(config, batch, policy, reference, judged, before)[0])
    return {f"eval_{name}": value for name, value in with_margin(means.take()).items()}


def _with_noise(
    model: SequenceNet, columns: int, share: float, rng: np.random.Generator
) -> SequenceNet:
    """A copy with noise on its weights, as strong as this share of their own spread."""
    noisy = copy_of(model, columns)
    for params in noisy.params:
        noise = rng.standard_normal(len(params)).astype(params.dtype)
        params += share * params.std() * noise
    return noisy


# the trainers

GLOSSARY = {
    "loss": "loss/dpo",
    "rewards/accuracies": "rewards/accuracy",
    "epoch": "progress/epoch",
    "num_tokens": "progress/tokens",
    "entropy": "lm/entropy",
    "kl": "preference/kl",
    "eval_loss": "eval/loss",
    "eval_kl": "eval/preference/kl",
    "eval_entropy": "eval/lm/entropy",
    "eval_rewards/accuracies": "eval/rewards/accuracy",
    "eval_rewards/chosen": "eval/preference/chosen_reward",
    "eval_rewards/rejected": "eval/preference/rejected_reward",
    "eval_rewards/margins": "eval/preference/margin",
    "eval_logps/chosen": "eval/preference/chosen_logprob",
    "eval_logps/rejected": "eval/preference/rejected_logprob",
    "eval_logits/chosen": "eval/preference/chosen_logits",
    "eval_logits/rejected": "eval/preference/rejected_logits",
}

DPO = Trainer(
    name="dpo",
    title="Direct preference optimisation of a tiny language model",
    algorithm="DPO",
    config=PreferenceConfig,
    train=train,
    tasks=DPO_TASKS,
    faults=(*FAULTS, REFERENCE),
    variants=(*VARIANTS, SMOOTHED, SMALL_BETA),
    framework="trl",
    dialects={"glossary": GLOSSARY},
)
KTO = Trainer(
    name="kto",
    title="Kahneman-Tversky optimisation of a tiny language model",
    algorithm="KTO",
    config=KTOConfig,
    train=train,
    tasks=KTO_TASKS,
    faults=(*FAULTS, REFERENCE, ONE_CLASS),
    variants=VARIANTS,
    framework="trl",
    dialects={"glossary": GLOSSARY},
)
SIMPO = Trainer(
    name="simpo",
    title="Simple preference optimisation of a tiny language model",
    algorithm="SimPO",
    config=SimPOConfig,
    train=train,
    tasks=SIMPO_TASKS,
    faults=FAULTS,
    variants=(*VARIANTS, SMOOTHED),
    framework="trl",
    dialects={"glossary": GLOSSARY},
)
