"""A bounded picture of the run that is being recorded, as the `Run` that rules look at."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from runvitals.model import Histogram, PointTable, RowBlock, Run, RunInfo, Wanted
from runvitals.model.thin import ThinSeries

if TYPE_CHECKING:
    from runvitals.readers.options import ReadOptions

MAX_SERIES = 1_000
MAX_HISTOGRAM_BYTES = 32 * 2**20  # read anew at every look; of more only after the last row
VITAL = ("loss", "return", "reward", "grad")  # parts of names whose NaN is worth an early look


@dataclass
class _Kept:
    """One series and the places at which segments of the run begin in it."""

    points: ThinSeries = field(default_factory=ThinSeries)
    segments: list[tuple[int, int]] = field(default_factory=list)  # number, first place


class RunView:
    """Takes in what is logged, thinned out by `model/thin.py`, and shows it as a run.

    What an earlier process logged, before a resume, is read from the folder with the first rows.
    """

    def __init__(self, info: RunInfo) -> None:
        self.rows = 0
        self.options: ReadOptions | None = None  # what the user says about names
        self._info = info
        self._lock = threading.Lock()
        self._series: dict[str, _Kept] = {}
        self._has_history = info.segment == 1
        self._told: Run | None = None
        self._running = True
        self._bound: tuple[tuple[Any, ...], Run] | None = None

    def add(self, blocks: Sequence[RowBlock]) -> bool:
        """Take rows in; says whether a loss, return or gradient was not a number."""
        with self._lock:
            if not self._has_history:
                self._has_history = True
                self._read_history()
            alarming = False
            for block in blocks:
                self.rows += len(block)
                for index, name in enumerate(block.names):
                    values = block.values[:, index]
                    self._add(name, self._info.segment, block.steps, block.times, values)
                if not np.isfinite(block.values).all():
                    odd = np.flatnonzero(~np.isfinite(block.values).all(axis=0))
                    names = (block.names[i].lower() for i in odd)
                    alarming |= any(part in name for name in names for part in VITAL)
            return alarming

    def _add(self, name: str, segment: int, steps: Any, times: Any, values: Any) -> None:
        kept = self._series.get(name)
        if kept is None:
            if len(self._series) >= MAX_SERIES:
                self._info.complain(
                    "live judge series",
                    f"more than {MAX_SERIES:,} names: the live judge looks at the first ones only",
                )
                return
            kept = self._series[name] = _Kept()
        if not kept.segments or kept.segments[-1][0] != segment:
            kept.segments.append((segment, kept.points.count))
        kept.points.add(steps, times, values)

    def _read_history(self) -> None:
        from runvitals.store.reader import open_folder

        before = open_folder(self._info.folder).points
        for name in before.names():
            for segment, arrays in before.by_life(name, self._info.rank):
                if segment < self._info.segment:
                    self._add(name, segment, *arrays)

    def run(self, status: str = "running") -> Run:
        """The run as it is now."""
        self._running = status == "running"
        if self._told is None:
            self._told = self._identity()
        run = replace(
            self._told,
            points=self._table(),
            status=status,
            exit_code=self._info.exit_code,
            config=self._info.config,
            framework=self._info.framework,
            algorithm=self._info.algorithm,
            progress=self._info.progress,
            expectations=self._info.expectations,
            evidence={},
        )
        self._bind(run)
        return run

    def _identity(self) -> Run:
        """What `run.json` says, without points; histograms are read where the store has put them."""
        from runvitals.store.events import read_histograms
        from runvitals.store.reader import read_identity

        folder = self._info.folder
        run = Run(self._info.id, PointTable(), path=folder, format="runvitals")
        read_identity(folder, run)
        run.warnings = []

        def histograms(wanted: Wanted) -> Iterable[Histogram]:
            size = sum(path.stat().st_size for path in (folder / "events").glob("*.jsonl"))
            if self._running and size > MAX_HISTOGRAM_BYTES:
                return ()
            return read_histograms(folder, wanted, lambda text: self._info.complain(text, text))

        run.read_histograms = histograms
        return run

    def _bind(self, run: Run) -> None:
        """Say what the names mean; asked again only when there are new names or settings."""
        from runvitals.readers.binding.bind import bind
        from runvitals.readers.binding.logged_settings import add_logged_settings

        told = len(run), run.config, run.framework, run.algorithm
        if self._bound is None or self._bound[0] != told:
            bind(run, self.options)
            self._bound = told, replace(run, points=PointTable())
            return
        known = self._bound[1]
        run.bind(known.bindings)
        run.framework, run.algorithm = known.framework, known.algorithm
        run.settings, run.evidence = known.settings, dict(known.evidence)
        add_logged_settings(run)

    def _table(self) -> PointTable:
        table = PointTable()
        with self._lock:
            found = {
                name: (kept.points.columns(), list(kept.segments))
                for name, kept in self._series.items()
            }
        for name, ((places, steps, times, values), segments) in found.items():
            ends = [first for _, first in segments[1:]] + [int(places[-1]) + 1]
            for (segment, first), end in zip(segments, ends, strict=True):
                mine = slice(*np.searchsorted(places, (first, end)).tolist())
                block = RowBlock(
                    (name,), steps[mine], times[mine], values[mine, None], self._info.rank
                )
                table.add(block, segment)
        return table
