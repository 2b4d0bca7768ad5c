"""Names and messages as text: safe to show, spelt like others, with labels."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

MAX_NAMES = 3


def near_names(wanted: str, known: Iterable[str]) -> list[str]:
    """Known names spelt like this one, as a whole or in their last part; the nearest first.

    >>> near_names("entrpy", ["policy/entropy", "value/loss"])
    ['policy/entropy']
    """
    by_spelling: dict[str, list[str]] = {}
    for name in dict.fromkeys(known):
        for spelling in {name.lower(), name.lower().rsplit("/", 1)[-1]}:
            by_spelling.setdefault(spelling, []).append(name)
    close = difflib.get_close_matches(wanted.lower(), by_spelling, n=MAX_NAMES)
    found = (name for spelling in close for name in sorted(by_spelling[spelling], key=len))
    return list(dict.fromkeys(found))[:MAX_NAMES]


def did_you_mean(wanted: str, known: Iterable[str]) -> str:
    """`did you mean a or b?`, or nothing if no known name is like it.

    >>> did_you_mean("KL01", ["KL001", "ENT001"])
    'did you mean KL001?'
    """
    near = near_names(wanted, known)
    return f"did you mean {' or '.join(near)}?" if near else ""


_LABELS = re.compile(r"(?P<name>[^{}]+)\{(?P<labels>[^{}]*)\}")


def labelled(name: str, **labels: object) -> str:
    """A canonical name with labels, the way `run.log` takes them.

    >>> labelled("reward/component_mean", component="format")
    'reward/component_mean{component=format}'
    """
    inner = ",".join(f"{key}={value}" for key, value in labels.items())
    return f"{name}{{{inner}}}" if inner else name


def split_labels(name: str) -> tuple[str, dict[str, str]]:
    """The canonical name and its labels; the inverse of `labelled`.

    >>> split_labels("reward/component_mean{component=format}")
    ('reward/component_mean', {'component': 'format'})
    """
    found = _LABELS.fullmatch(name)
    if found is None:
        return name, {}
    pairs = (part.partition("=") for part in found["labels"].split(",") if part)
    return found["name"], {key.strip(): value.strip() for key, _, value in pairs}


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
