"""One thing that a document asks for, and what serves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["metric", "range", "sign", "list", "word", "setting", "output", "command", "advice"]
State = Literal["served", "partly", "not"]


@dataclass(frozen=True, slots=True)
class Item:
    """What a document names, in its own word or name, and the references to what serves it.

    A reference is a kind and a name, `rule:KL001` or `metric:policy/entropy`; `references.py` knows
    the kinds. `missing` says what is not served, if anything.
    """

    kind: Kind
    text: str
    served_by: tuple[str, ...]
    missing: str = ""

    @property
    def state(self) -> State:
        """Whether it is served, in part, or not at all."""
        if not self.served_by:
            return "not"
        return "partly" if self.missing else "served"


@dataclass(frozen=True, slots=True)
class Part:
    """The items of one section."""

    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A document, and the tools under whose names its metrics are logged."""

    title: str
    tools: tuple[str, ...]
    parts: tuple[Part, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """All items, section by section."""
        return tuple(item for part in self.parts for item in part.items)


def part(title: str, *items: Item) -> Part:
    """A section with its items."""
    return Part(title, items)


def metric(name: str, id: str, *more: str) -> Item:
    """A name that is logged, the metric it is, and what else looks at it."""
    return Item("metric", name, (f"metric:{id}", *more))


def healthy(text: str, *served_by: str, missing: str = "") -> Item:
    """A healthy range, or how a curve ought to look."""
    return Item("range", text, served_by, missing)


def sign(text: str, *served_by: str, missing: str = "") -> Item:
    """A sign that something is wrong."""
    return Item("sign", text, served_by, missing)


def listed(text: str, *served_by: str) -> Item:
    """A group of metrics to read together, or a section that explains some."""
    return Item("list", text, served_by)


def word(text: str, *served_by: str) -> Item:
    """A word that is defined."""
    return Item("word", text, served_by)


def setting(text: str, *served_by: str) -> Item:
    """A setting."""
    return Item("setting", text, served_by)


def output(text: str, *served_by: str, missing: str = "") -> Item:
    """A file that a run leaves, or a column of it."""
    return Item("output", text, served_by, missing)


def command(text: str, *served_by: str) -> Item:
    """Something to type."""
    return Item("command", text, served_by)


def advice(text: str, *served_by: str, missing: str = "") -> Item:
    """What to do about a sign, or what to keep in mind."""
    return Item("advice", text, served_by, missing)
