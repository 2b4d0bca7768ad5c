"""The header of a binary answer with points."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from runvitals.view.schemas.basics import Words


class SeriesArray(BaseModel):
    """Where one array of a series lies behind the header: `offset` in bytes, `length` in numbers."""

    key: Literal["x", "value", "low", "high", "mean", "first", "last"]
    dtype: Literal["float64", "float32"]
    offset: int
    length: int


class SeriesHeader(BaseModel):
    """One series in a binary answer. `count` points lie in the range that was asked for.

    `raw` has the points themselves as x and value; else each bucket has low, high, mean, first, last.
    `nonfinite` are the x of values that are NaN or infinite, up to 200.
    """

    name: Words
    count: int
    raw: bool
    x_min: float | None
    x_max: float | None
    nonfinite: list[float]
    arrays: list[SeriesArray]


class SeriesAnswer(BaseModel):
    """The JSON header of a binary answer: `RVS1`, uint32 length of this, this, then the arrays.

    The arrays are little-endian and begin right behind the header, which ends in spaces so that this is
    a multiple of 8; offsets count from there and are multiples of 8 too.
    """

    series: list[SeriesHeader]
