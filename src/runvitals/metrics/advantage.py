"""Advantages and return targets: GAE, TD(lambda), Monte Carlo, whitening, and their summaries.

All recursions run backwards in time as one prefix scan of log2(T) array operations, so that a
GPU gets a dozen kernels instead of one per step.
"""

from __future__ import annotations

from typing import NamedTuple

from array_api_compat import device

from runvitals.metrics._arrays import Selection, rows, same_shape, select, shape_of, unify
from runvitals.metrics._types import Array, Namespace, Scalar, ShapeError, quiet, scalars
from runvitals.model import ConfigError


class Advantages(NamedTuple):
    """Advantages and the return targets that the critic should learn, shaped like the rewards."""

    advantages: Array
    returns: Array


def backward_scan(xp: Namespace, factor: Array, x: Array) -> Array:
    """y with `y[t] = x[t] + factor[t] * y[t + 1]` along the first axis, y beyond the end is 0."""
    steps, gap = shape_of(x)[0], 1
    while gap < steps:
        x = xp.concat([x[:-gap] + factor[:-gap] * x[gap:], x[-gap:]], axis=0)
        factor = xp.concat([factor[:-gap] * factor[gap:], factor[-gap:]], axis=0)
        gap *= 2
    return x


def _time_first(
    time_axis: int, last_value: Array | None, **arrays: Array | None
) -> tuple[Namespace, Array, dict[str, Array]]:
    """All arrays with time as the first axis, and the value after the last step."""
    xp, (last, *values) = unify(last_value, *arrays.values())
    named = dict(zip(arrays, values, strict=True))
    same_shape(named)
    lead = named["rewards"]
    if lead.ndim == 0:
        raise ShapeError("rewards", (), "an episode", "needs a time axis")
    named = {k: None if v is None else xp.moveaxis(v, time_axis, 0) for k, v in named.items()}
    rest = shape_of(named["rewards"])[1:]
    if last is None:
        last = xp.zeros(rest, dtype=lead.dtype, device=device(lead))
    elif shape_of(last) not in (rest, ()):
        raise ShapeError("last_value", shape_of(last), "one time step of rewards", rest)
    return xp, xp.broadcast_to(last, rest), named


def _bootstrapped(
    rewards: Array,
    values: Array,
    last_value: Array | None,
    terminated: Array | None,
    truncated: Array | None,
    final_values: Array | None,
    time_axis: int,
) -> tuple[Namespace, Array, Array, Array, Array]:
    """The library; then, time first, rewards, values, the value of each step's true next state, and
    1 where the trace goes on, else 0."""
    ends = {"terminated": terminated, "truncated": truncated, "final_values": final_values}
    xp, last, x = _time_first(time_axis, last_value, rewards=rewards, values=values, **ends)
    following = xp.concat([x["values"][1:], last[None, ...]], axis=0)
    goes_on = xp.ones_like(following)
    if x["truncated"] is not None:
        if x["final_values"] is None:
            raise ConfigError(
                "truncated needs final_values",
                hint="the critic's value of the last observation of each cut episode; "
                "the next row of values already belongs to a new episode",
            )
        cut = x["truncated"] != 0
        following = xp.where(cut, x["final_values"], following)
        goes_on = xp.where(cut, 0.0, goes_on)
    if x["terminated"] is not None:
        dead = x["terminated"] != 0
        following = xp.where(dead, 0.0, following)
        goes_on = xp.where(dead, 0.0, goes_on)
    return xp, x["rewards"], x["values"], following, goes_on


@quiet
def gae(
    rewards: Array,
    values: Array,
    last_value: Array | None = None,
    *,
    terminated: Array | None = None,
    truncated: Array | None = None,
    final_values: Array | None = None,
    gamma: float = 0.99,
    lam: float = 0.95,
    time_axis: int = 0,
) -> Advantages:
    """Generalised advantage estimates and return targets of a rollout, time first.

        delta[t] = r[t] + gamma V(next) - V[t],  A[t] = delta[t] + gamma lam A[t + 1],  R = A + V

    `terminated[t]`: step t reached a terminal state, nothing follows. `truncated[t]`: a time limit
    cut the episode after step t; it would have gone on, so `final_values[t]`, the value of the
    observation that was cut off, stands for the rest. Confusing the two is a common bug: it teaches
    the critic that time limits are deaths. `last_value` is the value after the last row (0 if not
    given). For language models see `gae_tokens`.

    >>> gae([1.0, 1.0], [0.5, 0.5], 0.0, gamma=1.0, lam=1.0).advantages.tolist()
    [1.5, 0.5]
    >>> gae([1.0], [0.0], 5.0, truncated=[1], final_values=[2.0], gamma=0.5).returns.tolist()
    [2.0]
    """
    ends = terminated, truncated, final_values
    xp, r, v, following, goes_on = _bootstrapped(rewards, values, last_value, *ends, time_axis)
    delta = r + gamma * following - v
    found = backward_scan(xp, gamma * lam * goes_on, delta)
    return Advantages(xp.moveaxis(found, 0, time_axis), xp.moveaxis(found + v, 0, time_axis))


@quiet
def td_lambda_returns(
    rewards: Array,
    values: Array,
    last_value: Array | None = None,
    *,
    terminated: Array | None = None,
    truncated: Array | None = None,
    final_values: Array | None = None,
    gamma: float = 0.99,
    lam: float = 0.95,
    time_axis: int = 0,
) -> Array:
    """TD(lambda) return targets of a rollout, shaped like the rewards; arguments as in `gae`.

        G[t] = r[t] + gamma ((1 - lam) V(next) + lam G[t + 1])

    `lam=0` is the one-step target, `lam=1` the discounted sum of rewards.

    >>> td_lambda_returns([1.0, 1.0], [0.5, 0.5], 4.0, gamma=1.0, lam=0.0).tolist()
    [1.5, 5.0]
    """
    ends = terminated, truncated, final_values
    xp, r, _, following, goes_on = _bootstrapped(rewards, values, last_value, *ends, time_axis)
    # Where the trace ends (cut, terminal or last row) the whole weight falls on the bootstrap.
    tail = xp.concat([goes_on[:-1], xp.zeros_like(goes_on[-1:])], axis=0)
    first = r + gamma * following * (1.0 - lam * tail)
    return xp.moveaxis(backward_scan(xp, gamma * lam * tail, first), 0, time_axis)


@quiet
def discounted_returns(
    rewards: Array,
    last_value: Array | None = None,
    *,
    done: Array | None = None,
    gamma: float = 0.99,
    time_axis: int = 0,
) -> Array:
    """Discounted sum of the rewards from each step on, shaped like the rewards.

    `done[t]` ends the episode after step t. `last_value` stands for what follows the last row.

    >>> discounted_returns([1.0, 1.0, 1.0], done=[0, 1, 0], gamma=0.5).tolist()
    [1.5, 1.0, 1.0]
    """
    xp, last, x = _time_first(time_axis, last_value, rewards=rewards, done=done)
    r = x["rewards"]
    goes_on = (
        xp.ones_like(r) if x["done"] is None else xp.where(x["done"] != 0, 0.0, xp.ones_like(r))
    )
    tail = xp.concat([xp.zeros_like(r[:-1]), last[None, ...]], axis=0)
    start = r + gamma * xp.where(goes_on > 0, tail, 0.0)
    return xp.moveaxis(backward_scan(xp, gamma * goes_on, start), 0, time_axis)


@quiet
def gae_tokens(
    rewards: Array,
    values: Array,
    mask: Array | None = None,
    *,
    gamma: float = 1.0,
    lam: float = 1.0,
) -> Advantages:
    """Generalised advantage estimates over response tokens, (B, T); nothing follows a response.

    Tokens outside the mask (padding, tool output inside a response) are skipped as if they were
    not there: value and trace are carried across them, as veRL does. Both results are 0 there.
    Not whitened; see `whiten`.

    >>> gae_tokens([[0.0, 9.0, 1.0]], [[0.5, 9.0, 0.5]], [[1, 0, 1]]).advantages.tolist()
    [[0.5, 0.0, 0.5]]
    """
    xp, keep, (r, v) = rows(mask, rewards=rewards, values=values)
    if r.ndim < 1:
        raise ShapeError("rewards", shape_of(r), "responses", "needs a token axis")
    r, v, keep = (xp.moveaxis(a, -1, 0) for a in (r, v, keep))
    skip = xp.where(keep, 0.0, xp.ones_like(r))
    nearest = backward_scan(xp, skip, v)  # value of this token, or of the next one that counts
    following = xp.concat([nearest[1:], xp.zeros_like(v[-1:])], axis=0)
    delta = xp.where(keep, r + gamma * following - v, 0.0)
    found = backward_scan(xp, xp.where(keep, gamma * lam, xp.ones_like(r)), delta)
    found = xp.where(keep, found, 0.0)
    return Advantages(xp.moveaxis(found, 0, -1), xp.moveaxis(found + v, 0, -1))


@quiet
def whiten(
    x: Array, mask: Array | None = None, *, shift_mean: bool = True, eps: float = 1e-8
) -> Array:
    """`x` scaled to variance 1 and, unless `shift_mean` is off, mean 0; 0 where the mask is 0.

        (x - mean) / sqrt(var + eps)

    with the unbiased variance, as TRL and veRL do. Constant input gives 0 (or its mean); a single
    entry has no variance and gives NaN.

    >>> whiten([1.0, 2.0, 3.0]).round(6).tolist()
    [-1.0, 0.0, 1.0]
    """
    chosen, (flat,) = select(mask, x=x)
    mean = chosen.mean(flat)
    var = chosen.var(flat, 1.0, mean)
    xp, keep, (x,) = rows(mask, x=x)
    scaled = (x - mean) / xp.sqrt(var + eps)
    return xp.where(keep, scaled if shift_mean else scaled + mean, 0.0)


@scalars
def advantage_stats(advantages: Array, mask: Array | None = None) -> dict[str, Scalar]:
    """Mean, spread and extremes of the advantages; mean near 0, and few that are exactly 0.

    Also the mean of |A| and the share that is 0 (no learning signal). The standard deviation is
    unbiased: NaN for a single entry. NaN when nothing counts.

    >>> advantage_stats([1.0, -1.0, 0.0])["advantage/zero_fraction"]
    0.3333333333333333
    """
    chosen, (a,) = select(mask, advantages=advantages)
    return advantage_summary(chosen, a)


def advantage_summary(chosen: Selection, a: Array) -> dict[str, Scalar]:
    """As `advantage_stats`, for advantages that are already masked."""
    found = chosen.moments(a, "advantage/")
    del found["advantage/var"]  # without a canonical name; the std says it
    found["advantage/abs_mean"] = chosen.mean(chosen.xp.abs(a))
    found["advantage/zero_fraction"] = chosen.share(a == 0)
    return found


@scalars
def return_stats(returns: Array, mask: Array | None = None) -> dict[str, Scalar]:
    """Mean, spread and extremes of the return targets; their scale is what the critic must learn.

    >>> return_stats([1.0, 3.0])["returns/var"]
    2.0
    """
    chosen, (r,) = select(mask, returns=returns)
    return chosen.moments(r, "returns/")
