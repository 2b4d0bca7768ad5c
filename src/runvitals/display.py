"""How records show themselves in notebooks: the package says who draws them."""

from __future__ import annotations

from collections.abc import Callable

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
        return _failed(thing, f"cannot be drawn: {type(error).__name__}: {error}")


def _failed(thing: object, problem: str) -> str:
    from html import escape
    from reprlib import Repr

    text = Repr()  # bears records that cannot even be text
    text.maxother = 300
    return f"<pre>{escape(text.repr(thing))}</pre><p>{escape(problem)}</p>"
