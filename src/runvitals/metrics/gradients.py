"""Sizes of gradients, parameters and updates, and units that no longer take part."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from array_api_compat import device

from runvitals.metrics._arrays import as_mask, select, shape_of, unify
from runvitals.metrics._types import Array, Namespace, Scalar, ShapeError, scalars
from runvitals.model import ConfigError

Arrays: TypeAlias = Iterable[Array] | Mapping[str, Array]
"""Several arrays: a list, a generator such as `model.parameters()`, or a dict by name."""


def _listed(arrays: Arrays) -> list[Array]:
    values = arrays.values() if isinstance(arrays, Mapping) else arrays
    return [a for a in values if a is not None]


def _square_sum(xp: Namespace, x: Array) -> Scalar:
    return xp.sum(x * x)


@scalars
def global_norm(arrays: Arrays) -> Scalar:
    """Length of all arrays taken as one vector, `sqrt(sum x^2)`: gradient or parameter norm.

    None entries (parameters without gradient) are skipped; half precision is squared in float32.
    A spike of ten times the usual gradient norm is a bad batch or an explosion. NaN for no array.

    >>> global_norm([[3.0], [[4.0]]])
    5.0
    """
    found = _listed(arrays)
    if not found:
        return math.nan
    xp, values = unify(*found)
    total = _square_sum(xp, values[0])
    for x in values[1:]:
        total = total + _square_sum(xp, x)
    return xp.sqrt(total)


def grad_norm(parameters: Arrays) -> Scalar:
    """Global gradient norm of PyTorch parameters, before clipping; stays on the device.

    Takes what has a `.grad` (parameters without one are skipped), or plain gradient arrays.
    NaN when there is no gradient at all.

    >>> grad_norm([[3.0, 4.0]])
    5.0
    """
    found = [p.grad if hasattr(p, "grad") else p for p in _listed(parameters)]
    return global_norm(found)


@scalars
def update_ratio(before: Arrays, after: Arrays) -> Scalar:
    """Size of one update relative to the weights, `|after - before| / |before|`; about 1e-3 is usual.

    Below 1e-5 training barely moves, above 1e-2 it tears. NaN for all-zero weights. The arrays must
    come in the same order, or as dicts with the same names.

    >>> round(update_ratio([[1.0, 0.0]], [[1.001, 0.0]]), 6)
    0.001
    """
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        if before.keys() != after.keys():
            odd = sorted(before.keys() ^ after.keys())
            raise ConfigError(f"before and after name different arrays: {', '.join(odd[:5])}")
        after = [after[name] for name in before]
    old, new = _listed(before), _listed(after)
    if len(old) != len(new):
        raise ConfigError(f"before holds {len(old)} arrays, after holds {len(new)}")
    if not old:
        return math.nan
    xp, values = unify(*old, *new)
    moved: Scalar = 0.0
    size: Scalar = 0.0
    for i, (a, b) in enumerate(zip(values[: len(old)], values[len(old) :], strict=True)):
        if shape_of(a) != shape_of(b):
            raise ShapeError(f"after[{i}]", shape_of(b), f"before[{i}]", shape_of(a))
        moved = moved + _square_sum(xp, b - a)
        size = size + _square_sum(xp, a)
    ratio = xp.sqrt(moved / size)
    return xp.where(size > 0, ratio, math.nan)


def _unit_means(activations: Array, mask: Array | None) -> tuple[Namespace, Array]:
    xp, (x,) = unify(activations)
    if x.ndim < 2:
        raise ShapeError("activations", shape_of(x), "a layer", "needs at least (samples, units)")
    size = xp.abs(xp.reshape(x, (-1, shape_of(x)[-1])))
    if mask is None:
        return xp, xp.sum(size, axis=0) / shape_of(size)[0]
    keep = as_mask(xp, mask, device(x))
    if shape_of(keep) != shape_of(x)[:-1]:
        raise ShapeError("mask", shape_of(keep), "activations", shape_of(x))
    keep = xp.reshape(keep, (-1, 1))
    return xp, xp.sum(xp.where(keep, size, 0.0), axis=0) / xp.sum(xp.astype(keep, x.dtype))


@scalars
def dead_unit_fraction(activations: Array, mask: Array | None = None) -> Scalar:
    """Share of units that are exactly 0 on every sample of the batch; 0 is best.

    Activations of shape (..., units) after the non-linearity. With small batches a rarely active
    unit looks dead. NaN when nothing counts.

    >>> dead_unit_fraction([[0.0, 1.0], [0.0, 0.0]])
    0.5
    """
    xp, mean = _unit_means(activations, mask)
    chosen, (mean,) = select(None, mean=mean)
    return xp.where(xp.isnan(chosen.sum(mean)), math.nan, chosen.share(mean == 0))


@scalars
def dormant_unit_fraction(
    activations: Array, mask: Array | None = None, *, tau: float = 0.025
) -> Scalar:
    """Share of units whose mean activation is below `tau` times the layer's mean; lower is better.

    The score of Sokar et al. 2023, "The dormant neuron phenomenon": mean |h_i| over the batch,
    divided by its mean over the layer, at most `tau`. A layer that is 0 throughout counts as
    wholly dormant. NaN when nothing counts.

    >>> dormant_unit_fraction([[0.0, 1.0, 1.0, 1.0]])
    0.25
    """
    xp, mean = _unit_means(activations, mask)
    chosen, (mean,) = select(None, mean=mean)
    layer = chosen.mean(mean)
    return xp.where(xp.isnan(layer), math.nan, chosen.share(mean <= tau * layer))


@scalars
def grad_clip_fraction(norms: Array, limit: float) -> Scalar:
    """Share of updates whose gradient norm was above the clip limit; 0 to 0.3 is usual.

    Steady values near 1 mean that the limit, not the gradient, sets the step. NaN for no update.

    >>> grad_clip_fraction([0.3, 0.6, 2.0, 0.1], 0.5)
    0.5
    """
    chosen, (norms,) = select(None, norms=norms)
    return chosen.share(norms > limit)
