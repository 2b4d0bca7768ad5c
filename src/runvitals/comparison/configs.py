"""Which settings differ between groups of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MISSING = "not set"


@dataclass(frozen=True)
class Setting:
    """A setting that differs: its values on each side, each value once."""

    key: str
    values: tuple[tuple[str, ...], ...]


def flat(config: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Nested settings as one level, with dots.

    >>> flat({"optim": {"lr": 0.1, "betas": [0.9, 0.99]}, "seed": 0})
    {'optim.lr': 0.1, 'optim.betas': [0.9, 0.99], 'seed': 0}
    """
    found: dict[str, Any] = {}
    for key, value in config.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{above}{key}.")
        else:
            found[f"{above}{key}"] = value
    return found


def differing(sides: Sequence[Sequence[Mapping[str, Any]]]) -> list[Setting]:
    """Settings whose values are not the same on all sides, in the order of their first mention.

    What varies alike on all sides, as seeds do, is not a difference.

    >>> differing([[{"lr": 0.1, "seed": 0}, {"lr": 0.1, "seed": 1}], [{"seed": 1}, {"seed": 0}]])
    [Setting(key='lr', values=(('0.1',), ('not set',)))]
    """
    keys = dict.fromkeys(key for side in sides for config in side for key in config)
    found = []
    for key in keys:
        values = tuple(_values(key, side) for side in sides)
        if len({frozenset(side) for side in values}) > 1:
            found.append(Setting(key, values))
    return found


def _values(key: str, side: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_text(config.get(key, MISSING)) for config in side))


def _text(value: Any) -> str:
    if isinstance(value, float) and value == int(value) and abs(value) < 1e9:
        return str(int(value))  # one tool writes 1, another 1.0
    return f"{value:g}" if isinstance(value, float) else str(value)
