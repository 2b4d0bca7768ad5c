"""Tells damaged numbers of a text log by those around them: cut off at its end, or garbled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from runvitals.readers.raw.numbers import ABSENT, parse_number

Wholeness = Literal["whole", "cut", "unknown"]

BEFORE = 50  # numbers that a last one is compared with; judgement: what a column looks like lately
_SAFE_DIGITS = 4  # significant ones: more digits would change the number by less than 0.1%
_PLAIN = re.compile(
    r"[-+]?(?P<digits>\d*(?P<point>\.?)(?P<decimals>\d*))(?:[eE][-+]?(?P<power>\d+))?"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]")
_WORD = re.compile(r"[^\W\d_]{3}")
_BRACKETS = {"[": "]", "{": "}", "(": ")", "<": ">", '"': '"', "'": "'"}


def wholeness(text: str, before: Sequence[str]) -> Wholeness:
    """Whether a number at the very end of a text is whole, by those that stood in its place before.

    A log that was cut off may end with any part of its last number, and a whole log may lack its last
    line break: only the way the numbers are written tells one from the other.

    >>> wholeness("12", ["101.250", "123.456", "98.125"])
    'cut'
    >>> wholeness("1.5", ["1.52e-05", "1.49e-05", "1.51e-05"])
    'cut'
    >>> wholeness("98.125", ["101.250", "123.456"])
    'whole'
    >>> wholeness("20", ["187", "200", "9"])
    'unknown'
    """
    text = text.strip()
    number = parse_number(text)
    if number is None:
        return "cut"
    found = _PLAIN.fullmatch(text)
    written = [one.strip() for one in before if parse_number(one) is not None]
    others = [match for one in written if (match := _PLAIN.fullmatch(one))]
    if found is None or not others:  # nan, inf, or nothing to compare it with
        return "whole"
    if any(_lacks(found, others, part) for part in ("point", "decimals", "power")):
        return "cut"
    powers = [len(one["power"] or "") for one in others]
    if min(powers) and len(found["power"]) < min(powers):
        return "cut"
    decimals = {len(one["decimals"]) for one in others}
    if len(decimals) == 1 and max(decimals) and not max(powers):
        return "whole" if len(found["decimals"]) in decimals else "cut"
    if len(text) >= max(len(one[0]) for one in others):
        return "whole"  # it would have been longer than all the others
    if max(powers):
        return "whole" if found["power"] or _is_in_range(number, others) else "unknown"
    digits = found["digits"].replace(".", "").lstrip("0")
    return "whole" if found["point"] and len(digits) >= _SAFE_DIGITS else "unknown"


def _lacks(found: re.Match[str], others: Sequence[re.Match[str]], part: str) -> bool:
    return not found[part] and all(one[part] for one in others)


def _is_in_range(number: float, others: Sequence[re.Match[str]]) -> bool:
    """Whether numbers before it that were written without a power of ten were as small and as large."""
    sizes = [abs(float(one[0])) for one in others if not one["power"]]
    return bool(sizes) and min(sizes) <= abs(number) <= max(sizes)


def is_garbled(text: str) -> bool:
    """Whether a text among numbers was probably a number itself; words that stand for none are not.

    >>> [text for text in ("0.5x#", "\\x03\\ufffd", "1.2.3", "q.25") if not is_garbled(text)]
    []
    >>> [text for text in ("skipped", "N/A", "?", "[1, 2]", "layer3", "#VALUE!") if is_garbled(text)]
    []
    """
    if _CONTROL.search(text):
        return True
    text = text.strip()
    if text.lower() in ABSENT or parse_number(text) is not None:
        return False
    if text.endswith(_BRACKETS.get(text[0], "\n")) or len(set(text)) == 1:  # "[1, 2]", "***"
        return False
    return _WORD.search(text) is None
