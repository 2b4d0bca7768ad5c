"""A tiny language model: the network, its gradients, sampling, and a base model to start from.

The network reads a sequence token by token. Each pair of column and token has a vector of its own;
the vectors of all tokens so far are added up, and the sum goes through tanh and a small MLP. So all
prefixes of a sequence are read in one pass, and one more token costs one more addition.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from runvitals.lab.nn import MLP, Adam, Array, Categorical, clip_norm, generators
from runvitals.lab.puzzles import DIGITS, END, PAD, VOCABULARY, Puzzle, Tokens, is_right, puzzle


class SequenceReading(NamedTuple):
    """What a network made of a batch of sequences; `backward` needs it."""

    tokens: Tokens
    layers: list[Array]  # of the MLP, a row per column of each sequence
    outputs: Array  # sequences x columns x outputs


class SequenceNet:
    """Reads sequences up to `columns` long; the output at a column has seen all up to and with it.

    With as many outputs as tokens it is a language model, with one a critic or a reward model.

    >>> net = SequenceNet(8, VOCABULARY, np.random.default_rng(0))
    >>> net.read(np.ones((3, 5), np.int64)).outputs.shape == (3, 5, VOCABULARY)
    True
    """

    def __init__(
        self,
        columns: int,
        outputs: int,
        rng: np.random.Generator,
        *,
        hidden: int = 64,
        output_gain: float = 0.1,
        dtype: DTypeLike = np.float32,
    ) -> None:
        self._table_shape = (columns, VOCABULARY, hidden)
        self.head = MLP([hidden, hidden, outputs], rng, output_gain=output_gain, dtype=dtype)
        scale = 1.0 / np.sqrt(columns)
        self.vectors: Array = (scale * rng.standard_normal(self._table_shape)).astype(dtype).ravel()
        self.vector_grads: Array = np.zeros_like(self.vectors)
        self._table = self.vectors.reshape(self._table_shape)
        self._table_grad = self.vector_grads.reshape(self._table_shape)

    @property
    def params(self) -> list[Array]:
        """All parameters, as vectors that an optimiser may change in place."""
        return [self.vectors, self.head.params]

    @property
    def grads(self) -> list[Array]:
        """The gradients that `backward` left, in the order of `params`."""
        return [self.vector_grads, self.head.grads]

    def copy_from(self, other: SequenceNet) -> None:
        """Take over the parameters of a network of the same shape."""
        for mine, theirs in zip(self.params, other.params, strict=True):
            mine[:] = theirs

    def read(self, tokens: Tokens) -> SequenceReading:
        """All outputs for whole sequences."""
        columns = np.arange(tokens.shape[1])
        sums = self._table[columns, tokens].cumsum(axis=1)
        layers = self.head.forward(np.tanh(sums).reshape(-1, sums.shape[-1]))
        return SequenceReading(tokens, layers, layers[-1].reshape(*tokens.shape, -1))

    def backward(self, reading: SequenceReading, grad: Array) -> None:
        """Set `grads` from the gradient at the outputs of a reading."""
        tokens, layers, _ = reading
        rows = np.ascontiguousarray(grad.reshape(-1, grad.shape[-1]), self.vectors.dtype)
        at_sums = self.head.backward(layers, rows) * (1.0 - np.square(layers[0]))
        at_sums = at_sums.reshape(*tokens.shape, -1)
        at_vectors = at_sums[:, ::-1].cumsum(axis=1)[:, ::-1]  # a token is in all later sums
        self._table_grad[:] = 0.0
        chosen = np.eye(VOCABULARY, dtype=self.vectors.dtype)[tokens]
        for column in range(tokens.shape[1]):
            self._table_grad[column] = chosen[:, column].T @ at_vectors[:, column]

    def begin(self, count: int) -> Array:
        """The state of `count` sequences before their first token."""
        return np.zeros((count, self._table_shape[-1]), self.vectors.dtype)

    def add(self, state: Array, column: int, tokens: Tokens) -> Array:
        """Let each sequence go on by one token, in place; gives the outputs after it."""
        state += self._table[column, tokens]
        return self.head(np.tanh(state))


class Responses(NamedTuple):
    """What a model wrote: tokens filled up on the right, and how likely it was to write them."""

    tokens: Tokens
    log_probs: Array  # of each token at the temperature used; 0 in the filling
    ended: NDArray[np.bool_]  # with the end token, and not at the length limit

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Where there are tokens and not filling."""
        return self.tokens != PAD


def respond(
    model: SequenceNet,
    prompts: Tokens,
    max_tokens: int,
    rng: np.random.Generator,
    *,
    temperature: float = 1.0,
) -> Responses:
    """Sample a response to each prompt; temperature 0 takes the likeliest token."""
    count, width = prompts.shape
    state = model.begin(count)
    for column in range(width):
        outputs = model.add(state, column, prompts[:, column])
    tokens = np.zeros((count, max_tokens), np.int64)
    log_probs = np.zeros((count, max_tokens), np.float32)
    alive = np.ones(count, np.bool_)
    for t in range(max_tokens):
        choice = next_token(outputs, temperature)
        drawn = choice.sample(rng) if temperature > 0 else choice.mode()
        tokens[:, t] = np.where(alive, drawn, PAD)
        log_probs[:, t] = np.where(alive, choice.log_prob(drawn), 0.0)
        alive &= drawn != END
        if not alive.any():
            break
        if t + 1 < max_tokens:
            outputs = model.add(state, width + t, tokens[:, t])
    return Responses(tokens, log_probs, ~alive)


def next_token(outputs: Array, temperature: float = 1.0) -> Categorical:
    """The choice of the next token, one per row of outputs; the filling is never chosen."""
    logits = outputs / np.float32(temperature) if temperature > 0 else outputs.copy()
    logits[:, PAD] = -1e9
    return Categorical(logits)


class TokenScores(NamedTuple):
    """The choices a model had at each token of given responses; rows run over all tokens."""

    reading: SequenceReading
    choice: Categorical  # a row per response and column, in reading order
    log_probs: Array  # responses x columns, 0 in the filling
    entropy: Array  # responses x columns, 0 in the filling
    mask: NDArray[np.bool_]


def judge(model: SequenceNet, prompts: Tokens, responses: Tokens) -> TokenScores:
    """How likely a model finds responses, token by token."""
    reading = model.read(np.concatenate([prompts, responses], axis=1)[:, :-1])
    outputs = reading.outputs[:, prompts.shape[1] - 1 :]
    choice = next_token(outputs.reshape(-1, outputs.shape[-1]))
    mask = responses != PAD
    log_probs = choice.log_prob(responses.ravel()).reshape(responses.shape) * mask
    entropy = choice.entropy().reshape(responses.shape) * mask
    return TokenScores(reading, choice, log_probs, entropy, mask)


def push(
    model: SequenceNet,
    judged: TokenScores,
    responses: Tokens,
    weights: Array,
    entropy_weights: Array | None = None,
) -> None:
    """Set the model's gradients to those of `sum(weights * log_probs)`, filling left out.

    `entropy_weights` (one per token as well) adds `sum(entropy_weights * entropy)`. The gradients are
    for temperature 1.
    """
    kept = (weights * judged.mask).astype(np.float32)
    at_logits = judged.choice.log_prob_grad(responses.ravel(), kept.ravel())
    if entropy_weights is not None:
        at_logits += (entropy_weights * judged.mask).ravel()[:, None] * judged.choice.entropy_grad(
            1.0
        )
    at_logits[:, PAD] = 0.0
    grad = np.zeros_like(judged.reading.outputs)
    start = judged.reading.tokens.shape[1] - responses.shape[1]
    grad[:, start:] = at_logits.reshape(*responses.shape, -1)
    model.backward(judged.reading, grad)


def fit(
    model: SequenceNet, optimizer: Adam, prompts: Tokens, responses: Tokens, learning_rate: float
) -> float:
    """One step towards writing these responses; gives the mean loss per token before it."""
    judged = judge(model, prompts, responses)
    count = judged.mask.sum()
    push(model, judged, responses, np.full(responses.shape, -1.0 / count, np.float32))
    clip_norm(model.grads, 1.0)
    optimizer.step(model.grads, learning_rate)
    return -float(judged.log_probs.sum() / count)


@lru_cache(maxsize=8)
def base_model(
    name: str,
    columns: int,
    seed: int,
    *,
    steps: int = 300,
    noise: float = 0.5,
    batch: int = 128,
    learning_rate: float = 3e-3,
) -> SequenceNet:
    """A model that has seen a puzzle's answers, a share `noise` of them spoilt: it is often wrong.

    Copy it before training on: the same object is given for the same arguments.
    """
    weights_rng, data_rng = generators(seed, 2)
    task = puzzle(name)
    model = SequenceNet(columns, VOCABULARY, weights_rng)
    optimizer = Adam(model.params)
    for _ in range(steps):
        rows = task.train.take(data_rng.integers(0, len(task.train.prompts), batch))
        answers = spoil(rows.answers, noise, data_rng)
        fit(model, optimizer, rows.prompts, answers, learning_rate)
    return model


def spoil(answers: Tokens, share: float, rng: np.random.Generator) -> Tokens:
    """A copy in which a share of the rows has one inner token replaced by another of its kind."""
    spoilt = answers.copy()
    inner = (answers != PAD).sum(axis=1) - 2  # without mark and end
    column = 1 + (rng.random(len(answers)) * inner).astype(np.int64)
    rows = np.flatnonzero(rng.random(len(answers)) < share)
    old = answers[rows, column[rows]]
    digit = (old >= DIGITS.start) & (old < DIGITS.stop)
    low = np.where(digit, DIGITS.start, DIGITS.stop + 3)
    size = np.where(digit, DIGITS.stop - DIGITS.start, 6)
    spoilt[rows, column[rows]] = low + (old - low + 1 + rng.integers(0, size - 1)) % size
    return spoilt


def accuracy(
    model: SequenceNet, task: Puzzle, count: int = 512, *, temperature: float = 0.0
) -> float:
    """Share of held-out prompts that the model answers rightly, by default with likeliest tokens."""
    rows = task.held_out.take(np.arange(min(count, len(task.held_out.prompts))))
    written = respond(
        model, rows.prompts, task.answer_width, np.random.default_rng(0), temperature=temperature
    )
    return float(is_right(written.tokens, rows.answers).mean())
