"""The types that metrics take and give, the error of shapes that do not fit, wrappers of metrics."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar

import numpy as np

from runvitals.model import RunvitalsError

Array: TypeAlias = Any
"""A NumPy, PyTorch or JAX array; lists and numbers are taken as NumPy."""

Scalar: TypeAlias = Any
"""A Python float for NumPy input, a 0-d array on the input's device otherwise."""

Namespace: TypeAlias = Any
Reduction: TypeAlias = Literal["token", "sequence", "sequence_sum"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


class ShapeError(RunvitalsError, ValueError):
    """Two arguments do not fit together; the text names both and their shapes.

    >>> print(ShapeError("mask", (4, 7), "logprobs", (4, 8)))
    mask has shape (4, 7), but logprobs has shape (4, 8)
    """

    def __init__(
        self,
        name: str,
        shape: tuple[int, ...],
        other: str,
        other_shape: tuple[int, ...] | str,
        *,
        hint: str | None = None,
    ) -> None:
        has = f"has shape {other_shape}" if isinstance(other_shape, tuple) else str(other_shape)
        super().__init__(f"{name} has shape {shape}, but {other} {has}", hint=hint)


def quiet(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Keep NumPy from warning where NaN or infinity is the documented answer."""

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)

    return call


def scalars(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """As `quiet`, and numbers of NumPy come out as Python floats."""

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with np.errstate(all="ignore"):
            found: Any = function(*args, **kwargs)
        if isinstance(found, dict):
            found = {name: out(value) for name, value in found.items()}
        return out(found)

    return call


def out(value: Scalar) -> Scalar:
    """NumPy scalars as Python floats; everything else where it lies."""
    if isinstance(value, (np.generic, np.ndarray)):
        return float(value)
    return value
