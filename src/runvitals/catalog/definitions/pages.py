"""Definitions that are written as pages of text, so that they can be read and edited as such.

An entry is a line with its name, and indented lines that say what is known about it:

    policy/entropy (nat, target): Policy entropy
      Mean entropy of the policy per action or token
      watch for: High early, while the policy explores; falling gently as it commits. A fast fall
        early on is collapse.
      related: policy/entropy_coef, policy/action_std

A blank line ends an entry, a line that is indented further continues the one above, and an entry that
begins with `#` is a heading for the reader. Documents have short names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

__all__ = ["DOCUMENTS", "entries", "fields", "items", "phrases", "sources"]

DOCUMENTS = {
    "telemetry": "Training Metrics and Telemetry",
    "table": "RL Metrics table",
    "guide": "Training Monitoring Guide",
    "glossary": "Training Metrics Glossary",
    "reference": "TensorBoard Metrics Reference",
}


def entries(page: str) -> Iterator[tuple[str, list[str]]]:
    """The name and the lines of each entry of a page.

    >>> list(entries("one\\n  first\\n    line\\n  second\\n\\ntwo"))
    [('one', ['first line', 'second']), ('two', [])]
    """
    for entry in page.strip().replace("\n    ", " ").split("\n\n"):
        name, *lines = entry.split("\n  ")
        if not name.startswith("#"):
            yield name, lines


def fields(lines: Iterable[str], *known: str) -> dict[str, str]:
    """The lines `field: value` of an entry by field; only these are known.

    >>> fields(["rules: KL001"], "rules", "also")
    {'rules': 'KL001'}
    """
    found = dict(line.partition(": ")[::2] for line in lines)
    if unknown := found.keys() - set(known):
        raise ValueError(f"no field {min(unknown)!r}, only {', '.join(known)}")
    return found


def items(line: str) -> tuple[str, ...]:
    """The parts of a list.

    >>> items("policy/loss, value/loss")
    ('policy/loss', 'value/loss')
    """
    return tuple(line.split(", ")) if line else ()


def phrases(line: str) -> tuple[str, ...]:
    """The parts of a list whose parts may have commas.

    >>> phrases("high KL, low reward | KL jumps")
    ('high KL, low reward', 'KL jumps')
    """
    return tuple(line.split(" | ")) if line else ()


def sources(line: str) -> str:
    """What a definition rests on, with the full names of documents.

    >>> sources("guide; judgement")
    'Training Monitoring Guide; judgement'
    """
    return "; ".join(DOCUMENTS.get(source, source) for source in line.split("; "))
