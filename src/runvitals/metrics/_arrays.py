"""What every metric needs of an array: its library, a safe float type, and which entries count.

NumPy arrays, PyTorch tensors and JAX arrays pass through the same code. A mask never reaches the
arithmetic as a factor (`0 * nan` is `nan`): entries that do not count are dropped (NumPy) or
replaced before and after each step (PyTorch, JAX, where dropping would wait for the device).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import (
    array_namespace,
    device,
    is_array_api_obj,
    is_numpy_array,
    is_torch_array,
)

from runvitals.metrics._types import Array, Namespace, Reduction, Scalar, ShapeError
from runvitals.model import ConfigError

MOMENTS = ("mean", "std", "var", "min", "max")


def _to_array(x: Array) -> Array:
    return x if is_array_api_obj(x) else np.asarray(x)


def shape_of(x: Array) -> tuple[int, ...]:
    """The shape as a plain tuple."""
    return tuple(int(n) for n in x.shape)


def as_float(xp: Namespace, x: Array) -> Array:
    """`x` without gradient, in at least 32-bit floating point; 64-bit stays as it is."""
    if is_torch_array(x):
        x = x.detach()
    if is_numpy_array(x):
        if x.dtype.kind == "f":
            return x if x.dtype.itemsize >= 4 else x.astype(np.float32)
        if x.dtype.kind in "iub":
            return x.astype(np.float64)
        if x.dtype.kind in "cOSUMm":
            raise ConfigError(f"expected real numbers, got an array of dtype {x.dtype}")
        return x.astype(np.float32)  # bfloat16 and other small types that extend NumPy
    if xp.isdtype(x.dtype, "real floating"):
        return xp.astype(x, xp.float32) if xp.finfo(x.dtype).bits < 32 else x
    if xp.isdtype(x.dtype, ("integral", "bool")):
        return xp.astype(x, xp.__array_namespace_info__().default_dtypes()["real floating"])
    return xp.astype(x, xp.float32)


def as_mask(xp: Namespace, mask: Array, place: Any) -> Array:
    """`mask` as booleans of the right library and device; any non-zero entry counts."""
    mask = _to_array(mask)
    if is_torch_array(mask):
        mask = mask.detach()
    if array_namespace(mask) is not xp:
        mask = xp.asarray(np.asarray(mask), device=place)
    return mask if xp.isdtype(mask.dtype, "bool") else mask != 0


def as_index(xp: Namespace, index: Array, like: Array) -> Array:
    """Whole numbers as integers that can index, in the library and on the device of `like`."""
    index = _to_array(index)
    if array_namespace(index) is not xp:
        index = xp.asarray(np.asarray(index), device=device(like))
    wide = xp.__array_namespace_info__().default_dtypes()["indexing"]
    return index if index.dtype == wide else xp.astype(index, wide)


def unify(*arrays: Array) -> tuple[Namespace, list[Array]]:
    """The library of the given arrays and the arrays in it, as safe floats.

    Where NumPy meets another library, the NumPy arrays are moved over. None stays None.
    """
    found = [None if a is None else _to_array(a) for a in arrays]
    lead = next((a for a in found if a is not None and not is_numpy_array(a)), None)
    if lead is None:
        lead = next(a for a in found if a is not None)
    xp = array_namespace(lead)
    if not is_numpy_array(lead):
        place = device(lead)
        found = [
            xp.asarray(a, device=place) if a is not None and is_numpy_array(a) else a for a in found
        ]
    return xp, [None if a is None else as_float(xp, a) for a in found]


def beside(xp: Namespace, value: Scalar, like: Array) -> Scalar:
    """A number as a 0-d array of the type and on the device of `like`, without gradient."""
    if isinstance(value, (int, float)):
        return xp.asarray(value, dtype=like.dtype, device=device(like))
    return unify(value, like)[1][0]


def expand_rows(xp: Namespace, x: Array, like: Array) -> Array:
    """One value per sequence, (B,) or (B, 1), spread over its tokens (B, T)."""
    shape, want = shape_of(x), shape_of(like)
    if shape == want:
        return x
    if len(want) >= 1 and shape == want[:-1]:
        x = x[..., None]
        shape = shape_of(x)
    if len(shape) == len(want) and shape[:-1] == want[:-1] and shape[-1] == 1:
        return xp.broadcast_to(x, want)
    return x


def same_shape(arrays: dict[str, Array]) -> None:
    """Raise `ShapeError` unless all given arrays (None is skipped) have one shape."""
    lead: tuple[str, tuple[int, ...]] | None = None
    for name, array in arrays.items():
        if array is None:
            continue
        shape = shape_of(array)
        if lead is None:
            lead = (name, shape)
        elif shape != lead[1]:
            raise ShapeError(name, shape, *lead)


def is_numpy(xp: Namespace) -> bool:
    """Whether the namespace is NumPy's."""
    return bool(xp.__name__.endswith("numpy") and "jax" not in xp.__name__)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which entries count, and sums over them. `mask` None: all of the given arrays."""

    xp: Namespace
    mask: Array | None
    count: Scalar
    dtype: Any

    def clean(self, x: Array, fill: float = 0.0) -> Array:
        """`x` with `fill` where it does not count."""
        return x if self.mask is None else self.xp.where(self.mask, x, fill)

    def sum(self, x: Array) -> Scalar:
        """Sum over what counts; 0 when nothing does."""
        return self.xp.sum(self.clean(x))

    def mean(self, x: Array) -> Scalar:
        """Mean over what counts; NaN when nothing does."""
        return self.sum(x) / self.count

    def share(self, condition: Array) -> Scalar:
        """Share of what counts where the condition holds; NaN when nothing counts."""
        xp = self.xp
        if is_numpy(xp):
            return np.float64(np.count_nonzero(condition)) / self.count
        if self.mask is not None:
            condition = condition & self.mask
        return xp.sum(xp.astype(condition, self.dtype)) / self.count

    def var(self, x: Array, correction: float = 1.0, mean: Scalar | None = None) -> Scalar:
        """Variance of what counts; NaN when there are too few for the correction."""
        off = x - (self.mean(x) if mean is None else mean)
        if is_numpy(self.xp):
            total = np.sum(np.square(off, out=off if np.ndim(off) else None))
        else:
            total = self.sum(off * off)
        return total / self.positive(self.count - correction)

    def std(self, x: Array, correction: float = 1.0, mean: Scalar | None = None) -> Scalar:
        """Standard deviation, see `var`."""
        return self.xp.sqrt(self.var(x, correction, mean))

    def moments(self, x: Array, prefix: str) -> dict[str, Scalar]:
        """Mean, unbiased standard deviation and variance, and extremes, as `<prefix>mean` and so on."""
        mean = self.mean(x)
        var = self.var(x, 1.0, mean)
        values = mean, self.xp.sqrt(var), var, self.min(x), self.max(x)
        return {prefix + name: value for name, value in zip(MOMENTS, values, strict=True)}

    def min(self, x: Array) -> Scalar:
        """Smallest of what counts; NaN when nothing does."""
        return self._extreme(x, math.inf, self.xp.min)

    def max(self, x: Array) -> Scalar:
        """Largest of what counts; NaN when nothing does."""
        return self._extreme(x, -math.inf, self.xp.max)

    def _extreme(self, x: Array, fill: float, pick: Callable[[Array], Scalar]) -> Scalar:
        if math.prod(shape_of(x)) == 0:
            return self.xp.sum(x) / 0.0
        found = pick(self.clean(x, fill))
        if self.mask is None:
            return found
        return self.xp.where(self.count > 0, found, math.nan)

    def positive(self, n: Scalar) -> Scalar:
        """`n`, or NaN where it is not above zero: a denominator that may be missing."""
        if isinstance(n, (int, float)):
            return n if n > 0 else math.nan
        return self.xp.where(n > 0, n, math.nan)


def select(
    mask: Array | None, /, *, per_row: Sequence[str] = (), **arrays: Array | None
) -> tuple[Selection, list[Array]]:
    """The arrays as safe floats, all of one shape, with what does not count removed or zeroed.

    Arrays named in `per_row` may hold one value per row. NumPy arrays come back flat.
    """
    xp, keep, lead, values = _aligned(mask, per_row, arrays)
    if keep is None:
        return Selection(xp, None, math.prod(shape_of(lead)), lead.dtype), values
    if is_numpy(xp):
        if keep.all():
            return Selection(xp, None, keep.size, lead.dtype), values
        kept = [None if v is None else v[keep] for v in values]
        size = next(v.size for v in kept if v is not None)
        return Selection(xp, None, size, lead.dtype), kept
    chosen = Selection(xp, keep, xp.sum(xp.astype(keep, lead.dtype)), lead.dtype)
    return chosen, [None if v is None else chosen.clean(v) for v in values]


def rows(
    mask: Array | None, /, *, per_row: Sequence[str] = (), **arrays: Array | None
) -> tuple[Namespace, Array, list[Array]]:
    """As `select`, but keeps the shape: the library, the mask (all true if none), the arrays."""
    xp, keep, lead, values = _aligned(mask, per_row, arrays)
    if keep is None:
        keep = xp.ones(shape_of(lead), dtype=xp.bool, device=device(lead))
    return xp, keep, [None if v is None else xp.where(keep, v, 0.0) for v in values]


def _aligned(
    mask: Array | None, per_row: Sequence[str], arrays: dict[str, Array | None]
) -> tuple[Namespace, Array | None, Array, list[Array]]:
    """The library, the mask, the first array and all of them as safe floats, all of one shape."""
    xp, values = unify(*arrays.values())
    named = dict(zip(arrays, values, strict=True))
    lead_name, lead = next((k, v) for k, v in named.items() if v is not None)
    for name in per_row:
        if named[name] is not None:
            named[name] = expand_rows(xp, named[name], lead)
    same_shape(named)
    keep = None if mask is None else as_mask(xp, mask, device(lead))
    if keep is not None and shape_of(keep) != shape_of(lead):
        raise ShapeError("mask", shape_of(keep), lead_name, shape_of(lead))
    return xp, keep, lead, list(named.values())


def reduce_rows(xp: Namespace, x: Array, keep: Array, how: Reduction) -> Scalar:
    """Mean of `x` over tokens, over sequence means, or over sequence sums.

    Sequences without a counting token are left out of the last two.
    """
    x = xp.where(keep, x, 0.0)
    weight = xp.astype(keep, x.dtype)
    if how == "token":
        return xp.sum(x) / xp.sum(weight)
    if how not in ("sequence", "sequence_sum"):
        raise ConfigError(
            f"unknown reduction {how!r}", hint="one of: token, sequence, sequence_sum"
        )
    if x.ndim < 2:
        raise ShapeError(
            "input", shape_of(x), f"reduction {how!r}", "needs sequences as rows, (B, T)"
        )
    length = xp.sum(weight, axis=-1)
    value = xp.sum(x, axis=-1)
    if how == "sequence":
        value = value / xp.where(length > 0, length, 1.0)
    there = xp.astype(length > 0, x.dtype)
    return xp.sum(value) / xp.sum(there)


def on_host(x: Array) -> Any:
    """`x` as a NumPy array; waits for the device."""
    return np.asarray(x.cpu() if hasattr(x, "cpu") else x)


def host_list(lengths: Array) -> list[float]:
    """One number per sequence, as plain floats; waits for the device."""
    x = on_host(lengths).astype(np.float64)
    if x.ndim != 1:
        raise ShapeError("lengths", x.shape, "a batch", "is one length per sequence, (n,)")
    return x.tolist()


def log_sum_exp(xp: Namespace, x: Array) -> Array:
    """log of the sum of exp over the last axis; -inf entries weigh nothing."""
    top = xp.max(x, axis=-1, keepdims=True)
    base = xp.where(xp.isfinite(top), top, 0.0)
    return (xp.log(xp.sum(xp.exp(x - base), axis=-1, keepdims=True)) + base)[..., 0]


def log_sigmoid(xp: Namespace, x: Array) -> Array:
    """log(1 / (1 + exp(-x))), without overflow on either side."""
    return xp.where(x < 0, x, 0.0) - xp.log1p(xp.exp(-xp.abs(x)))


def sigmoid(xp: Namespace, x: Array) -> Array:
    """1 / (1 + exp(-x)), without overflow."""
    small = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, 1.0, small) / (1.0 + small)


def positive_number(name: str, value: float) -> float:
    """`value` if it is a number above zero, else a `ConfigError` that names it."""
    if not value > 0:
        raise ConfigError(f"{name} must be above 0, got {value!r}")
    return value
