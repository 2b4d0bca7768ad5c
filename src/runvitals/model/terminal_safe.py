"""Names and messages that go to a terminal, a build server or a page: a log may hold anything."""

from __future__ import annotations


def terminal_safe(text: str) -> str:
    """The text in one line, without characters that would steer what shows it.

    Escape sequences, line breaks and marks that turn the direction of writing become a replacement
    character, and so does the beginning of what GitHub's runner would take for a command.

    >>> terminal_safe("kl\\x1b[2J") == "kl\\N{REPLACEMENT CHARACTER}[2J", terminal_safe("run[seed=1]")
    (True, 'run[seed=1]')
    """
    if text.lstrip().startswith("::"):
        text = text.replace(":", "\N{REPLACEMENT CHARACTER}", 1)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
