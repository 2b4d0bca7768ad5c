"""Which actions the policy takes, and how far that is from taking all of them equally."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from runvitals.metrics._arrays import as_index, is_numpy, positive_number, select, shape_of, unify
from runvitals.metrics._types import Array, Scalar, quiet, scalars
from runvitals.model import ConfigError
from runvitals.model.text import labelled


@quiet
def action_shares(actions: Array, count: int, mask: Array | None = None) -> Array:
    """Share of each of `count` discrete actions in the batch, (count,); they sum to 1.

    Actions outside 0 to count - 1 are counted in the total only. NaN when nothing counts.

    >>> action_shares([0, 1, 1, 1], 3).tolist()
    [0.25, 0.75, 0.0]
    """
    positive_number("count", count)
    chosen, (a,) = select(mask, actions=actions)
    xp = chosen.xp
    if is_numpy(xp):
        index = as_index(xp, a, a)
        index = index[(index >= 0) & (index < count)]
        return np.bincount(index.ravel(), minlength=count) / np.float64(chosen.count)
    return xp.stack([chosen.share(a == i) for i in range(count)])


Distance = Literal["tv", "kl", "chi2", "max"]


@scalars
def distance_from_uniform(shares: Array, *, kind: Distance = "tv") -> Scalar:
    """How far action shares are from uniform; 0 is uniform.

        tv    total variation, 0 to 1 - 1/n: the share of actions to reassign
        kl    log(n) - entropy, 0 to log(n), in nats
        chi2  n sum((p - 1/n)^2), 0 to n - 1
        max   largest |p - 1/n|

    >>> distance_from_uniform([0.5, 0.5, 0.0, 0.0])
    0.5
    """
    xp, (p,) = unify(shares)
    n = shape_of(p)[-1]
    off = p - 1.0 / n
    if kind == "tv":
        return 0.5 * xp.sum(xp.abs(off))
    if kind == "kl":
        terms = xp.where(p == 0, 0.0, p * xp.log(xp.where(p == 0, 1.0, p)))
        return math.log(n) + xp.sum(terms)
    if kind == "chi2":
        return n * xp.sum(off * off)
    if kind == "max":
        return xp.max(xp.abs(off))
    raise ConfigError(f"unknown distance {kind!r}", hint="one of: tv, kl, chi2, max")


@scalars
def action_distribution(actions: Array, count: int, mask: Array | None = None) -> dict[str, Scalar]:
    """Share of each action, and how far from uniform they are, ready to log.

    Near uniform is the goal of a load balancer; elsewhere one share near 1 is a collapsed policy.

    >>> action_distribution([0, 1], 2)["policy/action_share{action=1}"]
    0.5
    """
    shares = action_shares(actions, count, mask)
    return {
        labelled("policy/action_share", action=i): shares[i] for i in range(shape_of(shares)[0])
    }


@scalars
def continuous_action_stats(actions: Array, mask: Array | None = None) -> dict[str, Scalar]:
    """Mean, extremes and mean magnitude of continuous actions; watch for saturation at the bounds.

    Actions (..., dimensions); `mask` has the shape without the last axis. The magnitude is the
    Euclidean length over the dimensions.

    >>> continuous_action_stats([[3.0, 4.0]])["policy/action_norm"]
    5.0
    """
    xp, (a,) = unify(actions)
    size = xp.sqrt(xp.sum(a * a, axis=-1))
    chosen, (size, low, high, mean) = select(
        mask, size=size, low=xp.min(a, axis=-1), high=xp.max(a, axis=-1), mean=xp.mean(a, axis=-1)
    )
    return {
        "policy/action_mean": chosen.mean(mean),
        "policy/action_min": chosen.min(low),
        "policy/action_max": chosen.max(high),
        "policy/action_norm": chosen.mean(size),
    }
