"""The live table in a terminal."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Iterable
from typing import IO, Any

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from runvitals.exporters._board import Board, BoardMetric
from runvitals.model.formatting import Signs, duration, number, short_names, sparkline
from runvitals.model.text import terminal_safe

MAX_ROWS = 24
# rows that each group gets before the rest is shared out in reading order
SHARES = {
    "outcome": 6, "evaluation": 4, "health": 8, "data": 3, "speed": 3, "system": 2, "other": 2,
}  # fmt: skip
COLORS = {
    "outcome": "green", "evaluation": "bright_green", "health": "cyan", "data": "blue",
    "speed": "magenta", "system": "yellow", "other": "white",
}  # fmt: skip


def choose(groups: dict[str, list[BoardMetric]], rows: int) -> tuple[list[BoardMetric], int]:
    """The metrics that fit, in reading order, and how many do not."""
    room = rows
    counts = dict.fromkeys(groups, 0)
    for share in (SHARES, dict.fromkeys(groups, rows)):
        for group, mine in groups.items():
            more = min(len(mine), share[group], counts[group] + room)
            room -= max(0, more - counts[group])
            counts[group] = max(counts[group], more)
    chosen = [reading for group, mine in groups.items() for reading in mine[: counts[group]]]
    return chosen, sum(map(len, groups.values())) - len(chosen)


def draw(board: Board, console: Console, signs: Signs) -> Panel:
    """The whole picture of a run: progress, then its metrics in reading order."""
    width, height = console.size
    readings, hidden = choose(board.readings(), max(3, min(MAX_ROWS, height - 6)))
    spark = 32 if width >= 110 else 24 if width >= 90 else 16 if width >= 60 else 0
    span = width >= 90
    table = Table(box=None, expand=True, show_header=False, padding=(0, 1), pad_edge=False)
    table.add_column(width=10 if width >= 60 else 7, no_wrap=True)
    table.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(width=1)
    if spark:
        table.add_column(width=spark, no_wrap=True)
    if span:
        table.add_column(justify="right", no_wrap=True, style="dim")
    names = short_names([reading.name for reading in readings])
    above = ""
    for reading, name in zip(readings, names, strict=True):
        label, above = ("" if reading.group == above else reading.group), reading.group
        table.add_row(*_cells(reading, label, name, signs, spark, span))
    parts: list[Any] = [_progress(board, width), ""]
    parts.append(table if readings else Text("waiting for the first metrics", style="dim"))
    project, name = terminal_safe(board.info.project), terminal_safe(board.info.name)
    title = Text.assemble((project, "dim"), (" / ", "dim"), (name, "bold"))
    more = Text(f"+{hidden:,} more", style="dim") if hidden else None
    frame = box.ROUNDED if len(signs.dots) == 1 else box.ASCII
    return Panel(
        Group(*parts),
        title=title,
        title_align="left",
        subtitle=more,
        subtitle_align="right",
        border_style="bright_black",
        box=frame,
        padding=(0, 1),
    )


def _cells(
    reading: BoardMetric, label: str, name: str, signs: Signs, spark: int, span: bool
) -> list[Text]:
    color = COLORS[reading.group]
    last, trend = reading.last, reading.trend
    low, high = reading.span
    arrow = {1: signs.up, -1: signs.down, 0: signs.flat}[trend]
    cells = [
        Text(label, style=f"bold {color}"),
        Text(name),
        Text(number(last), style="bold" if math.isfinite(last) else "bold red"),
        Text(arrow, style=color if trend else "bright_black"),
    ]
    if spark:
        moves = low < high
        line = sparkline(reading.curve, spark, signs)
        cells.append(Text(line, style=color if moves else "bright_black"))
    if span:
        text = f"{number(low, 3)} {signs.dash} {number(high, 3)}" if low < high else ""
        cells.append(Text(text))
    return cells


def _progress(board: Board, width: int) -> Table:
    total, pace, left = board.total, board.steps_per_second, board.seconds_left
    line = Table.grid(expand=True, padding=(0, 2, 0, 0))
    cells: list[Any] = []

    def add(cell: Any, **column: Any) -> None:
        line.add_column(no_wrap=True, **column)
        cells.append(cell)

    step = "-" if board.step is None else f"{board.step:,}"
    goal = f" / {total:,.0f}" if total else ""
    add(Text.assemble(("step ", "dim"), (step, "bold"), (goal, "dim")))
    if total and board.step is not None:
        share = min(1.0, max(0.0, board.step / total))
        if width >= 60:
            add(ProgressBar(total=1.0, completed=share), ratio=1)
        add(Text(f"{share:.0%}"))
    else:
        add(Text(""), ratio=1)
    if pace is not None:
        add(Text.assemble((number(pace), "bold"), (" steps/s", "dim")))
    add(Text.assemble((duration(board.elapsed), ""), (" elapsed", "dim")))
    if left is not None and width >= 76:
        add(Text.assemble((duration(left), ""), (" left", "dim")))
    line.add_row(*cells)
    return line


class SafeConsole(Console):
    """A console whose broken pipe is an error like any other; rich would end the program."""

    def on_broken_pipe(self) -> None:
        """Called while the error is being handled."""
        raise BrokenPipeError("the terminal is gone")


class LiveView:
    """Draws the table in place, and lets everything the program prints appear above it."""

    def __init__(self, stream: IO[str], signs: Signs) -> None:
        self._console = SafeConsole(file=stream)
        self._signs = signs
        self._live = Live(
            console=self._console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
        )
        self._proxies: dict[str, LineProxy] = {}

    def start(self) -> None:
        """Begin drawing, and catch what goes to stdout and stderr."""
        self._live.start()
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is not None and _is_terminal(stream):
                self._proxies[name] = LineProxy(stream, self._console)
                setattr(sys, name, self._proxies[name])

    def show(self, board: Board) -> None:
        """Draw the newest state."""
        for proxy in self._proxies.values():
            proxy.show_stale()
        panel = draw(board, self._console, self._signs)
        # rendered once, since each line that the program prints draws it again
        frame = Frame(self._console.render_lines(panel, pad=False))
        self._live.update(frame, refresh=True)

    def print_above(self, text: str) -> None:
        """A line that stays, above the table."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def stop(self) -> None:
        """Leave the last picture on the screen and give stdout and stderr back."""
        for name, proxy in self._proxies.items():
            proxy.stop()
            if getattr(sys, name) is proxy:
                setattr(sys, name, proxy.stream)
        self._proxies = {}
        self._live.stop()


class Frame:
    """Lines that are rendered already."""

    def __init__(self, lines: list[list[Segment]]) -> None:
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for i, line in enumerate(self._lines):
            if i:
                yield Segment.line()
            yield from line


class LineProxy:
    """Stands in for stdout while the table is drawn: whole lines go above the table.

    A line that is redrawn with carriage returns, as progress bars do, appears when it is done.
    """

    def __init__(self, stream: IO[str], console: Console) -> None:
        self.stream = stream
        self._console = console
        self._pid = os.getpid()
        self._active = True
        self._rest = ""
        self._rest_since = 0.0
        self._lock = threading.RLock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def __eq__(self, other: object) -> bool:
        # tqdm compares streams to find the bars that it has to clear before it writes
        return other is self or other == self.stream

    def __hash__(self) -> int:
        return hash(self.stream)

    def write(self, text: str) -> int:
        """Print whole lines, keep the rest."""
        # a forked child must not touch the table of its parent, nor wait for its locks
        if not self._active or os.getpid() != self._pid:
            return self.stream.write(text)
        with self._lock:
            *lines, rest = (self._rest + text).split("\n")
            self._rest = "\r" + rest.rpartition("\r")[2] if "\r" in rest else rest
            self._rest_since = time.monotonic()
            if lines:
                self._print("\n".join(line.rpartition("\r")[2] for line in lines))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """As files do."""
        self.write("".join(lines))

    def flush(self) -> None:
        """As files do; an unfinished line waits."""
        if not self._active or os.getpid() != self._pid:
            self.stream.flush()

    def show_stale(self) -> None:
        """Print an unfinished line, such as a question to the user, that has waited long enough."""
        with self._lock:
            if self._rest and "\r" not in self._rest and time.monotonic() - self._rest_since > 0.5:
                rest, self._rest = self._rest, ""
                self._print(rest)

    def stop(self) -> None:
        """Hand all that follows straight to the stream."""
        with self._lock:
            rest, self._rest = self._rest, ""
            if rest and "\r" not in rest:
                self._print(rest)
            self._active = False

    def _print(self, text: str) -> None:
        self._console.print(Text.from_ansi(text), soft_wrap=True, highlight=False)


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, OSError, ValueError):
        return False
