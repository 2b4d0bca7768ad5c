"""What the readers of tables share: blocks of whole lines, logs out of tables, following."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np

from runvitals.model import EmptyLogError, Gap, ReadError
from runvitals.model.run import in_place
from runvitals.readers.log import Blocks, Log
from runvitals.readers.raw.numbers import as_written
from runvitals.readers.raw.source import BLOCK, ENCODED, UTF16, line_blocks, open_binary
from runvitals.readers.rows.arrangement import Arrangement, OneRun, arrange
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.rows.table import MAX_COLUMNS, Table, TableRun, runs_in

MAX_SETTINGS = 5000
_FINGERPRINT = 512
_CONTROLS = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")

_HOSTS = frozenset(
    {"hostname", "host", "node_ip", "ip", "pid", "date", "time", "timestamp", "user", "trial_id",
     "experiment_id", "experiment_tag"}
)  # fmt: skip
_ENDINGS_OF_CONFIG = frozenset(
    {"config", "args", "hparams", "hyperparameters", "hyperparams", "params", "settings", "_wandb"}
)


class RowParser(Protocol):
    """Turns lines into rows; keeps what later lines need (the header)."""

    rows: RowCollector

    def feed(self, block: bytes) -> None:
        """Take in whole lines."""

    def feed_last(self, line: bytes) -> bool:
        """Take in a last line without its end; False when it is not whole."""


def is_binary(start: bytes) -> bool:
    """True if these first bytes are not text; a crash of the machine leaves zero bytes in text."""
    first = start[:4096]
    if b"\0" not in first or start.startswith(UTF16):
        return False
    if first.startswith(b"\0") or _CONTROLS.search(first):
        return True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(first)
    except UnicodeDecodeError:
        return True
    return False


def utf8(start: bytes) -> bytes:
    """The first bytes of a text file in UTF-8, without a byte-order mark."""
    if start.startswith(UTF16):
        return start[: len(start) & ~1].decode("utf-16", "replace").encode("utf-8", "replace")
    return start.removeprefix(codecs.BOM_UTF8)


def parse_file(path: Path, parser: RowParser, warnings: list[str]) -> Follower | None:
    """Feed a whole file to a parser; gives what is needed to go on from there (None: compressed)."""
    try:
        with open_binary(path) as file, open(path, "rb") as plain:
            start = plain.read(_FINGERPRINT)
            place = os.fstat(plain.fileno())
            offset, torn = _feed(file, parser, warnings)
    except OSError as error:
        raise ReadError(path, error.strerror or str(error)) from error
    if (cut := parser.rows.cut()) is not None:
        warnings.append(cut)
    if parser.rows.too_many:
        warnings.append(Gap(f"more than {MAX_COLUMNS:,} columns; the others were left out"))
    if start.startswith(ENCODED) or parser.rows.full:
        return None
    return Follower(path, (place.st_dev, place.st_ino), start, offset, torn)


def _feed(file: BinaryIO, parser: RowParser, warnings: list[str]) -> tuple[int, bytes | None]:
    """Feeds all lines; gives the length of what was whole, and a last line taken in without its end.

    The length is that of the text; with lone carriage returns it is still that of the file.
    """
    offset = 0
    torn: bytes | None = None
    for block in line_blocks(file, warnings):
        if parser.rows.full:
            parser.rows.refused = True
            break
        if block.endswith(b"\n"):
            parser.feed(block)
            offset += len(block)
            continue
        cut = block.rfind(b"\n") + 1
        if cut:
            parser.feed(block[:cut])
            offset += cut
        last = block[cut:]
        if last.strip():
            if parser.feed_last(last):
                torn = last
            else:
                warnings.append("the last line is not complete; it was kept out")
    return offset, torn


class Follower:
    """Reads what was appended to a text file since; made by `parse_file`, set up by `follow`."""

    def __init__(
        self, path: Path, place: tuple[int, int], start: bytes, offset: int, torn: bytes | None
    ) -> None:
        self.path = path
        self._place = place
        self._start = start
        self._offset = offset + (3 if start.startswith(codecs.BOM_UTF8) else 0)
        self._torn = torn
        self._skipping = False  # inside a line that is longer than any log's

    def follow(
        self,
        parser: RowParser,
        again: Callable[[], RowParser],
        part: TableRun,
        *,
        rows: int,
        time: str | None = None,
        shape: Callable[[Table], Table] | None = None,
    ) -> Callable[[], Blocks] | None:
        """The function for `Log.read_new`; `again` makes a parser for a file that starts over. None
        when rows that are appended cannot be told to be of this run."""
        if not part.followed:
            return None
        self._parser = parser
        self._again = again
        self._step, self._time = part.step_name, time or part.time_name
        turns = part.turns.apply if part.turns is not None else None
        self._shapes = [one for one in (shape, part.shape, turns) if one is not None]
        self._others = part.others
        self._ordered = not part.disordered
        self._shift = part.shift
        self._rows = rows
        self._segment = max((segment for segment, _ in part.blocks), default=1)
        self._last = max(
            (int(b.steps.max()) for s, b in part.blocks if s == self._segment and len(b)),
            default=None,
        )
        parser.rows = parser.rows.fresh()
        return self._read_new

    def _read_new(self) -> Blocks:
        warnings: list[str] = []
        try:
            with open(self.path, "rb") as file:
                place = os.fstat(file.fileno())
                start = file.read(len(self._start))
                same = (
                    (place.st_dev, place.st_ino) == self._place
                    and place.st_size >= self._offset
                    and start == self._start
                )
                if not same:
                    return self._start_over(file, place, warnings)
                if place.st_size == self._offset + len(self._torn or b""):
                    return []
                file.seek(self._offset)
                self._parser.rows = self._parser.rows.fresh()
                if len(self._start) < _FINGERPRINT:
                    self._start = _read_at(file, 0, _FINGERPRINT)
                    file.seek(self._offset)
                return self._go_on(file)
        except (OSError, ReadError):
            return []  # moved away, or just begun anew: it may come

    def _go_on(self, file: BinaryIO) -> Blocks:
        torn, self._torn = self._torn, None
        replaced = False
        if torn is not None:  # the last line was taken in without its end
            rest = _read_at(file, self._offset, len(torn) + 2)
            if not rest.startswith(torn):
                replaced = True
            elif rest[len(torn) :].startswith((b"\n", b"\r\n")):
                self._offset += len(torn) + 1 + rest[len(torn) :].startswith(b"\r")
            else:
                replaced = True  # it went on: what was taken in was cut
            file.seek(self._offset)
        parser = self._parser
        while True:
            block = self._whole_lines(file)
            if not block:
                break
            parser.feed(block)
            self._offset += len(block)
            if parser.rows.full:
                break
        if replaced and not parser.rows.rows:
            self._torn = torn  # still without its end
            return []
        return self._deliver(parser.rows.table(), replaced)

    def _whole_lines(self, file: BinaryIO) -> bytes:
        """Whole lines from here on, at most a block of them; a longer line is passed over."""
        while True:
            data = _read_at(file, self._offset, BLOCK)
            if self._skipping:
                end = data.find(b"\n") + 1
                self._offset += end or len(data)
                if not end:
                    return b""
                self._skipping = False
                continue
            end = data.rfind(b"\n") + 1
            if end or len(data) < BLOCK:
                return data[:end]
            self._offset += len(data)
            self._skipping = True

    def _start_over(self, file: BinaryIO, place: os.stat_result, warnings: list[str]) -> Blocks:
        """Another file, or the same one written anew: with new columns, or from its beginning."""
        file.seek(0)
        self._skipping = False
        self._parser = self._again()
        offset, self._torn = _feed(file, self._parser, warnings)
        rewritten = (place.st_dev, place.st_ino) == self._place
        self._place = (place.st_dev, place.st_ino)
        self._start = _read_at(file, 0, _FINGERPRINT)
        self._offset = offset + (3 if self._start.startswith(codecs.BOM_UTF8) else 0)
        table = self._parser.rows.table()
        before, self._rows = self._rows, 0
        if rewritten and table.rows >= before and self._agrees(table, before):
            self._rows = before
            return self._deliver(table.without_first(before), False)
        return self._deliver(table, True)

    def _agrees(self, table: Table, rows: int) -> bool:
        """True if the row read last is where it was."""
        column = table.columns.get(self._step or "")
        if column is None or not rows:
            return False
        at = int(np.searchsorted(column.places, rows - 1, side="right")) - 1
        return at >= 0 and self._last is not None and int(column.values[at]) == self._last

    def _deliver(self, table: Table, anew: bool) -> Blocks:
        aside = self._others(table) if self._others is not None else []
        blocks = self._of_main_counter(table, anew)
        for axis, other in aside:
            for part in runs_in(other, step=axis, time=self._time, split=False):
                blocks += [(self._segment, block) for _, block in part.blocks]
        return blocks

    def _of_main_counter(self, table: Table, anew: bool) -> Blocks:
        for shape in self._shapes:
            table = shape(table)
        found = runs_in(table, step=self._step, time=self._time, split=False)
        blocks: Blocks = [pair for part in found for pair in part.blocks]
        if self._step is None:
            blocks = [(s, replace(b, steps=b.steps + self._rows)) for s, b in blocks]
        elif found and found[0].step_name != self._step:
            blocks = []  # rows without a step: of no use alone
        self._rows += table.rows
        self._parser.rows = self._parser.rows.fresh()
        if not blocks:
            return []
        if self._shift is not None:
            blocks = self._counted_on(blocks, self._shift)
        first = min(int(block.steps.min()) for _, block in blocks)
        back = self._last is not None and first < self._last and self._ordered
        base = self._segment if anew or back else self._segment - 1
        if not self._ordered:
            blocks = [(1, block) for _, block in blocks]
        blocks = [(base + segment, block) for segment, block in blocks]
        self._segment = max(segment for segment, _ in blocks)
        self._last = max(int(b.steps.max()) for s, b in blocks if s == self._segment)
        return blocks

    def _counted_on(self, blocks: Blocks, shift: int) -> Blocks:
        """The blocks of a training whose counter starts over now and then."""
        found: Blocks = []
        last = self._last or 0
        for segment in sorted({segment for segment, _ in blocks}):
            mine = [block for one, block in blocks if one == segment]
            first = min(int(block.steps.min()) for block in mine)
            if first + shift < last:
                shift = last + max(0, 1 - first)
            mine = [replace(block, steps=block.steps + shift) for block in mine]
            last = max(int(block.steps.max()) for block in mine)
            found += [(1, block) for block in mine]
        self._shift = shift
        return found


def _read_at(file: BinaryIO, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)


def logs_of(
    path: Path,
    format: str,
    table: Table,
    warnings: list[str],
    *,
    config: Mapping[str, Any] | None = None,
    framework: str | None = None,
    step: str | None = None,
    time: str | None = None,
    shape: Arrangement | None = None,
) -> tuple[list[Log], list[TableRun]]:
    """The runs of a table as logs, with the parts they came from; `shape`, if the columns are known."""
    if not table.rows:
        raise EmptyLogError(path, "it holds no rows", hint="has the run logged anything yet?")
    if shape is None:
        shape = arrange(table, step)
    logs: list[Log] = []
    parts: list[TableRun] = []
    runs = shape.apply(table)
    for run in runs:
        found = _parts_of(run, shape, step, time)
        for number, part in enumerate(found, 1):
            log = Log(path, format, framework=framework, config={**(config or {}), **run.config})
            log.add(part.blocks)
            log.counted_by = part.counted_by
            log.warnings = [
                in_place(w, path.name) for w in [*warnings, *shape.warnings, *part.warnings]
            ]
            log.name = f"{run.label} {number}".strip() if len(found) > 1 else run.label
            _note_times(log, part.blocks)
            logs.append(log)
            parts.append(part)
    if not parts:
        raise ReadError(path, "there are no numbers in it besides the step")
    if len(logs) > 1:
        for log in logs:
            log.name = f"{path.stem} {log.name}"
    if not shape.is_trivial:
        alone = len(runs) == 1 and len(runs[0].tables) == 1
        parts[-1].followed = parts[-1].followed and alone
        parts[-1].shape = lambda new: shape.apply(new)[0].tables[0][1] if new.rows else new
        if shape.axes:
            parts[-1].others = lambda new: shape.apply(new)[0].others if new.rows else []
    return logs, parts


def _parts_of(
    run: OneRun, shape: Arrangement, step: str | None, time: str | None
) -> list[TableRun]:
    """The runs that one run's rows turn out to be; those of several ranks are one."""
    step = shape.axis or step
    time = shape.clock or time
    by_rank = [
        [part for part in runs_in(table, step=step, time=time, rank=rank) if part.blocks]
        for rank, table in run.tables
    ]
    by_rank = [parts for parts in by_rank if parts]
    for axis, table in run.others:  # of the last run, on a counter of their own
        by_rank[0][-1].add_counted_by(axis, table, time)
    if len(by_rank) < 2:
        return by_rank[0] if by_rank else []
    first, *others = by_rank
    for parts in others:
        first[-1].blocks += parts[-1].blocks
        first[-1].followed = False
    return first


def _note_times(log: Log, blocks: Blocks) -> None:
    of_all = {id(block.times): block.times for _, block in blocks}  # names may share them
    known = [good for times in of_all.values() if len(good := times[np.isfinite(times)])]
    if known:
        log.started = min(float(times.min()) for times in known)
        log.ended = max(float(times.max()) for times in known)


def settings(mapping: Mapping[str, Any], prefix: str = "", depth: int = 0) -> dict[str, Any]:
    """A nested configuration, flattened with `.`; short lists and plain values only.

    >>> settings({"model": {"lr": 0.1, "layers": [64, 64]}, "env": "CartPole-v1"})
    {'model.lr': 0.1, 'model.layers': [64, 64], 'env': 'CartPole-v1'}
    """
    flat: dict[str, Any] = {}
    for key, value in mapping.items():
        name = f"{prefix}{key}"
        if len(flat) >= MAX_SETTINGS or len(name) > 1000:
            break
        if isinstance(value, Mapping):
            if depth < 12:
                flat.update(settings(value, f"{name}.", depth + 1))
        elif isinstance(value, str):
            flat[name] = value[:1000]
        elif isinstance(value, list):
            if len(value) <= 64 and all(isinstance(v, str | int | float | bool) for v in value):
                flat[name] = value
        elif value is None or isinstance(value, int | float | bool):
            flat[name] = as_written(value) if isinstance(value, float) else value
    return flat


def constant_texts(rows: RowCollector) -> dict[str, Any]:
    """Texts that stand unchanged in the rows: settings, but for hosts, dates and lists."""
    return {
        name.replace("/", "."): text
        for name, text in rows.constants().items()
        if name.rpartition("/")[2].lower() not in _HOSTS
        and not text.startswith(("[", "{", "("))
        and len(text) <= 200
    }


def is_config_name(name: str) -> bool:
    """True if an object under this key is a configuration and no metrics."""
    return name.lower() in _ENDINGS_OF_CONFIG or name.lower().endswith(("_config", "_args"))
