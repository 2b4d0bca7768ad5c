"""Makes anything from a log fit for JSON, whoever wrote it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from runvitals.comparison.member import flat

if TYPE_CHECKING:
    from runvitals.view.schemas.judgement import Scalar  # whose models take long to build

_UNSEEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, but for tab and the ends of lines
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # fillers, soft hyphen
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"  # of no width, or bidirectional
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # notes, tags, selectors
)
# Joiners and variation selectors belong to many scripts and to emoji, but not behind a Latin letter.
_JOINERS = "\u200c\u200d\ufe00-\ufe0f"
_HIDDEN = re.compile(f"[{_UNSEEN}]|(?:(?<=[\x00-\x7f])|^)[{_JOINERS}]")


def visible(text: str) -> str:
    r"""The text with a written code for each character that nobody would see.

    >>> visible("run\u202efdp.exe"), visible("ad\u200bmin"), visible("\x1b[31m")
    ('run\\u202efdp.exe', 'ad\\u200bmin', '\\x1b[31m')
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair, as odd file names have
    return _HIDDEN.sub(lambda found: _code(ord(found[0])), text)


def _code(point: int) -> str:
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


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
