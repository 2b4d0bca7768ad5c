"""A bounded picture of the run that is being recorded, as the `Run` that rules look at."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from runvitals.diagnosis.live import importing
from runvitals.diagnosis.live.checkpoints import Checkpoints, in_order
from runvitals.model import (
    Event,
    Histogram,
    IntArray,
    PointTable,
    RowBlock,
    Run,
    RunInfo,
    Sample,
    Wanted,
)
from runvitals.model.points.thin import ThinSeries
from runvitals.store.events import read_histograms

if TYPE_CHECKING:
    from runvitals.readers.options import ReadOptions
    from runvitals.rollouts.digest import Digester
    from runvitals.rollouts.series import Known

MAX_SERIES = 1_000
MAX_WAITING_BYTES = 256 * 2**20  # of prefixes that wait to be judged
MACHINE = "system/"  # sampled by the clock, and no rows of the training
MAX_HISTOGRAM_BYTES = 32 * 2**20  # read anew at every look; of more only after the last row
VITAL = ("loss", "return", "reward", "grad")  # parts of names whose NaN is worth an early look


@dataclass
class _Kept:
    """One series and the places at which segments of the run begin in it."""

    points: ThinSeries = field(default_factory=ThinSeries)
    segments: list[tuple[int, int]] = field(default_factory=list)  # number, first place


@dataclass(frozen=True)
class Prefix:
    """The run as it was after some of its rows, to be judged whenever there is time for it."""

    rows: int
    points: PointTable
    facts: dict[str, Any]  # settings and the like, as they were then
    has_histograms: bool
    size: int  # bytes


class RunView:
    """Takes in what is logged, thinned out by `model/thin.py`, and shows it as a run.

    A run that may be stopped is also kept as it was at each of its checkpoints, in `prefixes`.

    What an earlier process logged, before a resume, is read from the folder with the first rows.
    """

    def __init__(self, info: RunInfo) -> None:
        self.rows = 0
        self.options: ReadOptions | None = None  # what the user says about names
        self._info = info
        self._lock = threading.Lock()
        self._series: dict[str, _Kept] = {}
        self.prefixes: deque[Prefix] = deque()
        self._checkpoints = Checkpoints()
        self._logged = 0  # rows that were counted for them
        self._has_history = info.segment == 1
        self._told: Run | None = None
        self._bound: dict[str, tuple[tuple[Any, ...], Run]] = {}
        self._texts: Digester | None = None  # once there are samples
        self._measured: dict[str, Known] = {}

    def add(self, blocks: Sequence[RowBlock]) -> bool:
        """Take rows in; says whether a loss, return or gradient was not a number."""
        with self._lock:
            if not self._has_history:
                self._has_history = True
                self._read_history()
            if self._info.stops:
                return self._add_by_checkpoints(blocks)
            for block in blocks:
                self._add_block(block)
            return any(_alarming(block).any() for block in blocks)

    def add_samples(self, events: Sequence[Event]) -> None:
        """Take in what the model wrote. What judges texts is imported with the first sample."""
        samples = [event for event in events if isinstance(event, Sample)]
        if not samples:
            return
        with importing.lock:
            from runvitals.rollouts.digest import Digester
            from runvitals.rollouts.record import rollout_of
        with self._lock:
            if self._texts is None and self._info.segment > 1:
                from runvitals.store.reader import open_folder

                begin = min(sample.step for sample in samples)
                earlier = open_folder(self._info.folder).samples()
                samples = [*(one for one in earlier if one.step < begin), *samples]
            self._texts = self._texts or Digester()
            for sample in samples:
                if (one := rollout_of(sample)) is not None:
                    self._texts.add(one)

    def _with_text(self, run: Run, kind: str) -> Run:
        if self._texts is None:
            return run
        from runvitals.rollouts.series import with_digest

        with self._lock:
            digest = self._texts.digest()
        if kind == "prefix":
            digest = digest.until(run.last_step)
        if not digest.stretches:
            return run
        return with_digest(run, digest, self._measured.setdefault(kind, {}))

    def _add_block(self, block: RowBlock) -> None:
        self.rows += len(block)
        for index, name in enumerate(block.names):
            values = block.values[:, index]
            self._add(name, self._info.segment, block.steps, block.times, values)

    def _add_by_checkpoints(self, blocks: Sequence[RowBlock]) -> bool:
        """Take rows in as they were logged, one after the other, and stop at each checkpoint."""
        logged: list[RowBlock] = []
        for block in blocks:
            if all(name.lower().startswith(MACHINE) for name in block.names):
                self._add_block(block)
            elif len(block):
                logged.append(block)
        if not logged:
            return False
        places = in_order(logged)
        alarming = np.zeros(sum(map(len, logged)), bool)
        for block, mine in zip(logged, places, strict=True):
            alarming[mine] = _alarming(block)
        checkpoints = self._checkpoints.among(alarming)
        begin = 0
        for end in dict.fromkeys([*checkpoints, len(alarming)]):
            self._add_between(begin, end, logged, places)
            if end in checkpoints:
                self._keep_prefix(self._logged + end)
            begin = end
        self._logged += len(alarming)
        return bool(alarming.any())

    def _add_between(
        self, begin: int, end: int, blocks: Sequence[RowBlock], places: Sequence[IntArray]
    ) -> None:
        """Take in the rows between two places; names are met in the order they were logged."""
        parts: list[tuple[int, RowBlock]] = []
        for block, mine in zip(blocks, places, strict=True):
            rows = slice(*np.searchsorted(mine, (begin, end)).tolist())
            if rows.start < rows.stop:
                columns = block.steps[rows], block.times[rows], block.values[rows]
                part = RowBlock(block.names, *columns, block.rank)
                parts.append((int(mine[rows.start]), part))
        for _, part in sorted(parts, key=lambda found: found[0]):
            self._add_block(part)

    def _keep_prefix(self, rows: int) -> None:
        points = self._table(machine=False)
        size = 32 * points.count  # a place, a step, a time and a value each
        waiting = sum(prefix.size for prefix in self.prefixes)
        if self.prefixes and waiting + size > MAX_WAITING_BYTES:
            text = "so much is logged that the live judge falls behind; stop_on skips some of its looks"
            self._info.complain("live judge behind", text)
            return
        self.prefixes.append(Prefix(rows, points, self._facts(), self._may_read_histograms(), size))

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
        with self._lock:
            points = self._table()
        has_histograms = status != "running" or self._may_read_histograms()
        return self._shown(points, status, self._facts(), has_histograms, "now")

    def run_at(self, prefix: Prefix) -> Run:
        """The run as it was then."""
        facts, has_histograms = prefix.facts, prefix.has_histograms
        return self._shown(prefix.points, "running", facts, has_histograms, "prefix")

    def _facts(self) -> dict[str, Any]:
        info = self._info
        return {
            "config": info.config,
            "framework": info.framework,
            "algorithm": info.algorithm,
            "progress": info.progress,
            "expectations": info.expectations,
        }

    def _shown(
        self,
        points: PointTable,
        status: str,
        facts: dict[str, Any],
        has_histograms: bool,
        kind: str,
    ) -> Run:
        if self._told is None:
            self._told = self._identity()
        run = replace(self._told, points=points, status=status, **facts, evidence={})
        run.exit_code = self._info.exit_code
        last = run.last_step

        def histograms(wanted: Wanted) -> Iterable[Histogram]:
            if not has_histograms:
                return ()
            folder, complain = self._info.folder, self._info.complain
            found = read_histograms(folder, wanted, lambda text: complain(text, text))
            return (one for one in found if last is None or one.step <= last)

        run.read_histograms = histograms
        self._bind(run, kind)
        return self._with_text(run, kind)

    def _may_read_histograms(self) -> bool:
        files = (self._info.folder / "events").glob("*.jsonl")
        return sum(path.stat().st_size for path in files) <= MAX_HISTOGRAM_BYTES

    def _identity(self) -> Run:
        """What `run.json` says, without points; histograms are read where the store has put them."""
        from runvitals.store.reader import read_identity

        folder = self._info.folder
        run = Run(self._info.id, PointTable(), path=folder, format="runvitals")
        read_identity(folder, run)
        run.warnings = []
        return run

    def _bind(self, run: Run, kind: str) -> None:
        """Say what the names mean; asked again only when there are new names or settings.

        Numbers count too, so what is said of a prefix must not come from a later look.
        """
        from runvitals.readers.bind import add_logged_settings, bind

        told = len(run), run.config, run.framework, run.algorithm
        if kind not in self._bound or self._bound[kind][0] != told:
            bind(run, self.options)
            self._bound[kind] = told, replace(run, points=PointTable())
            return
        known = self._bound[kind][1]
        run.bind(known.bindings)
        run.framework, run.algorithm = known.framework, known.algorithm
        run.settings, run.evidence = known.settings, dict(known.evidence)
        add_logged_settings(run)

    def _table(self, *, machine: bool = True) -> PointTable:
        table = PointTable()
        found = {
            name: (kept.points.columns(), list(kept.segments))
            for name, kept in self._series.items()
            if machine or not name.lower().startswith(MACHINE)
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


def _alarming(block: RowBlock) -> npt.NDArray[np.bool_]:
    """The rows in which a loss, return or gradient is not a number."""
    odd = ~np.isfinite(block.values)
    if not odd.any():
        return np.zeros(len(block), bool)
    vital = [any(part in name.lower() for part in VITAL) for name in block.names]
    found: npt.NDArray[np.bool_] = np.asarray(odd[:, vital].any(axis=1))
    return found
