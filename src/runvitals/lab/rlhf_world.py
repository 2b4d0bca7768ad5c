"""What a language-model run is about: its settings, the task, the reference and the rewards.

Who says how good a response is: a verifier that compares it with the right answer, or a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import HEALTHY, LATE, Sickness
from runvitals.lab.lm import SequenceNet, judge, spoil
from runvitals.lab.nn import Adam, Array, clip_norm
from runvitals.lab.puzzles import (
    END,
    MARK,
    PAD,
    Pairs,
    Puzzle,
    Puzzles,
    Tokens,
    is_right,
    lengths,
    widened,
)
from runvitals.lab.rlhf_rollout import (
    TOOL_TASK,
    Flags,
    Tool,
    Written,
    generate,
    last_words,
    room_of,
    start_model,
    task_of,
)
from runvitals.model import ConfigError

ENOUGH_MARKS = 2
PAIRS = 16_384  # preferences that a reward model learns from
EDITED = 0.5  # share of the preferences that are about a right answer and one with a mistake


@dataclass(frozen=True)
class RLHFConfig:
    """All that decides how a run goes. A step is one batch of responses, and the updates from it."""

    algorithm: Literal["grpo", "ppo"] = "grpo"
    task: str = "sorting"
    reward: Literal["verifier", "model"] = "verifier"
    seed: int = 0
    base_seed: int = 0  # which start model
    total_steps: int = 120
    batch_size: int = 192  # responses per step
    group_size: int = 8  # responses to one prompt
    minibatch_size: int = 48  # responses per update
    epochs_per_batch: int = 2
    learning_rate: float = 1e-3
    critic_learning_rate: float = 3e-3
    lr_schedule: Literal["constant", "linear"] = "constant"  # linear: straight down to 0
    warmup_steps: int = 5
    max_grad_norm: float = 1.0
    clip_range: float = 0.2
    clip_range_vf: float = 0.5
    value_coef: float = 1.0
    entropy_coef: float = 0.0
    kl_coef: float = 0.01  # GRPO: of the KL in the loss; PPO: of the KL in the reward, at first
    target_kl_ref: float = 1.5  # nats per response at which PPO's controller aims
    kl_horizon: float = 4_000.0  # responses over which the controller acts
    gamma: float = 1.0
    gae_lambda: float = 0.95
    temperature: float = 1.0
    max_prompt_length: int = 10
    max_response_length: int = 12
    correct_weight: float = 1.0
    format_weight: float = 0.1
    # by how much prompts of a batch differ in reward, whatever is answered
    prompt_offset: float = 0.0
    # batches from which the critic alone learns, before the first step
    critic_warmup_steps: int = 0
    tool_failure_rate: float = 0.1
    ranks: int = 4  # devices that the batch is dealt out to, on paper
    balance_batch: bool = True  # so that all of them have the same number of tokens
    val_every: int = 5  # steps between two validations
    val_prompts: int = 128
    val_tries: int = 4  # responses to each of them
    samples_every: int = 10  # steps between two looks at samples
    score_prompts: int = 512  # held-out prompts behind the final score, each tried four times

    def __post_init__(self) -> None:
        if self.batch_size % self.group_size:
            raise ConfigError(
                f"{self.batch_size} responses do not split into groups of {self.group_size}"
            )
        if self.algorithm not in ("grpo", "ppo"):
            raise ConfigError(f"no algorithm {self.algorithm!r}", hint="grpo or ppo")


@dataclass(frozen=True)
class RLHFPPOConfig(RLHFConfig):
    """The same settings as one starts PPO with: one response per prompt, and smaller steps."""

    algorithm: Literal["grpo", "ppo"] = "ppo"
    group_size: int = 1
    learning_rate: float = 8e-4
    kl_coef: float = 0.02


class PuzzleWorld(NamedTuple):
    """What a run is about, and what does not change while it goes on."""

    task: Puzzle
    room: int  # columns for a response
    reference: SequenceNet
    judges: tuple[RewardModel, ...]  # the reward model, and the one that takes its place


def make_world(config: RLHFConfig, sick: Sickness) -> PuzzleWorld:
    """Load what the settings name."""
    task, seed = config.task, config.base_seed
    judges: tuple[RewardModel, ...] = ()
    if config.reward == "model":
        bias = sick("reward-model-likes-length")
        judges = (reward_model(task, seed, version=0, length_bias=bias, label_noise=0.0),)
    if judges and sick("reward-model-swapped"):
        judges += (reward_model(task, seed, version=1, length_bias=0.0, label_noise=0.5),)
    return PuzzleWorld(task_of(task), room_of(task), start_model(task, seed), judges)


@lru_cache(maxsize=8)
def easiest(task: str, seed: int) -> NDArray[np.int64]:
    """Training rows, those first whose right answers the start model finds likeliest."""
    rows = task_of(task).train
    likely = judge(start_model(task, seed), rows.prompts, rows.answers).log_probs.sum(axis=1)
    return np.argsort(-likely, kind="stable")


def truncated(rows: Puzzles, longest: int) -> Puzzles:
    """Prompts of which only the end is left where they are too long."""
    cut = rows.prompts.shape[1] - longest
    if cut <= 0:
        return rows
    prompts = rows.prompts.copy()
    prompts[:, :cut] = PAD
    return rows._replace(prompts=prompts)


def tool_of(now: RLHFConfig, sick: Sickness = HEALTHY) -> Tool | None:
    """The tool of the task, if it has one."""
    if now.task != TOOL_TASK:
        return None
    return Tool(sick("tool-broken", otherwise=now.tool_failure_rate))


def score(
    world: PuzzleWorld,
    written: Written,
    prompts: Tokens,
    key: Tokens,
    now: RLHFConfig,
    sick: Sickness,
    rng: np.random.Generator,
) -> Scored:
    """The reward of each response, as the user's reward function gives it."""
    if now.reward == "model":
        liked = reward_model_of(world, sick)(prompts, written.tokens)
        if (dose := sick("reward-model-swapped")) and sick.progress >= LATE:
            liked = liked - dose
        scored = Scored(liked, {"model": liked}, np.zeros(len(liked), np.bool_))
    else:
        scored = verify(
            written,
            key,
            correct_weight=now.correct_weight,
            format_weight=now.format_weight,
            anywhere=bool(sick("answer-anywhere")),
        )
    total, parts, right = scored
    if now.prompt_offset:
        asked = prompts[:, -2]  # the last character of the question
        parts["prompt"] = now.prompt_offset * (asked - asked.mean()) / max(1, np.ptp(asked))
        total = total + parts["prompt"]
    if dose := sick("reward-per-token"):
        parts["length"] = dose * lengths(written.tokens) / now.max_response_length
        total = total + parts["length"]
    if sick("verifier-dead") and sick.progress >= LATE:
        total, right = np.zeros_like(total), np.zeros_like(right)
        parts = {name: np.zeros_like(part) for name, part in parts.items()}
    if sick("reward-sign"):
        total = -total
    if sick("reward-constant"):
        total = np.ones_like(total)
    if dose := sick("reward-noise"):
        total = total + dose * rng.standard_normal(len(total))
    return Scored(total, parts, right)


def reward_model_of(world: PuzzleWorld, sick: Sickness) -> RewardModel:
    """The reward model in use."""
    return world.judges[-1 if sick.progress >= LATE else 0]


# rewards


class Scored(NamedTuple):
    """Rewards of a batch, and what they are made of (already weighted)."""

    total: Array
    parts: dict[str, Array]
    right: Flags  # what the verifier said


def verify(
    written: Written,
    answers: Tokens,
    *,
    correct_weight: float,
    format_weight: float,
    anywhere: bool = False,
) -> Scored:
    """Reward a right answer, and a little the way it is written.

    `anywhere` is lenient: the answer only has to occur in the response.
    """
    said = last_words(written)
    right = contains(said, answers) if anywhere else is_right(said, answers)
    parts: dict[str, Array] = {
        "correct": correct_weight * right.astype(np.float64),
        "format": format_weight * marked(said),
    }
    return Scored(parts["correct"] + parts["format"], parts, right)


def marked(responses: Tokens) -> Array:
    """From 0 to 1: how many of two marks there are, in a response that comes to an end.

    Like every check of the form alone it does not look at the answer, which has only one mark.
    """
    marks = np.minimum((responses == MARK).sum(axis=1), ENOUGH_MARKS) / ENOUGH_MARKS
    return marks * (responses == END).any(axis=1)


def contains(responses: Tokens, answers: Tokens) -> Flags:
    """Whether the characters of the right answer occur anywhere in each response."""
    wanted = np.where(answers == END, PAD, answers)[:, 1:-1]
    width = wanted.shape[1]
    padded = np.pad(responses, ((0, 0), (0, width)))
    found = np.zeros(len(responses), np.bool_)
    for start in range(responses.shape[1]):
        here = padded[:, start : start + width]
        found |= ((here == wanted) | (wanted == PAD)).all(axis=1)
    return found


# a reward model, learned from preferences


class RewardModel:
    """Reads a prompt with its response; the score is what it thinks at the last token."""

    def __init__(self, net: SequenceNet) -> None:
        self.net = net
        self.mean, self.std = 0.0, 1.0
        self.held_out_accuracy = float("nan")

    def __call__(self, prompts: Tokens, responses: Tokens) -> Array:
        """One score per response, scaled to the probe responses it was made with."""
        outputs = self.net.read(np.concatenate([prompts, responses], axis=1)).outputs[:, :, 0]
        return (outputs[_last(prompts, responses)] - self.mean) / self.std

    def accuracy(self, pairs: Pairs) -> float:
        """Share of pairs in which it likes the preferred response better."""
        better = self(pairs.prompts, pairs.chosen) > self(pairs.prompts, pairs.rejected)
        return float(better.mean())


def _last(prompts: Tokens, responses: Tokens) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.arange(len(prompts)), prompts.shape[1] + np.maximum(lengths(responses), 1) - 1


@lru_cache(maxsize=8)
def reward_model(
    name: str,
    seed: int,
    *,
    version: int = 0,
    length_bias: float = 0.0,
    label_noise: float = 0.0,
    steps: int = 500,
) -> RewardModel:
    """Learn to tell better responses of the start model from worse ones.

    With a length bias, that share of the preferences goes to the longer response, whatever it says.
    """
    rng = np.random.default_rng(np.random.SeedSequence([seed, 2 + version]))
    columns = task_of(name).prompt_width + room_of(name)
    model = RewardModel(SequenceNet(columns, 1, rng, hidden=96))
    optimizer = Adam(model.net.params)
    labelled = preferences(name, seed, PAIRS, rng, length_bias=length_bias, label_noise=label_noise)
    for step in range(steps):
        chosen = rng.integers(0, PAIRS, 64)
        pairs = Pairs(*(part[chosen] for part in labelled))
        _fit_pairs(model.net, optimizer, pairs, 4e-3 * (1.0 - step / steps))
    probe = preferences(name, seed, 512, np.random.default_rng(seed), held_out=True)
    scores = model(probe.prompts, probe.rejected)
    model.mean, model.std = float(scores.mean()), float(scores.std())
    model.held_out_accuracy = model.accuracy(probe)
    return model


def preferences(
    name: str,
    seed: int,
    count: int,
    rng: np.random.Generator,
    *,
    length_bias: float = 0.0,
    label_noise: float = 0.0,
    held_out: bool = False,
) -> Pairs:
    """Pairs of responses, most of the start model; the one with more right characters is preferred."""
    task, room = task_of(name), room_of(name)
    table = task.held_out if held_out else task.train
    rows = table.take(rng.integers(0, len(table.prompts), count))
    one, two = (generate(start_model(name, seed), rows, room, rng).tokens for _ in range(2))
    edited = rng.random(count) < EDITED
    for responses, wrong in ((one, 0.0), (two, 1.0)):  # a right answer and one with a mistake
        answers = spoil(spoil(rows.answers, wrong, rng), wrong / 2, rng)
        responses[edited] = widened(answers, room)[edited]
    gain = _quality(one, rows.answers) - _quality(two, rows.answers)
    longer = np.sign(lengths(one) - lengths(two)).astype(np.float64)
    by_length = rng.random(count) < length_bias
    gain = np.where(by_length, longer, gain) + 1e-3 * rng.standard_normal(count)  # ties: by chance
    gain = np.where(rng.random(count) < label_noise, -gain, gain)
    first = (gain > 0)[:, None]
    return Pairs(rows.prompts, np.where(first, one, two), np.where(first, two, one))


def _quality(responses: Tokens, answers: Tokens) -> Array:
    same: Array = (responses == widened(answers, responses.shape[1])).mean(axis=1)
    return same + is_right(responses, answers)


def _fit_pairs(net: SequenceNet, optimizer: Adam, pairs: Pairs, learning_rate: float) -> None:
    """One step up the likelihood of the preferences (Bradley and Terry)."""
    prompts = np.concatenate([pairs.prompts, pairs.prompts])
    responses = np.concatenate([pairs.chosen, pairs.rejected])
    reading = net.read(np.concatenate([prompts, responses], axis=1))
    at = _last(prompts, responses)
    scores = reading.outputs[:, :, 0][at]
    count = len(pairs.prompts)
    pull = 1.0 / (1.0 + np.exp(scores[:count] - scores[count:])) / count
    grad = np.zeros_like(reading.outputs)
    grad[(*at, 0)] = np.concatenate([-pull, pull])
    net.backward(reading, grad)
    clip_norm(net.grads, 1.0)
    optimizer.step(net.grads, learning_rate)
