"""How commands print: as wide as the terminal is, or as JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

UNBROKEN = 10_000  # columns; what goes into a file or a pipe is for grep: one line stays one line


def print_errors(problems: Iterable[object]) -> None:
    """Say on standard error what could not be read; the rest of the command goes on."""
    for problem in problems:
        typer.echo(f"error: {problem}", err=True)


def terminal_or_unbroken(*, stderr: bool = False) -> Console:
    """The terminal as wide as it is, or, for a file or a pipe, lines that never break."""
    from rich.console import Console

    terminal = Console(stderr=stderr, highlight=False)
    if terminal.is_terminal:
        return terminal
    return Console(stderr=stderr, highlight=False, width=UNBROKEN)


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
