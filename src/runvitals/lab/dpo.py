"""Learning from preferences: DPO, KTO and SimPO on a tiny language model, recorded throughout.

To be read from top to bottom: the training loop, then the pieces it uses; settings and faults are in
`dpo_settings.py`. A base model that is often wrong learns to prefer right answers to wrong ones that it
wrote itself, in a few seconds on one core. Names are those of TRL's trainers.

DPO is Rafailov et al. (2023), KTO Ethayarajh et al. (2024), SimPO Meng et al. (2024).
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab import lm
from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Trained, Trainer
from runvitals.lab.dpo_settings import (
    DPO_TASKS,
    FAULTS,
    GLOSSARY,
    KTO_TASKS,
    ONE_CLASS,
    REFERENCE,
    SIMPO_TASKS,
    SMALL_BETA,
    SMOOTHED,
    VARIANTS,
    KTOConfig,
    PreferenceConfig,
    SimPOConfig,
)
from runvitals.lab.measures import Means
from runvitals.lab.nn import Adam, Array, Integers, clip_norm, generators, norm
from runvitals.lab.puzzles import MARK, PAD, Pairs, Puzzles, Tokens, is_right, lengths, puzzle
from runvitals.lab.tuning import EVERYTHING, Order, columns_of, copy_of, some_samples, warmed_up
from runvitals.metrics import dpo, kto, simpo

# training


@np.errstate(over="ignore", invalid="ignore")  # a sick run may overflow
def train(config: PreferenceConfig, run: Recorder, sick: Sickness = HEALTHY) -> Trained:
    """Teach a base model which answers are better and log everything through `run`."""
    pairs_rng, order_rng, label_rng, noise_rng, eval_rng = generators(config.seed, 5)
    task = puzzle(config.task)
    columns = columns_of(task)
    base = lm.base_model(
        config.task, columns, config.base_seed, steps=config.base_steps, noise=config.base_noise
    )
    policy, reference = copy_of(base, columns), base
    optimizer = Adam(policy.params)
    data = pairs_made_by(base, task.train, task.answer_width, pairs_rng)
    held_out = task.held_out.take(np.arange(min(config.eval_samples, len(task.held_out.prompts))))
    eval_data = pairs_made_by(base, held_out, task.answer_width, pairs_rng)
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
        batch = AnswerBatch.of(labels.given(data, rows, sick), good, now)

        with run.timer("ref"):
            reference_log_probs = batch.log_probs(reference, now)
        with run.timer("update"):
            judged = lm.judge(policy, batch.prompts, batch.answers)
            found, weights = preference(now, batch, policy, reference, judged, reference_log_probs)
            lm.push(
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
            with run.timer("eval"):
                every = np.arange(len(eval_data.prompts))
                shown = AnswerBatch.of(
                    eval_labels.given(eval_data, every, sick), every % 2 == 0, now
                )
                metrics |= evaluate(now, shown, policy, reference)
                written = lm.respond(policy, held_out.prompts, task.answer_width, eval_rng)
            right = is_right(written.tokens, held_out.answers)
            metrics["eval/score_mean"] = float(right.mean())
        run.log(metrics, step)
        if look_closer:
            run.log_samples(some_samples(held_out, written.tokens, right), step)
            run.progress(updates=step, tokens=tokens_seen)

    score = lm.accuracy(policy, task, EVERYTHING, temperature=1.0)
    return Trained(score, config.max_steps, time.perf_counter() - started)


# data


def pairs_made_by(
    model: lm.SequenceNet, rows: Puzzles, width: int, rng: np.random.Generator
) -> Pairs:
    """Right answers beside wrong ones of the model, or spoilt ones where it was right."""
    written = lm.respond(model, rows.prompts, width, rng).tokens
    right = is_right(written, rows.answers)[:, None]
    wrong = np.where(right, lm.spoil(rows.answers, 1.0, rng), written)
    return Pairs(rows.prompts, rows.answers, wrong)


class Labels:
    """Which answer of a pair is called the better one: the right one, unless a fault acts."""

    def __init__(self, count: int, rng: np.random.Generator) -> None:
        self._draw = rng.random(count)  # one per pair, so that a pair keeps its label
        self._coin = rng.random(count) < 0.5

    def given(self, pairs: Pairs, rows: Integers, sick: Sickness) -> Pairs:
        """These rows of the pairs, with the labels they have in the data."""
        pairs = pairs.take(rows)
        swap = np.zeros(len(rows), np.bool_)
        if share := sick("swapped"):
            swap = self._draw[rows] < share
        if share := sick("random-labels"):
            swap = (self._draw[rows] < share) & self._coin[rows]
        if share := sick("one-token-pairs"):
            other_mark = pairs.chosen.copy()
            other_mark[:, 0] = MARK + 1
            same = (self._draw[rows] < share)[:, None]
            pairs = pairs._replace(rejected=np.where(same, other_mark, pairs.rejected))
        return pairs.swapped(swap)


class AnswerBatch(NamedTuple):
    """Answers to judge: for pairs all chosen ones and then all rejected ones, for KTO in any order."""

    prompts: Tokens
    answers: Tokens
    good: NDArray[np.bool_]

    @classmethod
    def of(cls, pairs: Pairs, good: NDArray[np.bool_], config: PreferenceConfig) -> AnswerBatch:
        """What the method makes of pairs; KTO takes one answer of each, and `good` says which."""
        chosen, rejected = (part[:, : config.max_length] for part in (pairs.chosen, pairs.rejected))
        if config.method == "kto":
            return cls(pairs.prompts, np.where(good[:, None], chosen, rejected), good)
        twice = np.concatenate([pairs.prompts, pairs.prompts])
        first = np.arange(len(twice)) < len(pairs.prompts)
        return cls(twice, np.concatenate([chosen, rejected]), first)

    def log_probs(self, model: lm.SequenceNet, config: PreferenceConfig) -> Array:
        """Of whole answers under a reference; SimPO needs none."""
        if config.method == "simpo":
            return np.zeros(len(self.answers), np.float32)
        return lm.judge(model, self.prompts, self.answers).log_probs.sum(axis=1)

    def mismatched_kl(self, policy: lm.SequenceNet, reference: lm.SequenceNet) -> float:
        """How far the policy has moved, judged on answers to other prompts (KTO's baseline)."""
        others = np.roll(self.answers, 1, axis=0)
        mine = lm.judge(policy, self.prompts, others).log_probs.sum(axis=1)
        theirs = lm.judge(reference, self.prompts, others).log_probs.sum(axis=1)
        return max(0.0, float((mine - theirs).mean()))


# the losses


def preference(
    config: PreferenceConfig,
    batch: AnswerBatch,
    policy: lm.SequenceNet,
    reference: lm.SequenceNet,
    judged: lm.TokenScores,
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
    for kind, rows in (("chosen", batch.good), ("rejected", ~batch.good)):
        if not rows.any():
            found = {n: v for n, v in found.items() if n.rpartition("/")[2] != kind}
    return {**found, **_logits(judged, batch)}, weights


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
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def _slope(x: Array, smoothing: float) -> Array:
    """Of the smoothed log-sigmoid loss at `x`."""
    return _sigmoid(x) - (1.0 - smoothing)


def _logits(judged: lm.TokenScores, batch: AnswerBatch) -> dict[str, float]:
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
    config: PreferenceConfig, batch: AnswerBatch, policy: lm.SequenceNet, reference: lm.SequenceNet
) -> dict[str, float]:
    """The same numbers on held-out pairs."""
    judged = lm.judge(policy, batch.prompts, batch.answers)
    means = Means()
    before = batch.log_probs(reference, config)
    means.add(preference(config, batch, policy, reference, judged, before)[0])
    return {f"eval_{name}": value for name, value in with_margin(means.take()).items()}


def _with_noise(
    model: lm.SequenceNet, columns: int, share: float, rng: np.random.Generator
) -> lm.SequenceNet:
    """A copy with noise on its weights, as strong as this share of their own spread."""
    noisy = copy_of(model, columns)
    for params in noisy.params:
        noise = rng.standard_normal(len(params)).astype(params.dtype)
        params += share * params.std() * noise
    return noisy


# the trainers


DPO = Trainer(
    "dpo", "Direct preference optimisation of a tiny language model", "DPO", PreferenceConfig, train,
    DPO_TASKS, (*FAULTS, REFERENCE), (*VARIANTS, SMOOTHED, SMALL_BETA), "trl",
    dialects={"glossary": GLOSSARY},
)  # fmt: skip
KTO = replace(
    DPO, name="kto", title="Kahneman-Tversky optimisation of a tiny language model", algorithm="KTO",
    config=KTOConfig, tasks=KTO_TASKS, faults=(*DPO.faults, ONE_CLASS), variants=VARIANTS,
)  # fmt: skip
SIMPO = replace(
    DPO, name="simpo", title="Simple preference optimisation of a tiny language model",
    algorithm="SimPO", config=SimPOConfig, tasks=SIMPO_TASKS, faults=FAULTS,
    variants=(*VARIANTS, SMOOTHED),
)  # fmt: skip
