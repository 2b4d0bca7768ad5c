"""Where commands print."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

UNBROKEN = 10_000  # columns; what goes into a file or a pipe is for grep: one line stays one line


def terminal_or_unbroken(*, stderr: bool = False) -> Console:
    """The terminal as wide as it is, or, for a file or a pipe, lines that never break."""
    from rich.console import Console

    terminal = Console(stderr=stderr, highlight=False)
    if terminal.is_terminal:
        return terminal
    return Console(stderr=stderr, highlight=False, width=UNBROKEN)
