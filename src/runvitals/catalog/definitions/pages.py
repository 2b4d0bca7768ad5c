"""Definitions that are written as pages of text, so that they can be read and edited as such.

An entry is a line with its name, and indented lines that say what is known about it:

    policy/entropy (nat, target; table, glossary): Policy entropy = Mean entropy of the policy per
        action or token
      watch for: High early, while the policy explores; falling gently as it commits. A fast fall
        early on is collapse.
      related: policy/entropy_coef, policy/action_std

A line that is indented further continues the one above; a line that begins with `#` is a heading.
Documents have short names; `[guide]` at the end of a text says what it rests on.
"""

import re
from collections.abc import Iterable, Iterator

__all__ = ["DOCUMENTS", "entries", "fields", "items", "phrases", "with_source"]

_SOURCE = re.compile(r"(.*?)(?: \[([^]]*)\])?")

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
    for entry in re.split(r"\n+(?=\S)", page.strip().replace("\n    ", " ")):
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


def with_source(text: str) -> tuple[str, str]:
    """A text and, apart from it, what it rests on, with the full names of documents.

    >>> with_source("lower the learning rate [guide; judgement]")
    ('lower the learning rate', 'Training Monitoring Guide; judgement')
    """
    said, short = _SOURCE.fullmatch(text).groups("")  # type: ignore[union-attr]  # fits any line
    return said, "; ".join(DOCUMENTS.get(source, source) for source in short.split("; "))
