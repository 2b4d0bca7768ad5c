"""MLflow's file store: one folder per run (`mlruns/<experiment>/<run>/`) with one file per metric.

The run is known by its `meta.yaml`; everything below that folder belongs to it.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runvitals.model import Gap, ReadError
from runvitals.readers.log import Blocks, Log, Reader
from runvitals.readers.raw.yaml_values import parse_scalar, parse_simple_yaml
from runvitals.readers.rows.table import MAX_COLUMNS, MAX_DEPTH, MAX_POINTS, MAX_STEP
from runvitals.readers.trackers._series import NamedPoints

ID = "mlflow"

STATUS = {1: "running", 2: "running", 3: "finished", 4: "crashed", 5: "killed"}
_KEYS = re.compile(rb"^(\w+):", re.MULTILINE)
_PIECE = 8 * 2**20  # bytes of a metric that are taken at once
_MAX_BEFORE = 512 * 2**20  # bytes in which lines that were added are looked for
_MAX_PARAM = 2**20
_MAX_LOOKS_BACK = 16
_WRITTEN_TWICE = 10_000  # lines within which MLflow 3 writes a line once more


def sniff(path: Path, head: bytes) -> int:
    """By `meta.yaml` of a run; those of experiments and models have other keys."""
    if path.name != "meta.yaml":
        return 0
    keys = set(_KEYS.findall(head))
    is_run = b"run_id" in keys or b"run_uuid" in keys
    return 98 if is_run and {b"artifact_uri", b"lifecycle_stage"} <= keys else 0


def read(path: Path) -> list[Log]:
    """The run whose `meta.yaml`, or whose folder, this is."""
    folder = path if path.is_dir() else path.parent
    try:
        return [_Folder(folder).open()]
    except OSError as error:
        raise ReadError(folder, error.strerror or str(error)) from error


def config_value(text: str) -> Any:
    """The original value of a param, which MLflow stores as `str(value)`.

    >>> config_value("0.001"), config_value("True"), config_value("None"), config_value("[1, 2]")
    (0.001, True, None, '[1, 2]')
    """
    text = text.strip()
    return None if text == "None" else parse_scalar(text) if text else text


def seconds(milliseconds: Any) -> float | None:
    """Seconds from MLflow's Unix milliseconds; None if they are 0 or absent."""
    return milliseconds / 1e3 if isinstance(milliseconds, int) and milliseconds > 0 else None


class _Folder:
    """A run folder and how far its metric files have been read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._offsets: dict[str, int] = {}
        self._points = NamedPoints()
        self._damaged = 0
        self._room = MAX_POINTS

    def open(self) -> Log:
        folder = self._folder
        with open(folder / "meta.yaml", "rb") as file:
            text = file.read(_MAX_PARAM).decode("utf-8", "replace")
        try:
            meta = parse_simple_yaml(text)
        except ValueError as error:
            raise ReadError(folder / "meta.yaml", str(error)) from error
        log = Log(folder, ID, read_new=self.read_new)
        log.status = STATUS.get(meta.get("status", 0), "unknown")
        log.started = seconds(meta.get("start_time"))
        log.ended = seconds(meta.get("end_time"))
        log.config = {name: config_value(text) for name, text in self._texts("params")}
        tags = dict(self._texts("tags"))
        run_id = meta.get("run_id") or meta.get("run_uuid") or folder.name
        log.name = str(tags.get("mlflow.runName") or meta.get("run_name") or run_id)
        if meta.get("lifecycle_stage") == "deleted":
            log.warnings.append("the run was deleted in MLflow")
        log.add(self._new_blocks(final=log.status != "running"))
        if not log.points.count and log.status != "running":
            has = f"{len(log.config)} params only" if log.config else "neither params nor metrics"
            hint = "it ended before its first log_metric, or logs elsewhere"
            raise ReadError(folder, f"no metrics: the run has {has}", hint=hint)
        log.warnings += self._points.tails.warnings()
        if self._room <= 0:
            log.warnings.append(Gap(f"more than {MAX_POINTS:,} points; the rest was not read"))
        if self._damaged:
            log.warnings.append(f"{self._damaged} lines of metric files make no sense")
        return log

    def read_new(self) -> Blocks:
        """Points that were appended since."""
        try:
            return self._new_blocks(final=False)
        except OSError:
            return []

    def _new_blocks(self, *, final: bool) -> Blocks:
        for name, path in _files(self._folder / "metrics"):
            for line in self._new_lines(name, path, final=final):
                parts = line.split()
                try:
                    time, value = int(parts[0]), float(parts[1])
                    step = int(parts[2]) if len(parts) > 2 else 0
                except (ValueError, IndexError):
                    self._damaged += 1
                    continue
                if abs(time) > MAX_STEP or not self._points.put(name, step, time / 1e3, value):
                    self._damaged += 1
        return self._points.blocks()

    def _new_lines(self, name: str, path: Path, *, final: bool) -> Iterator[bytes]:
        """Complete lines since the last call, without those that MLflow 3 writes a second time."""
        begin = offset = self._offsets.get(name, 0)
        if path.stat().st_size == offset:
            return
        known: dict[bytes, None] = {}
        with open(path, "rb") as file:
            while self._room > 0:
                file.seek(offset)
                data = file.read(_PIECE)
                last = len(data) < _PIECE
                end = len(data) if last and final else data.rfind(b"\n") + 1
                if not end and not last:  # no line of a metric is that long
                    self._damaged += 1
                    end = len(data)
                new = dict.fromkeys(data[:end].split(b"\n"))
                lines = [line for line in new if line not in known and line.strip()]
                if begin and last and offset == begin and len(lines) <= _MAX_LOOKS_BACK:
                    file.seek(0)
                    before = b"\n" + file.read(min(begin, _MAX_BEFORE))
                    lines = [line for line in lines if b"\n" + line + b"\n" not in before]
                offset += end
                self._offsets[name] = offset
                self._room -= len(lines)
                yield from lines
                if last:
                    return
                known = dict.fromkeys([*new][-_WRITTEN_TWICE:])

    def _texts(self, kind: str) -> Iterator[tuple[str, str]]:
        for name, path in _files(self._folder / kind):
            with open(path, "rb") as file:
                yield name, file.read(_MAX_PARAM).decode("utf-8", "replace")


def _files(folder: Path, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Path]]:
    """Regular files below a folder with their slashed names, a bounded number; no links."""
    count = 0
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        name = f"{prefix}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            if depth < MAX_DEPTH:
                yield from _files(Path(entry.path), f"{name}/", depth + 1)
        elif entry.is_file(follow_symlinks=False):
            yield name, Path(entry.path)
            count += 1
            if count >= MAX_COLUMNS:
                return


# what lies below the file's folder is part of this run
READER = Reader(ID, "MLflow run folder", sniff, read, role="main", owns_folder=True)
