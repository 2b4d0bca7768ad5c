"""The shape of a batch of numbers: quantiles, skew, tails, histogram."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from runvitals.metrics._arrays import Selection, is_numpy, on_host, select
from runvitals.metrics._types import Array, Namespace, Scalar, out, quiet, scalars
from runvitals.model import ConfigError, FloatArray

_NORMAL_TAIL = 3.4490  # (q99 - q01) / (q75 - q25) of a Gaussian


def sorted_quantiles(chosen: Selection, x: Array, qs: Sequence[float]) -> list[Scalar]:
    """Linearly interpolated quantiles of what counts, without leaving the device."""
    xp = chosen.xp
    for q in qs:
        if not 0.0 <= q <= 1.0:
            raise ConfigError(f"quantiles lie between 0 and 1, got {q!r}")
    if math.prod(tuple(x.shape)) == 0:
        return [xp.sum(x) / 0.0 for _ in qs]
    if is_numpy(xp):
        return list(np.quantile(x, qs))
    flat = xp.reshape(chosen.clean(x, math.inf), (-1,))
    bad = xp.any(xp.isnan(flat))
    if chosen.mask is not None:
        bad = bad | (chosen.count == 0)
    ordered = xp.sort(flat)
    return [xp.where(bad, math.nan, _at(xp, ordered, q * (chosen.count - 1))) for q in qs]


def _at(xp: Namespace, ordered: Array, position: Scalar) -> Scalar:
    """`ordered` at a fractional position."""
    place = position if hasattr(position, "dtype") else xp.zeros_like(ordered[0]) + position
    place = xp.where(place > 0, place, 0.0)
    low = xp.floor(place)
    wide = xp.__array_namespace_info__().default_dtypes()["indexing"]
    index = xp.astype(xp.stack([low, xp.ceil(place)]), wide)
    ends = xp.take(ordered, index, axis=0)
    part = place - low
    return xp.where(part > 0, ends[0] + (ends[1] - ends[0]) * part, ends[0])


@quiet
def quantiles(values: Array, qs: Sequence[float], mask: Array | None = None) -> list[Scalar]:
    """The given quantiles (0 to 1) of what counts, linearly interpolated; NaN when nothing does.

    >>> quantiles([1.0, 2.0, 3.0, 4.0], [0.5, 1.0])
    [2.5, 4.0]
    """
    chosen, (x,) = select(mask, values=values)
    return [out(q) for q in sorted_quantiles(chosen, x, qs)]


@quiet
def percentile(values: Array, p: float, mask: Array | None = None) -> Scalar:
    """One percentile (0 to 100), such as P99; NaN when nothing counts.

    >>> percentile([1.0, 2.0, 3.0], 50)
    2.0
    """
    return quantiles(values, [p / 100.0], mask)[0]


@scalars
def skewness(values: Array, mask: Array | None = None) -> Scalar:
    """Lopsidedness of a batch: 0 is balanced, above 1 a long tail upwards, below -1 downwards.

    Third central moment over the cube of the population standard deviation. NaN for constants.

    >>> round(skewness([1.0, 1.0, 4.0]), 6)
    0.707107
    """
    chosen, (x,) = select(mask, values=values)
    return _moment(chosen, x, 3)


@scalars
def excess_kurtosis(values: Array, mask: Array | None = None) -> Scalar:
    """Weight of the tails against a Gaussian's: 0 is Gaussian, far above 0 a few values dominate.

    >>> round(excess_kurtosis([-1.0, 1.0, -1.0, 1.0]), 6)
    -2.0
    """
    chosen, (x,) = select(mask, values=values)
    return _moment(chosen, x, 4) - 3.0


def _moment(chosen: Selection, x: Array, power: int) -> Scalar:
    """Standardised central moment; NaN where nothing varies."""
    xp = chosen.xp
    varies = chosen.max(x) > chosen.min(x)
    x = x - chosen.mean(x)
    spread = xp.sqrt(chosen.mean(x * x))
    scaled = x / spread
    return xp.where(varies, chosen.mean(scaled**power), math.nan)


@scalars
def describe(values: Array, mask: Array | None = None, *, prefix: str = "") -> dict[str, Scalar]:
    """A batch in fifteen numbers: moments, extremes, quantiles and tails, ready to log.

    `tail_weight` is (p99 - p01) / (p75 - p25) relative to a Gaussian: 1 is Gaussian, 3 means
    outliers rule; infinite or NaN when the middle half is constant. Names get `prefix` in front.

    >>> found = describe([1.0, 2.0, 3.0, 4.0, 5.0], prefix="reward/")
    >>> found["reward/median"], found["reward/p25"]
    (3.0, 2.0)
    """
    chosen, (x,) = select(mask, values=values)
    xp = chosen.xp
    mean = chosen.mean(x)
    qs = {"p01": 0.01, "p05": 0.05, "p25": 0.25, "median": 0.5, "p75": 0.75, "p95": 0.95}
    qs["p99"] = 0.99
    found = dict(zip(qs, sorted_quantiles(chosen, x, list(qs.values())), strict=True))
    middle = found["p75"] - found["p25"]
    rest = {
        "count": float(chosen.count) if isinstance(chosen.count, int) else chosen.count,
        "mean": mean,
        "std": chosen.std(x, 1.0, mean),
        "min": chosen.min(x),
        "max": chosen.max(x),
        "skew": _moment(chosen, x, 3),
        "kurtosis": _moment(chosen, x, 4) - 3.0,
        "tail_weight": xp.asarray(found["p99"] - found["p01"]) / middle / _NORMAL_TAIL,
    }
    return {prefix + name: value for name, value in {**rest, **found}.items()}


def histogram(
    values: Array, mask: Array | None = None, *, bins: int = 64
) -> tuple[FloatArray, FloatArray]:
    """Counts and bin edges of the finite values, on the host: this waits for the device.

    Empty counts and edges (0, 1) when nothing finite counts.

    >>> counts, edges = histogram([0.0, 0.0, 1.0], bins=2)
    >>> counts.tolist(), edges.tolist()
    ([2.0, 1.0], [0.0, 0.5, 1.0])
    """
    chosen, (x,) = select(mask, values=values)
    if not is_numpy(chosen.xp):
        keep = None if chosen.mask is None else on_host(chosen.mask).astype(bool)
        x = on_host(x)
        x = x if keep is None else x[keep]
    x = np.ravel(x).astype(np.float64)
    counts, edges = np.histogram(x[np.isfinite(x)], bins=bins)
    return counts.astype(np.float64), edges.astype(np.float64)
