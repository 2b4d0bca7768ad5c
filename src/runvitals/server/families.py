"""Names that differ in a number only, such as those of layers or actions: one family, one chart."""

from __future__ import annotations

import re
from collections.abc import Iterable

FEW = 4  # members that are better seen one by one
_NUMBER = re.compile(r"\d+")
_ACTIONS = "Actions/"  # what `log_actions` calls its distributions


def family_of(name: str) -> str:
    """The name with a star for each number.

    >>> family_of("layers.12.mlp.weight")
    'layers.*.mlp.weight'
    """
    return _NUMBER.sub("*", name)


def families(names: Iterable[str], few: int = FEW) -> dict[str, list[str]]:
    """Names by their family, in the order of numbers; those with few relatives by themselves.

    >>> families(["b", "Actions/x_0", "Actions/x_1", "w/1", "w/2"])
    {'b': ['b'], 'Actions/x_*': ['Actions/x_0', 'Actions/x_1'], 'w/1': ['w/1'], 'w/2': ['w/2']}
    """
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(family_of(name), []).append(name)
    folded: dict[str, list[str]] = {}
    for family, members in found.items():
        if len(members) > (1 if family.startswith(_ACTIONS) else few):
            folded[family] = sorted(members, key=numbers_in)
        else:
            folded |= {name: [name] for name in members}
    return folded


def members_of(name: str, names: Iterable[str]) -> list[str]:
    """The names that a name or a family stands for."""
    known = list(names)
    if name in known:
        return [name]
    return sorted((one for one in known if family_of(one) == name), key=numbers_in)


def numbers_in(name: str) -> tuple[int, ...]:
    """The numbers of a name, to sort by."""
    return tuple(int(number) for number in _NUMBER.findall(name))
