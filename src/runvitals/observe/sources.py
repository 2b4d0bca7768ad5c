"""Where the numbers come from: hooks if they record anything, else log files, else the console."""

from __future__ import annotations

import math
import time
from typing import Literal

from runvitals.model import PointTable, Row, Run
from runvitals.observe.console import ConsoleCapture
from runvitals.observe.log_files import LogFiles
from runvitals.recorder.live import LiveRun

Source = Literal["hooks", "files", "console"]
PATIENCE = 20.0  # seconds that numbers wait for a source which knows better
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
        if self.chosen is None and _has_metrics(recorded):
            self.chosen = "hooks"
            self._console.ignore_metrics()
            return
        if self.chosen == "hooks":
            return
        self._collect(last)
        if self._first is None and (self._from_files.count or self._from_console.count):
            self._first = time.monotonic()
        waited = self._first is not None and time.monotonic() - self._first > PATIENCE
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


def _has_metrics(run: Run) -> bool:
    return any(not name.lower().startswith(SYSTEM) for name in run.names())
