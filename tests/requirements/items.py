"""What five documents ask for, item by item, and how each item is played.

`items/*.txt` has a document each: its title and the tools whose names it uses, then sections. A line
is a kind, the document's words, and after ` = ` how it is played, with ` ; ` between:

    value NAME       a trainer of the lab, or the recorder, writes this name with a value
    explain TEXT     `runvitals explain TEXT` says what `answers/` keeps, compared by a person
    sign NAME        tests.signs plays it in logs of other lengths, noises and onsets, with twins
    range NAME A B   the document's log with this level is in range at A and out of range at B
    lab NAME         a whole run stays in this range (tests/lab/test_rl_metrics_table.py)
    test PATH        a test of its own
    frameworks M: N  `explain --frameworks M` has these names

A metric is played by its value and its explanation; everything else by its explanation, if nothing
is said. ` ! ` at the end of a line says what is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "items"
KINDS = (
    "metric", "range", "sign", "list", "word", "setting", "file", "command", "advice", "question",
)  # fmt: skip


@dataclass(frozen=True)
class Play:
    """One way to play an item."""

    how: str
    what: str


@dataclass(frozen=True)
class Item:
    """What a document names, in its own words."""

    document: str
    section: str
    kind: str
    text: str
    plays: tuple[Play, ...]
    missing: str = ""


@dataclass(frozen=True)
class Document:
    """A document, and the tools under whose names its metrics are logged."""

    key: str  # of its files
    title: str
    tools: tuple[str, ...]
    items: tuple[Item, ...]


def documents() -> tuple[Document, ...]:
    """All five, in order."""
    return tuple(_read(path) for path in sorted(FOLDER.glob("*.txt")))


def _read(path: Path) -> Document:
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    title, tools = head.split(" | ")
    items: list[Item] = []
    section = ""
    for line in filter(None, lines):
        if line.startswith("# "):
            section = line.removeprefix("# ")
            continue
        line, _, missing = line.partition(" ! ")
        kind, _, rest = line.partition(" ")
        assert kind in KINDS, line
        # the last " = " divides: a document's own words may have one too
        text, sign, how = rest.rpartition(" = ")
        text = text if sign else rest
        items.append(
            Item(title, section, kind, text, _plays(kind, text, how if sign else ""), missing)
        )
    return Document(path.stem, title, tuple(tools.split()), tuple(items))


def _plays(kind: str, text: str, how: str) -> tuple[Play, ...]:
    if kind == "metric":
        return (Play("value", text), Play("explain", text))
    if not how:
        return (Play("explain", text),)
    return tuple(Play(*one.split(" ", 1)) for one in how.split(" ; "))
