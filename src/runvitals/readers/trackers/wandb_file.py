"""W&B run files (`run-<id>.wandb`): a block log of protobuf records, offline or half synced.

Field numbers are those of `wandb_internal.proto`. History rows give the series, under the x-axis that
`define_metric` declared where it counts upwards, else under `global_step` or W&B's own `_step`.
"""

import fnmatch
import math
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np

from runvitals.model import Event, FloatArray, Gap, IntArray, ReadError, RowBlock
from runvitals.readers.log import Blocks, Log, Reader
from runvitals.readers.raw.source import COMPRESSED, DAMAGED, open_binary
from runvitals.readers.rows.table import MAX_COLUMNS, MAX_STEP
from runvitals.readers.trackers import _protobuf as protobuf
from runvitals.readers.trackers._json_values import MAX_JSON_LENGTH, flatten, parse_json
from runvitals.readers.trackers._leveldb_log import RecordScan
from runvitals.readers.trackers._wandb_folder import (
    config_beside,
    samples_in,
    started_beside,
    tables_beside,
)
from runvitals.readers.trackers._wandb_records import (
    Rows,
    any_item,
    counts,
    goes_with,
    put,
    row_histograms,
    take_config,
)

ID = "wandb"

MAGIC = b":W&B\xe1\xbe"
_HEADER_SIZE = 7
_HISTORY, _CONFIG, _STATS, _METRIC, _RUN, _EXIT = 2, 5, 7, 12, 17, 18
_VALUE_TAG = b"\x82\x01"  # field 16, value_json


def sniff(path: Path, head: bytes) -> int:
    """By the magic bytes, or the ending of an empty file."""
    if head.startswith(MAGIC):
        return 100
    return 80 if path.suffix == ".wandb" else 0


def read(path: Path) -> list[Log]:
    """The run in the file, with the config and metadata that lie beside it."""
    return [_Source(path).open()]


class _Source:
    """A run file and how far it has been read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log = Log(path, ID)
        self.log.read_new = None if path.suffix.lower() in COMPRESSED else self.read_new
        self._scan = RecordScan(_HEADER_SIZE)
        self._segment = 1
        self._names: dict[bytes, str] = {}
        self._rows = Rows()
        self._declared: dict[str, str] = {}  # metric name or pattern: name of its x-axis
        self._axis: str | None = None  # None until there are rows
        self._axes: dict[str, str] = {}
        self._last: dict[str, int] = {}  # where each axis stands
        self._history_rows = 0
        self._records = 0
        self._unreadable = 0
        self._has_histograms = False
        self._row_steps: list[IntArray] = []
        self._row_times: list[FloatArray] = []
        self._last_time = math.nan
        self._run_id = ""

    def open(self) -> Log:
        log, path = self.log, self.path
        try:
            self._check_header()
            self._scan_records()
        except DAMAGED as error:
            raise ReadError(path, str(error)) from error
        if not self._records:
            raise ReadError(
                path,
                "no whole record in it" if not self._scan.damaged else "every record is damaged",
                hint="the run died before its first block was written; look at files/output.log",
            )
        log.add(self._take_blocks())
        beside = config_beside(path)
        if beside:
            log.config = {**beside, **log.config}
        if log.started is None:
            log.started = started_beside(path)
        log.name = log.name or self._run_id or path.stem.removeprefix("run-")
        self._warn()
        tables = tables_beside(path)
        log.has_samples = bool(tables)
        if self._has_histograms or tables:
            log.events = lambda: chain(self._histograms(), samples_in(tables))
        return log

    def _warn(self) -> None:
        warnings = self.log.warnings
        damaged = self._scan.damaged + self._unreadable
        if damaged:
            warnings.append(Gap(f"{damaged} damaged records were passed over"))
        if self._scan.torn:
            warnings.append("the last record is cut; everything before it was read")
        if not self._history_rows:
            what = "only system statistics" if self.log.points.count else "no metric at all"
            warnings.append(f"no history rows: the run logged {what}")
        elif self.log.status == "unknown":
            warnings.append("the file has no end: the run was killed or is still running")

    def _check_header(self) -> None:
        with open_binary(self.path) as file:
            start = file.read(_HEADER_SIZE)
        if not start:
            raise ReadError(self.path, "the file is empty", hint="the run died before it logged")
        if not start.startswith(MAGIC) or len(start) < _HEADER_SIZE:
            raise ReadError(self.path, "not a W&B run file: its first bytes are not `:W&B`")
        if start[6] != 0:
            told = f"version {start[6]} of the W&B file format is not known"
            raise ReadError(self.path, told, hint="export the run's history to CSV with W&B")

    def _scan_records(self) -> None:
        with open_binary(self.path) as file:
            try:
                for record in self._scan.records(file):
                    self._records += 1
                    try:
                        self._take(record)
                    except (ValueError, IndexError, RecursionError):
                        self._unreadable += 1
            except DAMAGED as error:
                if not self._records:
                    raise ReadError(self.path, str(error)) from error
                self.log.warnings.append(Gap(f"reading ended early ({error}); read up to there"))

    def _take(self, record: bytes) -> None:
        for number, value in protobuf.fields(record):
            if not isinstance(value, bytes):
                continue
            if number == _HISTORY:
                self._take_history(value)
            elif number == _STATS:
                self._take_stats(value)
            elif number == _CONFIG:
                take_config(value, self.log.config)
            elif number == _RUN:
                self._take_run(value)
            elif number == _METRIC:
                self._take_metric(value)
            elif number == _EXIT:
                self._take_exit(value)

    def _take_history(self, data: bytes) -> None:
        row: dict[str, float] = {}
        media: list[str] = []
        step = self._take_items(data, row, media)
        for name in media:
            inside = f"{name}/"
            for key in [key for key in row if key.startswith(inside)]:
                del row[key]
        step = row.pop("_step", step)
        if step is None or not math.isfinite(step) or abs(step) > MAX_STEP:
            step = float(self._history_rows)
        time = row.pop("_timestamp", math.nan)
        row.pop("_wandb", None)
        rows = self._rows
        columns, place = rows.columns, len(rows.steps)
        for name, value in row.items():
            column = columns.get(name)
            if column is None:
                put(columns, name, place, value)
            else:
                column[0].append(place)
                column[1].append(value)
        rows.steps.append(step)
        rows.times.append(time)
        self._history_rows += 1

    def _take_items(self, data: bytes, row: dict[str, float], media: list[str]) -> float | None:
        """The numbers of a history record, and its step if it stands outside the items.

        Written out for the usual layout (an item, one or more parts of a name, a JSON value), since
        this is where the time goes; anything else takes the general way.
        """
        place, end = 0, len(data)
        names = self._names
        while place < end and data[place] == 0x0A:
            size, start = data[place + 1], place + 2
            if size > 127:
                size, start = protobuf.varint(data, place + 1, end)
            place = start + size
            if place > end:
                raise ValueError("an item is longer than its record")
            at = start
            while at + 1 < place and data[at] in (0x0A, 0x12) and data[at + 1] < 128:
                at += 2 + data[at + 1]
            if at + 3 <= place and at > start and data[at : at + 2] == _VALUE_TAG:
                size, value = data[at + 2], at + 3
                if size > 127:
                    size, value = protobuf.varint(data, at + 2, place)
                if value + size == place:
                    key = data[start:at]
                    name = names.get(key)
                    if name is None:
                        name = self._name(key)
                    try:
                        row[name] = float(data[value:place])
                    except ValueError:
                        self._take_value(name, data[value:place], row, media)
                    continue
            self._take_value(*any_item(data[start:place]), row, media)
        step: float | None = None
        for number, value_of in protobuf.fields(data[place:]):
            if number == 2 and isinstance(value_of, bytes):
                step = next((float(v) for n, v in protobuf.fields(value_of) if n == 1), 0.0)
            elif number == 1 and isinstance(value_of, bytes):
                self._take_value(*any_item(value_of), row, media)
        return step

    def _name(self, key: bytes) -> str:
        name = "/".join(protobuf.text(part) for _, part in protobuf.fields(key))
        if len(self._names) < MAX_COLUMNS:
            self._names[key] = name
        return name

    def _take_value(self, name: str, raw: bytes, row: dict[str, float], media: list[str]) -> None:
        """Takes a JSON value that may be anything but a plain number."""
        if len(raw) > MAX_JSON_LENGTH:
            return
        # histograms, images, tables: what lies beside it is not a metric
        if name.endswith("/_type"):
            media.append(name[:-6])
            self._has_histograms = self._has_histograms or raw == b'"histogram"'
            return
        known = len(media)
        flatten(name, parse_json(raw), row, media)
        if len(media) > known and b'"histogram"' in raw:
            self._has_histograms = True

    def _take_stats(self, data: bytes) -> None:
        time = math.nan
        row: dict[str, float] = {}
        for number, value in protobuf.fields(data):
            if number == 2 and isinstance(value, bytes):
                time = protobuf.timestamp(value)
            elif number == 3 and isinstance(value, bytes):
                name, raw = any_item(value)
                flatten(f"system/{name}", parse_json(raw), row, [])
        for name, stat in row.items():
            put(self._rows.stats, name, len(self._rows.stat_times), stat)
        self._rows.stat_times.append(time)

    def _take_run(self, data: bytes) -> None:
        log = self.log
        for number, value in protobuf.fields(data):
            if not isinstance(value, bytes):
                continue
            if number == 1:
                self._run_id = protobuf.text(value)
            elif number == 4:
                take_config(value, log.config)
            elif number == 8 and value:
                log.name = protobuf.text(value)
            elif number == 17:
                log.started = protobuf.timestamp(value)

    def _take_metric(self, data: bytes) -> None:
        names = {n: protobuf.text(v) for n, v in protobuf.fields(data) if n in (1, 2, 4)}
        target = names.get(1) or names.get(2)
        if target and names.get(4) and len(self._declared) < MAX_COLUMNS:
            self._declared[target.replace("\\.", ".")] = names[4].replace("\\.", ".")

    def _take_exit(self, data: bytes) -> None:
        numbers = protobuf.numbers(data)
        self.log.status = "crashed" if numbers.get(1) else "finished"
        if self.log.started is not None and numbers.get(2):
            self.log.ended = self.log.started + protobuf.signed(numbers[2])

    def _take_blocks(self) -> Blocks:
        """The blocks of what was scanned since the last call."""
        rows, self._rows = self._rows, Rows()
        blocks: Blocks = []
        count = len(rows.steps)
        if count:
            blocks += [(self._segment, block) for block in self._history_blocks(rows)]
        if len(rows.stat_times):
            blocks += [(self._segment, block) for block in self._stat_blocks(rows)]
        return blocks

    def _history_blocks(self, rows: Rows) -> Iterator[RowBlock]:
        own = np.array(rows.steps).astype(np.int64)
        times = np.array(rows.times)
        known = times[np.isfinite(times)]
        if len(known):
            self._last_time = float(known[-1])
        if self._axis is None:
            self._choose_axes(rows, own)
        axes: dict[str, IntArray] = {"_step": own}
        for name in {self._axis or "_step", *self._axes.values()} - {"_step"}:
            axes[name] = self._filled(name, rows)
        main = axes[self._axis or "_step"]
        self._row_steps.append(main)
        self._row_times.append(times)
        if self._axis != "_step":
            yield RowBlock(("_step",), main, times, own.astype(np.float64)[:, None])
        groups: dict[tuple[str, bytes], list[str]] = {}
        for name, (places, _) in rows.columns.items():
            axis = self._axes.get(name, self._axis or "_step")
            groups.setdefault((axis, places.tobytes()), []).append(name)
        for (axis, raw), names in groups.items():
            at = np.frombuffer(raw, np.int64)
            values = np.stack([np.array(rows.columns[name][1]) for name in names], axis=1)
            yield RowBlock(tuple(names), axes[axis][at], times[at], values)

    def _choose_axes(self, rows: Rows, own: IntArray) -> None:
        count = len(own)
        self._axis = "_step"
        starred = self._declared.get("*")
        named = [n for n in rows.columns if n.rpartition("/")[2].lower() == "global_step"]
        for name in [*([starred] if starred else []), *sorted(named, key=len)]:
            if counts(rows, name, 0.9 * count):
                self._axis = name
                break
        exact = {k: v for k, v in self._declared.items() if "*" not in k}
        patterns = {k: v for k, v in self._declared.items() if "*" in k and k != "*"}
        for name, (places, _) in rows.columns.items():
            axis = exact.get(name)
            if axis is None and name not in patterns.values():
                found = (v for k, v in patterns.items() if fnmatch.fnmatchcase(name, k))
                axis = next(found, None)
            if axis is None or axis == self._axis or name == axis:
                continue
            if counts(rows, axis, 0) and goes_with(rows.columns[axis][0], places):
                self._axes[name] = axis

    def _filled(self, name: str, rows: Rows) -> IntArray:
        """The axis for every row, carried forward where it is missing."""
        steps = np.zeros(len(rows.steps), np.int64)
        column = rows.columns.get(name)
        before = self._last.get(name)
        if column is None:
            return steps + (before or 0)
        places = np.array(column[0])
        with np.errstate(invalid="ignore"):
            values = np.nan_to_num(np.array(column[1]), nan=0.0, posinf=0.0, neginf=0.0)
        numbers = np.clip(values, -MAX_STEP, MAX_STEP).astype(np.int64)
        at = np.searchsorted(places, np.arange(len(steps)), side="right") - 1
        steps = np.take(numbers, np.maximum(at, 0))
        if before is not None:
            steps[at < 0] = before
        self._last[name] = int(numbers[-1])
        return steps

    def _stat_blocks(self, rows: Rows) -> Iterator[RowBlock]:
        """System statistics have times only; they stand at the step of the history around them."""
        times = np.array(rows.stat_times)
        if self._row_steps:
            row_times = np.concatenate(self._row_times)
            row_steps = np.concatenate(self._row_steps)
            known = np.flatnonzero(np.isfinite(row_times))
            self._row_times, self._row_steps = [row_times], [row_steps]
            if len(known):
                clock = np.maximum.accumulate(row_times[known])
                at = np.where(np.isfinite(times), times, clock[0])
                steps = np.interp(at, clock, row_steps[known]).astype(np.int64)
            else:
                steps = np.full(len(times), int(row_steps[-1]))
        else:
            first = self._last.get("", -1) + 1
            steps = np.arange(first, first + len(times))
            self._last[""] = int(steps[-1])
        groups: dict[bytes, list[str]] = {}
        for name, (places, _) in rows.stats.items():
            groups.setdefault(places.tobytes(), []).append(name)
        for raw, names in groups.items():
            at = np.frombuffer(raw, np.int64)
            values = np.stack([np.array(rows.stats[name][1]) for name in names], axis=1)
            yield RowBlock(tuple(names), steps[at], times[at], values)

    def read_new(self) -> Blocks:
        """Rows that were appended since."""
        try:
            size = self.path.stat().st_size
            if size < self._scan.offset:  # replaced by a younger file
                segment = self._segment
                fresh = _Source(self.path)
                fresh.log = self.log
                self.__dict__.update(fresh.__dict__)
                self._segment = segment + 1
                self._check_header()
            self._scan_records()
        except (OSError, ReadError):
            return []
        return self._take_blocks()

    def _histograms(self) -> Iterator[Event]:
        if not self._row_steps:
            return
        steps = np.concatenate(self._row_steps)
        times = np.concatenate(self._row_times)
        row = 0
        with open_binary(self.path) as file:
            for record in RecordScan(_HEADER_SIZE).records(file):
                try:
                    for number, value in protobuf.fields(record):
                        if number != _HISTORY or not isinstance(value, bytes):
                            continue
                        if row >= len(steps):
                            return
                        self._take_items(value, {}, [])  # rows that fail here were not counted
                        at, row = row, row + 1
                        yield from row_histograms(value, int(steps[at]), float(times[at]))
                except (ValueError, IndexError, RecursionError):
                    continue


READER = Reader(ID, "Weights & Biases run file (.wandb)", sniff, read, role="main")
