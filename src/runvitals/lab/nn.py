"""The little that the lab's trainers share: a network, its gradients, Adam, and two policy heads.

Gradients are written by hand and checked against finite differences in the tests. A network keeps
all its parameters in one flat vector (`params`) and their gradient in another (`grads`); layers are
views into them, so an optimiser step is a handful of vector operations.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

# OpenBLAS splits products of more than 2**18 multiplications over threads, which costs more than it
# brings at this size, and very much more when other programs keep the cores busy.
ONE_THREAD = 2**18

Array: TypeAlias = NDArray[np.floating[Any]]
Integers: TypeAlias = NDArray[np.integer[Any]]


def generators(seed: int, count: int) -> list[np.random.Generator]:
    """So many streams of random numbers that do not depend on each other."""
    return [np.random.default_rng(one) for one in np.random.SeedSequence(seed).spawn(count)]


def orthogonal(rng: np.random.Generator, rows: int, columns: int, gain: float) -> Array:
    """A random matrix whose rows or columns, whichever are fewer, are orthogonal with norm `gain`."""
    tall = rng.standard_normal((max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(tall)
    q = q * np.sign(np.diag(r))  # without this the draw would not be uniform
    return gain * (q if rows >= columns else q.T)


class MLP:
    """Fully connected layers with tanh between them and nothing after the last.

    >>> net = MLP([4, 64, 2], np.random.default_rng(0), output_gain=0.01)
    >>> net(np.ones((3, 4))).shape, len(net.params)
    ((3, 2), 450)
    """

    def __init__(
        self,
        sizes: Sequence[int],
        rng: np.random.Generator,
        *,
        output_gain: float = 1.0,
        dtype: DTypeLike = np.float32,
    ) -> None:
        self._shapes = shapes = list(itertools.pairwise(sizes))
        self.params: Array = np.zeros(sum((n + 1) * m for n, m in shapes), dtype)
        self.grads: Array = np.zeros_like(self.params)
        self.rows_at_once = max(1, ONE_THREAD // max(n * m for n, m in shapes))
        self.__setstate__({})
        for i, (weight, _) in enumerate(self._layers):
            gain = output_gain if i == len(shapes) - 1 else math.sqrt(2.0)
            weight[:] = orthogonal(rng, *shapes[i], gain)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Also of a copy: its layers are views into its own vectors."""
        self.__dict__.update(state)
        self._layers = _layers_of(self.params, self._shapes)
        self._layer_grads = _layers_of(self.grads, self._shapes)

    def __call__(self, x: Array) -> Array:
        """The output for a batch of rows; a large one is done piece by piece."""
        if len(x) <= self.rows_at_once:
            return self.forward(x)[-1]
        starts = range(0, len(x), self.rows_at_once)
        return np.concatenate([self.forward(x[i : i + self.rows_at_once])[-1] for i in starts])

    def forward(self, x: Array) -> list[Array]:
        """The input, the output of each layer, and last the output: what `backward` needs."""
        layers = [x]
        for i, (weight, bias) in enumerate(self._layers):
            x = x @ weight
            x += bias
            if i < len(self._layers) - 1:
                np.tanh(x, out=x)
            layers.append(x)
        return layers

    def backward(self, layers: Sequence[Array], grad: Array) -> Array:
        """Set `grads` from the gradient at the output; gives the gradient at the input."""
        for i in range(len(self._layers) - 1, -1, -1):
            weight, _ = self._layers[i]
            weight_grad, bias_grad = self._layer_grads[i]
            np.matmul(layers[i].T, grad, out=weight_grad)
            grad.sum(axis=0, out=bias_grad)
            grad = grad @ weight.T
            if i > 0:
                grad *= 1.0 - np.square(layers[i])
        return grad


def _layers_of(flat: Array, shapes: Sequence[tuple[int, int]]) -> list[tuple[Array, Array]]:
    """Weights and biases as views into one vector."""
    layers, at = [], 0
    for n, m in shapes:
        weight = flat[at : at + n * m].reshape(n, m)
        bias = flat[at + n * m : at + (n + 1) * m]
        layers.append((weight, bias))
        at += (n + 1) * m
    return layers


class Adam:
    """Adam (Kingma and Ba, 2015) on parameter vectors that it changes in place."""

    def __init__(
        self,
        params: Sequence[Array],
        *,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
    ) -> None:
        self._params = list(params)
        self._beta1, self._beta2, self._eps = beta1, beta2, eps
        self.means = [np.zeros_like(p) for p in self._params]
        self.squares = [np.zeros_like(p) for p in self._params]
        self.count = 0

    def step(self, grads: Sequence[Array], learning_rate: float) -> None:
        """One step down the gradient."""
        self.count += 1
        mean_bias = 1.0 - self._beta1**self.count
        root_bias = math.sqrt(1.0 - self._beta2**self.count)
        state = zip(self._params, self.means, self.squares, grads, strict=True)
        for params, mean, square, grad in state:
            mean += (1.0 - self._beta1) * (grad - mean)
            square += (1.0 - self._beta2) * (np.square(grad) - square)
            scale = np.sqrt(square)
            scale /= root_bias
            scale += self._eps
            params -= (learning_rate / mean_bias) * mean / scale


class RunningNorm:
    """Mean and spread of all rows seen so far, and rows measured by them.

    >>> norm = RunningNorm(1)
    >>> norm.update(np.array([[1.0], [3.0]]))
    >>> norm(np.array([[2.0], [3.0]])).round(3).tolist()
    [[0.0], [1.0]]
    """

    def __init__(self, size: int, *, clip: float = 10.0) -> None:
        self.mean: Array = np.zeros(size)
        self.var: Array = np.ones(size)
        self.count = 0
        self._clip = clip

    def update(self, rows: Array) -> None:
        """Take in more rows."""
        fresh = len(rows)
        total = self.count + fresh
        shift = rows.mean(axis=0, dtype=np.float64) - self.mean
        spread = self.count * self.var + fresh * rows.var(axis=0, dtype=np.float64)
        self.var = (spread + np.square(shift) * (self.count * fresh / total)) / total
        self.mean = self.mean + shift * (fresh / total)
        self.count = total

    def __call__(self, rows: Array) -> Array:
        """The rows in standard deviations from the mean, within the clip."""
        scaled = rows - self.mean.astype(rows.dtype)
        scaled /= np.sqrt(self.var + 1e-8).astype(rows.dtype)
        return np.minimum(np.maximum(scaled, -self._clip), self._clip)


def norm(vectors: Sequence[Array]) -> float:
    """Euclidean length of several vectors taken as one."""
    return math.sqrt(sum(float(np.vdot(v, v)) for v in vectors))


def clip_norm(grads: Sequence[Array], most: float) -> float:
    """Shrink gradients in place so that together they are at most `most` long; the length before.

    >>> grads = [np.array([3.0]), np.array([4.0])]
    >>> clip_norm(grads, 1.0), [g.tolist() for g in grads]
    (5.0, [[0.6...], [0.8]])
    """
    length = norm(grads)
    if length > most:
        for grad in grads:
            grad *= most / length
    return length


class Categorical:
    """A choice among actions, one distribution per row of logits.

    The `*_grad` methods give the gradient at the logits of a weighted sum over rows.
    """

    def __init__(self, logits: Array) -> None:
        shifted = logits - logits.max(axis=-1, keepdims=True)
        self.log_probs: Array = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
        self.probs: Array = np.exp(self.log_probs)

    def sample(self, rng: np.random.Generator) -> Integers:
        """One action per row."""
        drawn = rng.random((len(self.probs), 1))
        return (self.probs[:, :-1].cumsum(axis=1) <= drawn).sum(axis=1)

    def mode(self) -> Integers:
        """The likeliest action per row."""
        return self.log_probs.argmax(axis=1)

    def log_prob(self, actions: Integers) -> Array:
        """Log-probability of the given action per row, in nats."""
        return self.log_probs[np.arange(len(actions)), actions]

    def log_prob_grad(self, actions: Integers, weights: Array) -> Array:
        """Gradient of `sum(weights * log_prob(actions))`."""
        grad = -weights[:, None] * self.probs
        grad[np.arange(len(actions)), actions] += weights
        return grad

    def entropy(self) -> Array:
        """Entropy per row, in nats."""
        return -(self.probs * self.log_probs).sum(axis=1)

    def entropy_grad(self, weight: float) -> Array:
        """Gradient of `weight * sum(entropy())`."""
        return -weight * self.probs * (self.log_probs + self.entropy()[:, None])


class Gaussian:
    """Independent normal actions: a mean per row and action, and one `log_std` per action.

    The `*_grad` methods give the gradients at the mean and at `log_std` of a weighted sum over rows.
    """

    def __init__(self, mean: Array, log_std: Array) -> None:
        self.mean = mean
        self.log_std = log_std
        self.std: Array = np.exp(log_std)

    def sample(self, rng: np.random.Generator) -> Array:
        """One action vector per row."""
        noise = rng.standard_normal(self.mean.shape).astype(self.mean.dtype)
        return self.mean + self.std * noise

    def mode(self) -> Array:
        """The likeliest action vector per row."""
        return self.mean

    def log_prob(self, actions: Array) -> Array:
        """Log-density of the given action vector per row, in nats."""
        z = (actions - self.mean) / self.std
        each = -0.5 * np.square(z) - self.log_std - 0.5 * math.log(2.0 * math.pi)
        return each.sum(axis=1)

    def log_prob_grad(self, actions: Array, weights: Array) -> tuple[Array, Array]:
        """Gradients of `sum(weights * log_prob(actions))`."""
        z = (actions - self.mean) / self.std
        weights = weights[:, None]
        return weights * z / self.std, (weights * (np.square(z) - 1.0)).sum(axis=0)

    def entropy(self) -> Array:
        """Differential entropy per row, in nats; the same for all rows, and below 0 for a small std."""
        each = self.log_std + 0.5 * math.log(2.0 * math.pi * math.e)
        return np.full(len(self.mean), each.sum(), self.mean.dtype)

    def entropy_grad(self, weight: float) -> tuple[Array, Array]:
        """Gradients of `weight * sum(entropy())`."""
        rows = float(len(self.mean))
        return np.zeros_like(self.mean), np.full_like(self.log_std, weight * rows)


class SquashedGaussian:
    """Actions from -1 to 1: normal numbers put through tanh, with a mean and a `log_std` per row.

    `draw()` fixes the noise, so that actions and their log-densities are functions of the mean and
    of `log_std`; `backward()` gives the gradients there.
    """

    def __init__(self, mean: Array, log_std: Array) -> None:
        self.mean = mean
        self.std: Array = np.exp(log_std)
        self.log_std = log_std

    def mode(self) -> Array:
        """The squashed mean per row."""
        return np.tanh(self.mean)

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """One action vector per row, and its log-density in nats."""
        self.noise: Array = rng.standard_normal(self.mean.shape).astype(self.mean.dtype)
        raw = self.mean + self.std * self.noise
        self.actions: Array = np.tanh(raw)
        # log(1 - tanh(x)**2), written so that it does not round to log(0) for a large x
        squash = 2.0 * (math.log(2.0) - raw - np.logaddexp(0.0, -2.0 * raw))
        normal = -0.5 * np.square(self.noise) - self.log_std - 0.5 * math.log(2.0 * math.pi)
        log_probs: Array = (normal - squash).sum(axis=1)
        return self.actions, log_probs

    def backward(self, action_grad: Array, log_prob_grad: Array) -> tuple[Array, Array]:
        """Gradients at the mean and at `log_std`, from those at what was drawn last."""
        weights = log_prob_grad[:, None]
        raw_grad = action_grad * (1.0 - np.square(self.actions)) + weights * 2.0 * self.actions
        return raw_grad, raw_grad * self.std * self.noise - weights
