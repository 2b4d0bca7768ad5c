"""Numbers as people and programs write them, and which of them are cut off or garbled."""

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np

from runvitals.model.row import FloatArray

ABSENT = frozenset({"", "none", "null", "na", "n/a", "-", "--", "nil", "undefined"})
_WRAPPED = re.compile(
    r"(?:np\.|numpy\.|torch\.|jnp\.)?(?:float|int|uint|bool|tensor|Array|array)\w*\(\s*\[?\s*"
    r"([-+]?[\w.+-]+)\s*\]?\s*(?:,[^)]*)?\)"
)
_TRUTH = {"true": 1.0, "false": 0.0}
_INFINITE = (math.inf, -math.inf)
HUGE_POWER = re.compile(r"[eE]\+?(?:\d{4}|[3-9]\d\d)")  # of ten; the largest float has 308
_MAX_LENGTH = 64


def parse_number(text: str) -> float | None:
    """The number in a text, None when there is none; `nan` and `inf` are numbers.

    >>> parse_number(" 1e-3 "), parse_number("np.float64(0.5)"), parse_number("True")
    (0.001, 0.5, 1.0)
    >>> parse_number("91.5%"), parse_number("[0.5]"), parse_number("[1, 2]")
    (0.915, 0.5, None)
    >>> parse_number("None"), parse_number("3 apples"), parse_number("1_000")
    (None, None, None)

    What only damage writes is none: control characters, powers beyond all floats.

    >>> parse_number("0.4e4326300"), parse_number("\\x0c1.5")
    (None, None)
    """
    text = text.strip(" \t\r\n")
    if not text or len(text) > _MAX_LENGTH or ("_" in text and "(" not in text):
        return None
    if text[0] < " " or text[-1] < " ":
        return None
    try:
        number = float(text)
        return None if number in _INFINITE and HUGE_POWER.search(text) else number
    except ValueError:
        lowered = text.lower()
        if lowered in _TRUTH:
            return _TRUTH[lowered]
        if text[-1] == "%" and text[-2:-1] not in ("%", "]", ")", ""):
            share = parse_number(text[:-1])
            return None if share is None else share / 100.0
        if text[0] == "[" and text[-1] == "]" and "." in text and text[1:2] != "[":
            # an array of one number, such as the reward of one environment; `[1]` may be a list of ids
            return parse_number(text[1:-1])
        wrapped = _WRAPPED.fullmatch(text)
        return parse_number(wrapped[1]) if wrapped else None


_DURATION = re.compile(r"(?:(\d{1,6}) days?, ?)?(\d{1,4}):([0-5]?\d)(?::([0-5]?\d(?:\.\d{1,9})?))")
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)_(\d\d)-(\d\d)-(\d\d)")


def parse_duration(text: str) -> float | None:
    """Seconds of a duration as Python prints it.

    >>> parse_duration("1 day, 23:10:58"), parse_duration("0:00:43"), parse_duration("12:30")
    (169858.0, 43.0, None)
    """
    if len(text) > _MAX_LENGTH or ":" not in text:
        return None
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        return None
    days, hours, minutes, seconds = found.groups()
    return int(days or 0) * 86_400.0 + int(hours) * 3600.0 + int(minutes) * 60.0 + float(seconds)


def parse_time(text: str) -> float | None:
    """Unix seconds of a date and time in ISO form; without a zone it is taken as UTC.

    >>> parse_time("2021-02-06T16:31:42Z"), parse_time("2021-02-06_16-31-42"), parse_time("Monday")
    (1612629102.0, 1612629102.0, None)
    """
    text = text.strip()
    if not 10 <= len(text) <= _MAX_LENGTH or not text[:4].isdigit():
        return None
    text = _STAMP.sub(r"\1 \2:\3:\4", text).replace("/", "-").replace(",", ".")
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.timestamp()
    except (ValueError, OverflowError):
        return None


def plain_numbers(texts: Sequence[str]) -> FloatArray | None:
    """The numbers in texts as `parse_number` reads them; None unless all are finite and plain."""
    together = "".join(texts)
    if "_" in together or not together.isprintable():
        return None
    if max(map(len, texts), default=0) > _MAX_LENGTH:
        return None
    try:
        numbers = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def as_written(value: float) -> float:
    """A number that went through 32 bits as somebody wrote it: the shortest that gives these bits.

    >>> as_written(0.009999999776482582), as_written(0.1), as_written(0.5)
    (0.01, 0.1, 0.5)
    """
    with np.errstate(over="ignore"):
        single = np.float32(value)
    return float(str(single)) if math.isfinite(value) and float(single) == value else value


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
    for part in ("point", "decimals", "power"):
        if not found[part] and all(one[part] for one in others):
            return "cut"
    powers = [len(one["power"] or "") for one in others]
    if min(powers) and len(found["power"]) < min(powers):
        return "cut"
    decimals = {len(one["decimals"]) for one in others}
    if len(decimals) == 1 and max(decimals) and not max(powers):
        return "whole" if len(found["decimals"]) in decimals else "cut"
    if len(text) >= max(len(one[0]) for one in others):
        return "whole"  # it would have been longer than all the others
    if max(powers):  # were numbers without a power of ten as small and as large?
        sizes = [abs(float(one[0])) for one in others if not one["power"]]
        in_range = bool(sizes) and min(sizes) <= abs(number) <= max(sizes)
        return "whole" if found["power"] or in_range else "unknown"
    digits = found["digits"].replace(".", "").lstrip("0")
    return "whole" if found["point"] and len(digits) >= _SAFE_DIGITS else "unknown"


def is_garbled(text: str) -> bool:
    """True if a text among numbers was probably a number itself; words that stand for none are not.

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
