"""The names that somebody may have had in mind who typed another one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MAX_NAMES = 3


def near_names(wanted: str, known: Iterable[str], n: int = MAX_NAMES) -> list[str]:
    """Known names spelt like this one, as a whole or in their last part; the nearest first.

    >>> near_names("entrpy", ["policy/entropy", "value/loss"])
    ['policy/entropy']
    """
    by_spelling: dict[str, list[str]] = {}
    for name in dict.fromkeys(known):
        for spelling in {name.lower(), name.lower().rsplit("/", 1)[-1]}:
            by_spelling.setdefault(spelling, []).append(name)
    close = difflib.get_close_matches(wanted.lower(), by_spelling, n=n)
    found = (name for spelling in close for name in sorted(by_spelling[spelling], key=len))
    return list(dict.fromkeys(found))[:n]


def did_you_mean(wanted: str, known: Iterable[str]) -> str:
    """`did you mean a or b?`, or nothing if no known name is like it.

    >>> did_you_mean("KL01", ["KL001", "ENT001"])
    'did you mean KL001?'
    """
    near = near_names(wanted, known)
    return f"did you mean {' or '.join(near)}?" if near else ""
