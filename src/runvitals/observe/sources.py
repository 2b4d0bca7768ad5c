"""Where the numbers come from: hooks if they record anything, else log files, else the console.

Log files are those that appear in the working folder while the command runs. What the command prints
gives its last words too, and rows of the run are made whatever pieces they were read in.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np

from runvitals.diagnosis.live.view import MACHINE
from runvitals.model import PointTable, ReadError, Row, RowBlock, Run
from runvitals.model.secrets import redacted
from runvitals.readers.console._end import Ending
from runvitals.readers.console._lines import clean
from runvitals.readers.console._stream import ConsoleStream
from runvitals.readers.discovery.discover import discover, may_be_log
from runvitals.readers.discovery.files import Found
from runvitals.readers.follow import opened
from runvitals.readers.options import ReadOptions
from runvitals.recorder.live import LiveRun

Source = Literal["hooks", "files", "console"]
CHOICE_SECONDS = 20.0  # seconds that numbers wait for a source which knows better
FILES_SECONDS = 5.0  # between two looks for new files
SYSTEM = "system/"


class Copier:
    """Takes the points that a table has gained, as rows; what has no time gets that of its arrival."""

    def __init__(self) -> None:
        self.rows: list[Row] = []  # that wait to be recorded
        self.count = 0  # points seen
        self._seen: dict[str, int] = {}

    def take(self, points: PointTable) -> None:
        """Look what is new."""
        now = time.time()
        rows: dict[tuple[int, float], dict[str, float]] = {}
        for name in points.names():
            steps, times, values = points.column(name)
            begin = self._seen.get(name, 0)
            self._seen[name] = max(begin, len(steps))
            for i in range(begin, len(steps)):
                at = float(times[i])
                key = int(steps[i]), now if math.isnan(at) else at
                rows.setdefault(key, {})[name] = float(values[i])
                self.count += 1
        self.rows += [Row(step, values, at) for (step, at), values in sorted(rows.items())]


class Sources:
    """Chooses the source, once, and records what it gives unless the hooks do that themselves."""

    def __init__(self, run: LiveRun, console: ConsoleCapture, files: LogFiles) -> None:
        self.chosen: Source | None = None
        self._run, self._console, self._files = run, console, files
        self._from_files, self._from_console = Copier(), Copier()
        self._first: float | None = None  # when numbers were seen that no hook recorded
        self._next_files = 0.0

    def advance(self, recorded: Run, *, last: bool = False) -> None:
        """Read on. `recorded` is the run as its folder shows it, with what the hooks recorded."""
        self._console.read(last=last)
        own = (name for name in recorded.names() if not name.lower().startswith(SYSTEM))
        if self.chosen is None and any(own):
            self.chosen = "hooks"
            self._console.ignore_metrics()
            return
        if self.chosen == "hooks":
            return
        self._collect(last)
        if self._first is None and (self._from_files.count or self._from_console.count):
            self._first = time.monotonic()
        waited = self._first is not None and time.monotonic() - self._first > CHOICE_SECONDS
        if self.chosen is None and (waited or last):
            if self._from_files.count:
                self.chosen = "files"
            elif self._from_console.count:
                self.chosen = "console"
        self._record()

    def _collect(self, last: bool) -> None:
        now = time.monotonic()
        if self.chosen != "console" and (last or now >= self._next_files):
            self._next_files = now + FILES_SECONDS
            self._files.look()
            if self._files.run is not None:
                self._from_files.take(self._files.run.points)
        if self.chosen != "files" and (points := self._console.points) is not None:
            self._from_console.take(points)

    def _record(self) -> None:
        if self.chosen == "files":
            run = self._files.run
            assert run is not None
            self._run.describe(framework=run.framework, algorithm=run.algorithm)
            self._give(self._from_files, dict(run.config))
        elif self.chosen == "console":
            self._give(self._from_console, self._console.config)

    def _give(self, copier: Copier, config: dict[str, object]) -> None:
        known = self._run.config
        fresh = {key: value for key, value in config.items() if key not in known}
        if fresh:
            self._run.update_config(fresh)
        rows, copier.rows = copier.rows, []
        self._run.log_rows(rows)


MAX_WAITING = 32 * 2**20  # bytes that wait to be read
MAX_LINES = 400
LAST_LINES = 40
MAX_LINE = 2_000
_TRACEBACK = "Traceback (most recent call last)"


class ConsoleCapture:
    """Takes bytes in from one thread and reads them in another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._rest = b""
        self._stream: ConsoleStream | None = ConsoleStream("console")
        self._ending = Ending()
        self._lines: deque[str] = deque(maxlen=MAX_LINES)
        self.missed = 0  # bytes that came faster than they could be read

    def hear(self, data: bytes) -> None:
        """Take in output; in the thread that passes it on, so it does next to nothing."""
        with self._lock:
            self._waiting.append(data)
            self._size += len(data)
            while self._size > MAX_WAITING:
                gone = self._waiting.popleft()
                self._size -= len(gone)
                self.missed += len(gone)

    def read(self, *, last: bool = False) -> None:
        """Read what came."""
        with self._lock:
            data = b"".join(self._waiting)
            self._waiting.clear()
            self._size = 0
        if self._stream is not None:
            self._stream.feed(data)
            if last:
                self._close()
        lines = (self._rest + data).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = lines.pop()[-MAX_WAITING:] if not last else b""
        for line in lines:
            text, _ = clean(line)
            if text.strip():
                self._lines.append(text[:MAX_LINE])
                self._ending.feed(text)

    def _close(self) -> None:
        assert self._stream is not None
        try:
            self._stream.close()
        except ReadError:
            return  # it printed no metrics

    def ignore_metrics(self) -> None:
        """Others record them: only the last words are wanted from here on."""
        self._stream = None

    @property
    def points(self) -> PointTable | None:
        """The metrics that were printed; None if there are none."""
        if self._stream is None or self._stream.log is None:
            return None
        return self._stream.log.points

    @property
    def config(self) -> dict[str, object]:
        """The settings that were printed."""
        log = None if self._stream is None else self._stream.log
        return {} if log is None else dict(log.config)

    @property
    def ended_with(self) -> str:
        """The error among the last lines, with its place in the code."""
        return str(redacted(self._ending.text))

    @property
    def last_lines(self) -> list[str]:
        """The end of the output."""
        return [redacted(line) for line in list(self._lines)[-LAST_LINES:]]

    @property
    def traceback(self) -> list[str]:
        """The last traceback, if it is not too far back."""
        lines = list(self._lines)
        begins = [i for i, line in enumerate(lines) if _TRACEBACK in line]
        if not begins:
            return []
        ends = begins[-1] + 1
        while ends < len(lines) and lines[ends][:1] in (" ", "\t"):
            ends += 1
        return [redacted(line) for line in lines[begins[-1] : ends + 1]]


MAX_ENTRIES = 20_000  # looked at per round
MAX_DEPTH = 6
_NEVER = frozenset(
    {"node_modules", "__pycache__", "site-packages", "venv", "env", "build", "dist", "guests"}
)
_LOGS = (".csv", ".tsv", ".jsonl", ".json", ".log", ".txt", ".out", ".yaml")


class LogFiles:
    """Waits for a run's files to appear below a folder, then follows them."""

    def __init__(self, top: Path, options: ReadOptions, own: Path) -> None:
        self.run: Run | None = None
        self._top, self._options = top, options
        self._own = own.resolve()  # where our own runs lie
        self._before = set(self._candidates())
        self._sizes: dict[Path, int] = {}

    def look(self) -> None:
        """Find the files, or read what was added to them."""
        if self.run is not None:
            self.run.refresh()
            return
        sizes = {path: size for path in self._candidates() if (size := _size(path))}
        fresh = {path: size for path, size in sizes.items() if path not in self._before}
        if not fresh or fresh == self._sizes:
            return
        self._sizes = fresh
        found = self._found(set(fresh))
        if found is None:
            return
        try:
            runs = opened(found, self._options)
        except ReadError:
            return  # not enough of it is there yet
        if runs and runs[-1].points.count:
            self.run = runs[-1]

    def _found(self, fresh: set[Path]) -> Found | None:
        """Of the runs that the new files make up, the one that was written last."""
        tops = {self._top / path.relative_to(self._top).parts[0] for path in fresh}
        best: tuple[float, Found] | None = None
        for top in sorted(tops):
            for found in discover(top):
                mine = [file.path for file in found.files if file.path in fresh]
                if not mine or self._is_ours(found.path):
                    continue
                newest = max(map(_changed, mine))
                if best is None or newest > best[0]:
                    best = newest, found
        return None if best is None else best[1]

    def _is_ours(self, path: Path) -> bool:
        resolved = path.resolve()
        return resolved == self._own or self._own in resolved.parents

    def _candidates(self) -> Iterator[Path]:
        folders = [(self._top, 0)]
        seen = 0
        for folder, depth in folders:
            try:
                entries = list(os.scandir(folder))
            except OSError:
                continue
            for entry in entries:
                seen += 1
                if seen > MAX_ENTRIES:
                    return
                name = entry.name
                if name.startswith(".") or name in _NEVER:
                    continue
                try:
                    if entry.is_dir(follow_symlinks=False):
                        if depth < MAX_DEPTH and not self._is_ours(Path(entry.path)):
                            folders.append((Path(entry.path), depth + 1))
                        continue
                except OSError:
                    continue
                is_log = "tfevents" in name or name.lower().endswith(_LOGS)
                if is_log and may_be_log(Path(entry.path)):
                    yield Path(entry.path)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


class StepRows:
    """Takes the rows that a table has gained; a step is complete when a later one has begun.

    So the rows follow from what was logged alone, not from how often somebody looked. Of several
    values of one name the last one counts, and what comes late for a step is left out.
    """

    def __init__(self) -> None:
        self._last = np.iinfo(np.int64).min  # step that was taken
        self._clock = 0.0

    def take(self, points: PointTable) -> list[RowBlock]:
        """The rows of the steps that were completed since the last call, in their order."""
        rows: dict[int, dict[str, tuple[float, float]]] = {}  # time and value, by step and name
        for name in points.names():
            if name.lower().startswith(MACHINE):
                continue
            steps, times, values = points.column(name)
            new = slice(int(np.searchsorted(steps, self._last, side="right")), None)
            for step, *point in zip(steps[new], times[new], values[new], strict=True):
                rows.setdefault(int(step), {})[name] = (float(point[0]), float(point[1]))
        complete = sorted(rows)[:-1]
        if complete:
            self._last = complete[-1]
        return [self._block(step, rows[step]) for step in complete]

    def _block(self, step: int, row: dict[str, tuple[float, float]]) -> RowBlock:
        """One row; its time never goes back, so that rows stay in the order of their steps."""
        times = [at for at, _ in row.values()]
        self._clock = float(np.nanmax([self._clock, *times]))
        values = np.array([[value for _, value in row.values()]])
        return RowBlock(tuple(row), np.array([step]), np.array([self._clock]), values)
