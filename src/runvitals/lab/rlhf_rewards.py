"""Who says how good a response is: a verifier that compares it with the right answer, or a model."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.lm import SequenceNet, spoil
from runvitals.lab.nn import Adam, Array, clip_norm
from runvitals.lab.puzzles import END, MARK, PAD, Pairs, Tokens, is_right, lengths
from runvitals.lab.rlhf_rollout import (
    Flags,
    Written,
    generate,
    last_words,
    room_of,
    start_model,
    task_of,
)

ENOUGH_MARKS = 2
PAIRS = 16_384  # preferences that a reward model learns from
EDITED = 0.5  # share of the preferences that are about a right answer and one with a mistake


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
    kept: Array = marks * (responses == END).any(axis=1)
    return kept


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
        score: Array = (outputs[_last(prompts, responses)] - self.mean) / self.std
        return score

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
        responses[edited] = _wide(answers, room)[edited]
    gain = _quality(one, rows.answers) - _quality(two, rows.answers)
    longer = np.sign(lengths(one) - lengths(two)).astype(np.float64)
    by_length = rng.random(count) < length_bias
    gain = np.where(by_length, longer, gain) + 1e-3 * rng.standard_normal(count)  # ties: by chance
    gain = np.where(rng.random(count) < label_noise, -gain, gain)
    first = (gain > 0)[:, None]
    return Pairs(rows.prompts, np.where(first, one, two), np.where(first, two, one))


def _quality(responses: Tokens, answers: Tokens) -> Array:
    same: Array = (responses == _wide(answers, responses.shape[1])).mean(axis=1)
    return same + is_right(responses, answers)


def _wide(tokens: Tokens, width: int) -> Tokens:
    return np.pad(tokens, ((0, 0), (0, width - tokens.shape[1])))


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
