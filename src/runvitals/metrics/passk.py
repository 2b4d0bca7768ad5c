"""Several tries per problem: pass@k, and the mean, best, worst and majority of N.

These run on the host: validation scores are few, and votes are text.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from runvitals.metrics._arrays import on_host
from runvitals.metrics._types import Array, ShapeError
from runvitals.model import ConfigError, FloatArray, IntArray

Method = Literal["bootstrap", "exact"]
RESAMPLES = 1000  # as many as veRL draws


class Resampled(NamedTuple):
    """Mean and standard deviation over resamples, averaged over problems."""

    mean: float
    std: float


def _counts(n: Array, c: Array) -> tuple[FloatArray, FloatArray]:
    tries, right = np.asarray(n, dtype=np.float64), np.asarray(c, dtype=np.float64)
    try:
        tries, right = np.broadcast_arrays(tries, right)
    except ValueError:
        raise ShapeError("c", right.shape, "n", tries.shape) from None
    if ((right < 0) | (right > tries)).any():
        raise ConfigError("the number of correct tries lies between 0 and the number of tries")
    return tries, right


def _share_without(tries: FloatArray, good: FloatArray, k: int) -> FloatArray:
    """C(good, k) / C(tries, k), exact products while they are short."""
    found = np.ones_like(tries)
    for i in range(k):
        found = found * np.clip(good - i, 0.0, None) / (tries - i)
    return found


def pass_at_k(n: Array, c: Array, k: int) -> float:
    """Chance that at least one of `k` tries is correct, unbiased, mean over problems.

        1 - C(n - c, k) / C(n, k)

    for `c` correct of `n` tries (numbers, or one of each per problem), Chen et al. 2021. NaN where
    fewer than `k` tries were made.

    >>> [pass_at_k(8, 1, k) for k in (1, 2, 4, 8)]
    [0.125, 0.25, 0.5, 1.0]
    """
    return float(np.mean(pass_at_k_each(n, c, k)))


def pass_at_k_each(n: Array, c: Array, k: int) -> FloatArray:
    """`pass_at_k` of each problem.

    >>> pass_at_k_each([4, 4], [0, 4], 2).tolist()
    [0.0, 1.0]
    """
    if k < 1:
        raise ConfigError(f"k must be at least 1, got {k!r}")
    tries, right = _counts(n, c)
    with np.errstate(all="ignore"):
        found = 1.0 - _share_without(tries, tries - right, k)
    return np.where(tries < k, np.nan, found)


def pass_hat_k(n: Array, c: Array, k: int) -> float:
    """Chance that all of `k` tries are correct (pass^k), unbiased, mean over problems.

        C(c, k) / C(n, k)

    NaN where fewer than `k` tries were made.

    >>> pass_hat_k(4, 2, 2)
    0.16666666666666666
    """
    if k < 1:
        raise ConfigError(f"k must be at least 1, got {k!r}")
    tries, right = _counts(n, c)
    with np.errstate(all="ignore"):
        found = _share_without(tries, right, k)
    return float(np.mean(np.where(tries < k, np.nan, found)))


def _problems(scores: Array) -> list[FloatArray]:
    """Scores as one array per problem: (problems, N), a list of lists, or one problem (N,)."""
    if isinstance(scores, np.ndarray) or not isinstance(scores, Sequence):
        x = on_host(scores).astype(np.float64)
        if x.ndim not in (1, 2):
            raise ShapeError("scores", x.shape, "scores", "are (N,) or (problems, N)")
        return list(np.atleast_2d(x))
    if scores and not isinstance(scores[0], (Sequence, np.ndarray)):
        return [np.asarray(scores, dtype=np.float64)]
    return [np.asarray(row, dtype=np.float64) for row in scores]


def mean_at_n(scores: Array) -> float:
    """Mean score over the N tries of each problem, mean over problems; accuracy for 0/1 scores.

    Scores (problems, N), or a list with one list per problem. NaN for no scores.

    >>> mean_at_n([[1, 0], [1, 1]])
    0.75
    """
    found = [row.mean() for row in _problems(scores) if row.size]
    return float(np.mean(found)) if found else math.nan


def std_at_n(scores: Array) -> float:
    """Standard deviation over the N tries of each problem (population, as veRL), mean over problems.

    >>> std_at_n([[1, 0], [1, 1]])
    0.25
    """
    found = [row.std() for row in _problems(scores) if row.size]
    return float(np.mean(found)) if found else math.nan


def draws(total: int, n: int, seed: int) -> IntArray:
    """Bootstrap indices as veRL draws them: the legacy generator, the same for every problem."""
    return np.random.RandomState(seed).choice(total, size=(RESAMPLES, n), replace=True)


def _averaged(found: Sequence[tuple[float, float]]) -> Resampled:
    """Mean and spread, each averaged over problems; NaN without any."""
    if not found:
        return Resampled(math.nan, math.nan)
    means, stds = zip(*found, strict=True)
    return Resampled(float(np.mean(means)), float(np.mean(stds)))


def _extreme_at_n(scores: Array, n: int, *, best: bool, method: Method, seed: int) -> Resampled:
    if n < 1:
        raise ConfigError(f"n must be at least 1, got {n!r}")
    if method not in ("exact", "bootstrap"):
        raise ConfigError(f"unknown method {method!r}", hint="one of: bootstrap, exact")
    found = []
    for row in _problems(scores):
        if row.size and method == "exact":
            ordered = np.sort(row) if best else np.sort(row)[::-1]
            weight = np.diff((np.arange(row.size + 1) / row.size) ** n)
            mean = float(weight @ ordered)
            found.append((mean, math.sqrt(max(0.0, float(weight @ (ordered - mean) ** 2)))))
        elif row.size:
            taken = row[draws(row.size, n, seed)]
            each = taken.max(axis=1) if best else taken.min(axis=1)
            found.append((float(each.mean()), float(each.std())))
    return _averaged(found)


def best_at_n(scores: Array, n: int, *, method: Method = "bootstrap", seed: int = 42) -> Resampled:
    """Expected best of `n` tries drawn with replacement, and its spread; at least the mean.

    `bootstrap` is veRL's estimate, to the digit; `exact` is its expectation, without the noise. For
    0/1 scores with c of N correct that is `1 - (1 - c/N)^n`, below the unbiased `pass_at_k`.

    >>> round(best_at_n([1, 0, 0, 0, 0, 0, 0, 0], 2, method="exact").mean, 6)
    0.234375
    """
    return _extreme_at_n(scores, n, best=True, method=method, seed=seed)


def worst_at_n(scores: Array, n: int, *, method: Method = "bootstrap", seed: int = 42) -> Resampled:
    """Expected worst of `n` tries drawn with replacement, and its spread; how reliable answers are.

    >>> worst_at_n([1, 0], 2, method="exact").mean
    0.25
    """
    return _extreme_at_n(scores, n, best=False, method=method, seed=seed)


def maj_at_n(scores: Array, answers: Sequence[Any], n: int, *, seed: int = 42) -> Resampled:
    """Expected score of the majority answer among `n` tries, and its spread, by bootstrap.

    `answers` holds what each try answered, shaped like the scores. Of equally frequent answers the
    one drawn first wins, and the score of its first try counts, as in veRL.

    >>> maj_at_n([1, 1, 0], ["4", "4", "5"], 1).mean > 0.5
    True
    """
    if n < 1:
        raise ConfigError(f"n must be at least 1, got {n!r}")
    problems = _problems(scores)
    nested = bool(answers) and isinstance(answers[0], (list, tuple, np.ndarray))
    votes: list[list[Hashable]] = [list(a) for a in answers] if nested else [list(answers)]
    if len(votes) != len(problems):
        raise ShapeError("answers", (len(votes),), "scores", (len(problems),))
    found = []
    for i, (row, said) in enumerate(zip(problems, votes, strict=True)):
        if len(said) != row.size:
            raise ShapeError(f"answers[{i}]", (len(said),), f"scores[{i}]", row.shape)
        if row.size:
            each = row[_majority(said, draws(row.size, n, seed))]
            found.append((float(each.mean()), float(each.std())))
    return _averaged(found)


def _majority(said: Sequence[Hashable], taken: IntArray) -> IntArray:
    """For each row of drawn indices, the first one that gave the most frequent answer."""
    codes: dict[Hashable, int] = {}
    code = np.asarray([codes.setdefault(a, len(codes)) for a in said])
    drawn = code[taken]
    counts = (drawn[:, :, None] == drawn[:, None, :]).sum(axis=2)
    # argmax takes the first of equals: the earliest drawn try of a most frequent answer.
    return taken[np.arange(len(taken)), counts.argmax(axis=1)]
