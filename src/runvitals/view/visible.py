"""Makes characters seen that would not be, or that turn the text around them: names must not lie."""

from __future__ import annotations

import re

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
