"""Parts of what the terminal shows: text from a log, plain tables, pages of text."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from runvitals.model.text import terminal_safe


def safe(text: str, style: str = "") -> Text:
    """Text that a log may have written: it neither steers the terminal nor counts as markup."""
    return Text(terminal_safe(text), style=style)


def table(*titles: str, **columns: Any) -> Table:
    """A table without lines, with a column for each title; `columns` are settings of all of them."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        made.add_column(safe(title), **columns)
    return made


Cell = str | tuple[str, str]  # plain, or with a style


class TerminalPage:
    """Titles, headings, paragraphs and rows on a terminal; what they say never counts as markup."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)

    def title(self, *parts: Cell) -> None:
        """What the page, or a part of it, is about."""
        self._console.print(Text.assemble(*parts, style="bold cyan"))

    def heading(self, text: str) -> None:
        """The heading of a section, after a blank line."""
        self.blank()
        self._console.print(Text(text, style="bold"))

    def section(self, heading: str, below: str | Sequence[Sequence[Cell]], style: str = "") -> None:
        """A heading with a text or rows below it; nothing where there are none."""
        if not below:
            return
        self.heading(heading)
        if isinstance(below, str):
            self.paragraph(below, style)
        else:
            self.rows(below)

    def blank(self) -> None:
        """A blank line."""
        self._console.print()

    def paragraph(self, text: str, style: str = "") -> None:
        """Indented text."""
        self._console.print(Padding(Text(text, style=style), (0, 0, 0, 2)))

    def rows(self, entries: Iterable[Sequence[Cell]]) -> None:
        """Indented columns; from the third on they are dim."""
        shown = Table.grid(padding=(0, 2))
        for entry in entries:
            shown.add_row(*map(Text.assemble, entry))
        for column in shown.columns:
            column.overflow = "fold"
        for column in shown.columns[2:]:
            column.style = "dim"
        self._console.print(Padding(shown, (0, 0, 0, 2)))
