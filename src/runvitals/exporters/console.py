"""The run in the terminal, live or line by line, and in `training.log`."""

from __future__ import annotations

import math
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from runvitals.exporters._board import Board, BoardMetric, Meet
from runvitals.exporters.training_log import TrainingLog
from runvitals.model import Event, RowBlock, RunInfo, Verdict
from runvitals.model.formatting import Signs, duration, number, short_names, signs_for
from runvitals.model.run import with_code
from runvitals.model.text import terminal_safe

if TYPE_CHECKING:
    from runvitals.exporters._live_table import LiveView

DEFAULT_INTERVAL = 3.0  # seconds between lines: 20 a minute
UNCHANGED_SECONDS = 60.0  # after which a line shows that steps go by, though no value has changed
MAX_ANNOUNCED = 1_000  # lines that wait for the next rows
# metrics per group in one plain line
PLAIN = {"outcome": 3, "evaluation": 2, "health": 5, "data": 1, "speed": 1, "other": 3}


class ConsoleSink:
    """Shows the run: a live table in a terminal, else a line every three seconds if values changed.

    `classify` names the group of a metric: outcome, evaluation, health, data, speed, system, other,
    or `total` for the number of steps to come; it is asked once per name. `place` orders the metrics
    of a group, smaller first; None where it does not know the name. `meet` gets the first rows of
    names, those that were logged together at once, before they are classified. What the verdict
    rests on comes first as soon as there is one. `stream` is stderr unless given. The interval
    between lines is RUNVITALS_CONSOLE_INTERVAL, in seconds. Rank 0 writes
    `training.log`; the other ranks write theirs only with `log_all_ranks`, and never
    to the console. A stream that breaks is left alone from then on.
    """

    closes_last = True  # the judge has a last word, which belongs above the summary

    def __init__(
        self,
        classify: Callable[[str], str],
        stream: IO[str] | None = None,
        refresh_hz: float = 4,
        *,
        place: Callable[[str], int | None] | None = None,
        meet: Meet | None = None,
        log_all_ranks: bool = False,
        live: bool | None = None,
    ) -> None:
        self._classify, self._place = classify, place
        self._meet = meet
        self._stream: IO[str] | None = stream
        self._pause = 1 / max(0.1, refresh_hz)
        self._log_all_ranks = log_all_ranks
        self._wants_live = live
        self._interval = _interval()
        self._board: Board | None = None
        self._log: TrainingLog | None = None
        self._view: LiveView | None = None
        self._out: IO[str] | None = None
        self._signs: Signs = signs_for("ascii")
        self._next_show = -math.inf
        self._shown: list[str] = []  # the values of the last line
        self._shown_rows, self._shown_at = -1, -math.inf
        self._announced: deque[str] = deque(maxlen=MAX_ANNOUNCED)

    def announce(self, text: str) -> None:
        """Show this line with the next rows, and in `training.log`; from any thread."""
        self._announced.append(terminal_safe(text))

    def open(self, info: RunInfo) -> None:
        """Start showing."""
        self._board = Board(info, self._classify, self._place, self._meet)
        info.verdict_listeners.append(self._hear)
        if not info.rank:
            self._out = sys.stderr if self._stream is None else self._stream
            self._signs = signs_for(getattr(self._out, "encoding", None) or "utf-8")
            if self._wants_live or (self._wants_live is None and _can_redraw(self._out)):
                self._start_live()
        if not info.rank or self._log_all_ranks:
            name = f"training.rank{info.rank}.log" if info.rank else "training.log"
            self._log = TrainingLog(info.folder / name, self._board.group)
            again = f", segment {info.segment}" if info.segment > 1 else ""
            self._log.line(terminal_safe(f"{info.project} / {info.name} starts{again}"))

    def _hear(self, verdict: Verdict) -> None:
        board = self._board
        if board is not None:
            board.outcome = verdict.outcome

    def write(self, blocks: Sequence[RowBlock], events: Sequence[Event]) -> None:  # noqa: ARG002
        """Take in what was logged; show it if it is time to."""
        if self._board is None:
            return
        self._board.update(blocks)
        try:
            if self._log is not None:
                self._log.write(blocks)
        finally:
            self._show_announced()
            self._show()

    def close(self, status: str) -> None:
        """Show the end: how long, how far, how well, and where the files are."""
        board, self._board = self._board, None
        if board is None:
            return
        if self._view is not None:
            self._redraw(board)
            self._stop_live()
        self._show_announced()
        lines = summary(board, status, self._signs)
        self._say("\n".join(lines))
        if self._log is not None:
            for line in lines:
                self._log.line(line)
            self._log.close()
            self._log = None

    def _show_announced(self) -> None:
        while self._announced:
            text = self._announced.popleft()
            if self._view is not None:
                try:
                    self._view.print_above(text)
                except Exception:  # noqa: BLE001  (as above: plain lines will do)
                    self._stop_live()
            if self._view is None:
                self._say(text)
            if self._log is not None:
                self._log.line(text)

    def _show(self) -> None:
        board, now = self._board, time.monotonic()
        if board is None or self._out is None or now < self._next_show:
            return
        if self._view is not None and _bar_is_drawn():
            self._stop_live()  # two things that redraw themselves cannot share a terminal
        if self._view is not None:
            self._next_show = now + self._pause
            self._redraw(board)
        elif board.rows != self._shown_rows:
            values = plain_values(board, self._signs)
            if not values or (values == self._shown and now < self._shown_at + UNCHANGED_SECONDS):
                return
            self._next_show, self._shown_at = now + self._interval, now
            self._shown, self._shown_rows = values, board.rows
            self._say(plain_line(board, self._signs, _width(self._out)))

    def _start_live(self) -> None:
        try:
            from runvitals.exporters._live_table import LiveView

            assert self._out is not None
            self._view = LiveView(self._out, self._signs)
            self._view.start()
        except Exception:  # noqa: BLE001  (whatever is wrong with the terminal, plain lines will do)
            self._stop_live()

    def _redraw(self, board: Board) -> None:
        if self._view is not None:
            try:
                self._view.show(board)
            except Exception:  # noqa: BLE001
                self._stop_live()

    def _stop_live(self) -> None:
        view, self._view = self._view, None
        if view is not None:
            try:
                view.stop()
            except Exception:  # noqa: BLE001
                return

    def _say(self, text: str) -> None:
        if self._out is None:
            return
        try:
            bars = _bars()
            if bars is not None and _bar_is_drawn():
                bars.write(text, file=self._out)
            else:
                self._out.write(text + "\n")
                self._out.flush()
        except UnicodeError:
            self._signs = signs_for("ascii")
            self._out.write(text.encode("ascii", "replace").decode() + "\n")
        except (OSError, ValueError, RuntimeError, AttributeError):
            self._out = None


def plain_line(board: Board, signs: Signs, width: int | None = None) -> str:
    """The state of the run in one line; empty while there is nothing to say.

    In a terminal of a `width` it continues on further lines, broken between metrics.
    """
    values = plain_values(board, signs)
    if not values or board.step is None:
        return ""
    total, left = board.total, board.seconds_left
    goal = f"/{total:,.0f} ({board.step / total:.0%})" if total else ""
    words = [f"step {board.step:,}{goal}", *values]
    if left is not None:
        words.append(f" | left {duration(left)}")
    return _broken(words, width)


def plain_values(board: Board, signs: Signs) -> list[str]:
    """What a line shows besides the step: some metrics of each group, those first that tell most."""
    groups = board.readings()
    chosen = {group: mine[: PLAIN[group]] for group, mine in groups.items() if group in PLAIN}
    flat = [reading for mine in chosen.values() for reading in mine]
    labels = dict(zip((r.name for r in flat), short_names([r.name for r in flat]), strict=True))
    words: list[str] = []
    for group, mine in chosen.items():
        for i, reading in enumerate(mine):
            mark = "" if i else f"| {group} " if words else f" {group} "
            words.append(f" {mark}{_plain(reading, labels[reading.name], signs)}")
    return words


def _broken(words: Sequence[str], width: int | None) -> str:
    """Words one after the other, on as many lines as a terminal needs."""
    lines = [""]
    for word in words:
        if width is None or not lines[-1] or len(lines[-1] + word) <= width:
            lines[-1] += word
        else:
            lines.append("  " + word.removeprefix(" |").strip())
    return "\n".join(lines)


def _plain(reading: BoardMetric, label: str, signs: Signs) -> str:
    text = f"{label} {number(reading.last)}"
    if reading.group in ("outcome", "evaluation") and reading.trend:
        text += f" {signs.up if reading.trend > 0 else signs.down}"
    return text


def summary(board: Board, status: str, signs: Signs) -> list[str]:
    """What to know about a run that has just ended."""
    info = board.info
    took = duration(board.elapsed)
    step = "nothing was logged" if board.step is None else f"step {board.step:,}"
    lines = [
        terminal_safe(
            f"{info.project} / {info.name} {with_code(status, info.exit_code)} after {took}, {step}"
        )
    ]
    if info.stopped_by is not None:
        lines.append(f"  {'stopped by':<12}{terminal_safe(info.stopped_by)}")
    groups, main = board.readings(), board.main
    shown = {group: groups[group][:4] for group in ("outcome", "evaluation")}
    if main is not None and main.group not in shown:
        shown = {"outcome": [main, *shown.pop("outcome")], **shown}
    for group, mine in shown.items():
        if mine:
            labels = short_names([reading.name for reading in mine])
            cells = [_plain(r, k, signs) for r, k in zip(mine, labels, strict=True)]
            lines.append(f"  {group:<12}" + "  ".join(cells))
    lines.append(f"  {'files':<12}{terminal_safe(_friendly(info.folder))}")
    return lines


def _friendly(folder: Path) -> str:
    try:
        return str(folder.resolve().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(folder)


def _interval() -> float:
    try:
        return max(0.0, float(os.environ.get("RUNVITALS_CONSOLE_INTERVAL", DEFAULT_INTERVAL)))
    except ValueError:
        return DEFAULT_INTERVAL


def _can_redraw(stream: Any) -> bool:
    try:
        return bool(stream.isatty()) and os.environ.get("TERM", "") not in ("", "dumb", "unknown")
    except (AttributeError, OSError, ValueError):
        return False


def _width(stream: Any) -> int | None:
    """Of a terminal, in columns; None for files and pipes, whose lines may be of any length."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except (AttributeError, OSError, ValueError):
        return None


def _bars() -> Any:
    """tqdm, if the program has loaded it."""
    return getattr(sys.modules.get("tqdm.std"), "tqdm", None)


def _bar_is_drawn() -> bool:
    try:
        return any(not bar.disable for bar in list(getattr(_bars(), "_instances", ())))
    except (AttributeError, RuntimeError, TypeError):
        return False
