"""JSON for machines that a person may look at in a terminal."""

from __future__ import annotations

import re
from typing import Any

# C1 controls, and marks that break lines or turn the direction of writing: JSON may hold them raw
_STEERING = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def print_json(found: Any) -> None:
    """Print a record, indented; what would steer a terminal is spelled as an escape.

    >>> print_json({"name": "kl\\x9b2J"})
    {
      "name": "kl\\u009b2J"
    }
    """
    import orjson

    text = orjson.dumps(found, option=orjson.OPT_INDENT_2, default=str).decode()
    print(_STEERING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text))
