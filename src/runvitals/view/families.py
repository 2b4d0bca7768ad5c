"""Names that differ in a number only, such as those of layers or actions: one family, one chart."""

import re
from collections.abc import Iterable

_NUMBER = re.compile(r"\d+")


def family_of(name: str) -> str:
    """The name with a star for each number.

    >>> family_of("layers.12.mlp.weight")
    'layers.*.mlp.weight'
    """
    return _NUMBER.sub("*", name)


def families(names: Iterable[str]) -> dict[str, list[str]]:
    """Names by their family, in the order of numbers; those without relatives by themselves.

    >>> families(["b1", "w/10", "w/2"])
    {'b1': ['b1'], 'w/*': ['w/2', 'w/10']}
    """
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(family_of(name), []).append(name)
    return {
        family if len(members) > 1 else members[0]: sorted(members, key=numbers_in)
        for family, members in found.items()
    }


def members_of(name: str, names: Iterable[str]) -> list[str]:
    """The names that a name or a family stands for."""
    known = list(names)
    if name in known:
        return [name]
    return sorted((one for one in known if family_of(one) == name), key=numbers_in)


def numbers_in(name: str) -> tuple[int, ...]:
    """The numbers of a name, to sort by."""
    return tuple(int(number) for number in _NUMBER.findall(name))
