"""How records show themselves in notebooks. They are text until somebody says how to draw them."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

Drawer = Callable[[object], str]
_drawers: list[Drawer] = []


def draw_with(drawer: Drawer) -> None:
    """From now on records are drawn by this: it gives HTML for a run, a diagnosis or a verdict."""
    _drawers[:] = [drawer]


def html_of(thing: object) -> str | None:
    """HTML for a notebook; None leaves it to the record's text. Never raises."""
    if not _drawers:
        return None
    try:
        return _drawers[0](thing)
    except Exception as error:  # noqa: BLE001  a picture must not stop a notebook
        problem = f"cannot be drawn: {type(error).__name__}: {error}"
        return f"<pre>{escape(repr(thing))}</pre><p>{escape(problem)}</p>"
