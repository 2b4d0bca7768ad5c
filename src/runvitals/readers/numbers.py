"""Numbers as people and programs write them."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

ABSENT = frozenset({"", "none", "null", "na", "n/a", "-", "--", "nil", "undefined"})
_WRAPPED = re.compile(
    r"(?:np\.|numpy\.|torch\.|jnp\.)?(?:float|int|uint|bool|tensor|Array|array)\w*\(\s*\[?\s*"
    r"([-+]?[\w.+-]+)\s*\]?\s*(?:,[^)]*)?\)"
)
_SPECIAL = {
    "nan": math.nan,
    "inf": math.inf,
    "+inf": math.inf,
    "-inf": -math.inf,
    "infinity": math.inf,
    "+infinity": math.inf,
    "-infinity": -math.inf,
    "true": 1.0,
    "false": 0.0,
}
_LONGEST = 64


def parse_number(text: str) -> float | None:
    """The number in a text, None when there is none; `nan` and `inf` are numbers.

    >>> parse_number(" 1e-3 "), parse_number("np.float64(0.5)"), parse_number("True")
    (0.001, 0.5, 1.0)
    >>> parse_number("None"), parse_number("3 apples"), parse_number("1_000")
    (None, None, None)
    """
    text = text.strip()
    if not text or len(text) > _LONGEST or ("_" in text and "(" not in text):
        return None
    try:
        return float(text)
    except ValueError:
        lowered = text.lower()
        if lowered in _SPECIAL:
            return _SPECIAL[lowered]
        wrapped = _WRAPPED.fullmatch(text)
        return parse_number(wrapped[1]) if wrapped else None


def as_number(value: Any) -> float | None:
    """A JSON or YAML value as a number, None when it is none."""
    kind = type(value)
    if kind is float:
        return float(value)
    if kind is int or kind is bool:
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    if kind is str:
        return parse_number(value)
    if isinstance(value, np.generic) and value.ndim == 0 and value.dtype.kind in "fiub":
        return float(value)
    return None
