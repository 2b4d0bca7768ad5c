"""Numbers with their nouns, for messages."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """A number and its noun, in the plural where it needs one.

    >>> counted(1, "setting"), counted(2_500, "point")
    ('1 setting', '2,500 points')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def how_often(count: int) -> str:
    """How often, in words.

    >>> how_often(1), how_often(2)
    ('once', '2 times')
    """
    return "once" if count == 1 else f"{count:,} times"
