"""Prompt groups: several answers to one prompt, judged against each other (GRPO, RLOO)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import Literal, NamedTuple

import numpy as np
from array_api_compat import device
from numpy.typing import NDArray

from runvitals.metrics._arrays import Selection, is_numpy, select, shape_of, unify
from runvitals.metrics._types import Array, Namespace, Scalar, ShapeError, quiet, scalars
from runvitals.model import ConfigError, IntArray

Groups = Iterable[Hashable]
"""One prompt id per sample, on the host: a list of strings or numbers, or a NumPy array."""


class _Layout(NamedTuple):
    """Rewards as (groups, samples), what counts there, and where each sample stands (None: as is)."""

    xp: Namespace
    rewards: Array
    keep: Array
    order: IntArray | None


def _grouped(rewards: Array, group_size: int | None, groups: Groups | None) -> _Layout:
    xp, (r,) = unify(rewards)
    if r.ndim == 2 and group_size is None and groups is None:
        return _Layout(xp, r, xp.ones(shape_of(r), dtype=xp.bool, device=device(r)), None)
    if r.ndim != 1:
        raise ShapeError("rewards", shape_of(r), "a batch", "is flat (n,), or (groups, samples)")
    n = shape_of(r)[0]
    if group_size is not None and groups is None:
        if group_size < 1 or n % group_size:
            raise ShapeError("rewards", (n,), f"group_size {group_size}", "does not divide it")
        x = xp.reshape(r, (n // group_size, group_size))
        return _Layout(xp, x, xp.ones(shape_of(x), dtype=xp.bool, device=device(x)), None)
    if groups is None or group_size is not None:
        raise ConfigError("flat rewards need either group_size or groups")
    index, there, order = _by_id(groups, n)
    where, keep = index, there
    if not is_numpy(xp):
        where = xp.asarray(index, device=device(r))
        keep = xp.asarray(there, device=device(r))
    taken = xp.reshape(xp.take(r, xp.reshape(where, (-1,)), axis=0), index.shape)
    return _Layout(xp, xp.where(keep, taken, 0.0), keep, order)


def _by_id(groups: Groups, n: int) -> tuple[IntArray, NDArray[np.bool_], IntArray]:
    """One row of sample numbers per prompt, which of them are real, and the way back."""
    ids = groups.tolist() if isinstance(groups, np.ndarray) else list(groups)
    if len(ids) != n:
        raise ShapeError("groups", (len(ids),), "rewards", (n,))
    members: dict[Hashable, list[int]] = {}
    for i, key in enumerate(ids):
        members.setdefault(key, []).append(i)
    width = max((len(m) for m in members.values()), default=0)
    index = np.zeros((len(members), width), dtype=np.int64)
    there = np.zeros(index.shape, dtype=bool)
    order = np.empty(n, dtype=np.int64)
    for row, found in enumerate(members.values()):
        index[row, : len(found)] = found
        there[row, : len(found)] = True
        order[found] = row * width + np.arange(len(found))
    return index, there, order


def _row_moments(xp: Namespace, x: Array, keep: Array) -> tuple[Array, Array, Array]:
    """Size, mean and unbiased variance of each group; variance 0 for a group of one."""
    size = xp.sum(xp.astype(keep, x.dtype), axis=-1)
    mean = xp.sum(x, axis=-1) / size
    off = xp.where(keep, x - mean[..., None], 0.0)
    free = xp.where(size > 1, size - 1.0, 1.0)
    return size, mean, xp.sum(off * off, axis=-1) / free


@scalars
def group_stats(
    rewards: Array,
    *,
    group_size: int | None = None,
    groups: Groups | None = None,
    correct_at: float = 1.0,
) -> dict[str, Scalar]:
    """What share of the prompt groups teaches anything: equal rewards in a group teach nothing.

    Rewards (groups, samples), or flat with `group_size` (consecutive samples) or `groups` (one
    prompt id per sample). A sample counts as correct from `correct_at` on. Gives the mean
    within-group standard deviation (unbiased; groups of one are left out), the share of groups
    whose rewards are all equal, all correct, all wrong, mixed, with at least one correct.
    Near 1 in `reward/zero_std_fraction` the batch has no gradient.

    >>> group_stats([1, 1, 0, 1, 0, 0], group_size=2)["reward/zero_std_fraction"]
    0.6666666666666666
    """
    xp, x, keep, _ = _grouped(rewards, group_size, groups)
    size, _, var = _row_moments(xp, x, keep)
    top = xp.max(xp.where(keep, x, -math.inf), axis=-1)
    bottom = xp.min(xp.where(keep, x, math.inf), axis=-1)
    chosen = Selection(xp, None, shape_of(x)[0], x.dtype)
    several, (spread,) = select(size > 1, std=xp.sqrt(var))
    all_correct, any_correct = bottom >= correct_at, top >= correct_at
    return {
        "reward/group_std_mean": several.mean(spread),
        "reward/zero_std_fraction": chosen.share(top == bottom),
        "reward/group_all_correct_fraction": chosen.share(all_correct),
        "reward/group_all_wrong_fraction": chosen.share(top < correct_at),
        "reward/group_any_correct_fraction": chosen.share(any_correct),
        "reward/group_mixed_fraction": chosen.share(any_correct & ~all_correct),
    }


def _back(layout: _Layout, x: Array, like: Array) -> Array:
    """Grouped values back in the order and shape of the rewards."""
    xp = layout.xp
    if layout.order is None:
        return xp.reshape(x, shape_of(unify(like)[1][0]))
    index = layout.order if is_numpy(xp) else xp.asarray(layout.order, device=device(x))
    return xp.take(xp.reshape(x, (-1,)), index, axis=0)


@quiet
def group_advantages(
    rewards: Array,
    *,
    group_size: int | None = None,
    groups: Groups | None = None,
    scale: Literal["group", "batch", "none"] = "group",
    eps: float = 1e-4,
) -> Array:
    """GRPO advantages, one per sample: how much better than the other answers to its prompt.

        (r - mean of group) / (std + eps)

    `scale`: divide by the unbiased std of the group (GRPO), of the whole batch, or not at all
    (Dr. GRPO). `eps` is 1e-4 in TRL, 1e-6 in veRL. Groups of equal rewards give 0, and so does a
    group of one.

    >>> group_advantages([1.0, 0.0, 0.0], group_size=3, eps=0.0).round(3).tolist()
    [1.155, -0.577, -0.577]
    """
    layout = _grouped(rewards, group_size, groups)
    xp, x, keep, _ = layout
    _, mean, var = _row_moments(xp, x, keep)
    off = xp.where(keep, x - mean[..., None], 0.0)
    if scale == "group":
        off = xp.where(off == 0, 0.0, off / (xp.sqrt(var)[..., None] + eps))
    elif scale == "batch":
        chosen, (flat,) = select(keep, rewards=x)
        off = xp.where(off == 0, 0.0, off / (chosen.std(flat) + eps))
    elif scale != "none":
        raise ConfigError(f"unknown scale {scale!r}", hint="one of: group, batch, none")
    return _back(layout, off, rewards)


@quiet
def rloo_advantages(
    rewards: Array, *, group_size: int | None = None, groups: Groups | None = None
) -> Array:
    """RLOO advantages, one per sample: its reward minus the mean of the others in its group.

    NaN for a group of one, which has no others.

    >>> rloo_advantages([1.0, 0.0, 0.0], group_size=3).tolist()
    [1.0, -0.5, -0.5]
    """
    layout = _grouped(rewards, group_size, groups)
    xp, x, keep, _ = layout
    size, _, _ = _row_moments(xp, x, keep)
    others = (xp.sum(x, axis=-1)[..., None] - x) / (size[..., None] - 1.0)
    found = xp.where(size[..., None] > 1, x - others, math.nan)
    return _back(layout, found, rewards)
