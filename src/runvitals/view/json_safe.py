"""Makes anything from a log fit for JSON, whoever wrote it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from runvitals.comparison.member import flat
from runvitals.view.visible import visible

if TYPE_CHECKING:
    from runvitals.view.schemas import Scalar  # whose models take long to build

MAX_LENGTH = 2_000  # characters of a setting
MAX_CHARACTERS = 200_000  # characters of anything else
MAX_KEYS = 2_000
DEEPEST = 12
MAX_WHOLE = 2**53  # beyond it browsers round


def json_safe(value: Any, longest: int = MAX_CHARACTERS, depth: int = 0) -> Any:
    """The same with text keys, numbers that JSON has, and nothing endless.

    >>> json_safe({1: float("nan"), "big": 2**70})
    {'1': 'nan', 'big': '1180591620717411303424'}
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= MAX_WHOLE else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return readable(value, longest)
    if depth >= DEEPEST:
        return "..."
    if isinstance(value, Mapping):
        pairs = islice(value.items(), MAX_KEYS)
        return {readable(str(k), longest): json_safe(v, longest, depth + 1) for k, v in pairs}
    if isinstance(value, list | tuple | set | frozenset):
        return [json_safe(v, longest, depth + 1) for v in islice(value, MAX_KEYS)]
    return readable(str(value), longest)


def readable(text: str, longest: int = MAX_CHARACTERS) -> str:
    """Text in which nothing is hidden, cut if it is very long."""
    text = text if len(text) <= longest else f"{text[:longest]}..."
    return visible(text)


def meant(told: str, names: Iterable[str]) -> str:
    """The name that a request means: one of these, or one that is shown like it."""
    names = list(names)
    if told in names:
        return told
    return next((name for name in names if visible(name) == told), told)


def scalars(config: Mapping[str, Any], most: int = MAX_KEYS) -> dict[str, Scalar]:
    """Settings as one level of plain values; lists as text.

    >>> scalars({"optim": {"lr": 0.1, "betas": [0.9, 0.99]}})
    {'optim.lr': 0.1, 'optim.betas': '[0.9, 0.99]'}
    """
    found: dict[str, Scalar] = {}
    for key, value in islice(flat(config).items(), most):
        simple = json_safe(value, MAX_LENGTH)
        if isinstance(simple, list | dict):
            simple = readable(str(simple), MAX_LENGTH)
        found[readable(str(key), MAX_LENGTH)] = simple
    return found


def number(value: float | None) -> float | None:
    """A finite number, or None."""
    return None if value is None or not math.isfinite(value) else float(value)
