"""Copies one run folder to a remote place, as far as it has got: the run folder is the spool.

All state is the listing of the place: a shipper that was killed asks for it once and goes on. Only
whole records and whole lines are shipped while their writer lives, so that readers never see a half.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from runvitals.model import RunTakenError
from runvitals.model.row import FOLDER
from runvitals.remote.keys import (
    ALIVE,
    FilePart,
    grows,
    is_whole,
    read_part,
    shipped_up_to,
    without_origin,
)
from runvitals.store.files import read_json_if_any
from runvitals.store.layout import MERGED_FILE, RUN_FILE, read_merged, segments
from runvitals.store.lock import lock_path, writer_alive
from runvitals.store.objects.store import Objects
from runvitals.store.stream import MAX_RECORD_LENGTH, rows_between, whole_records

MAX_PART_BYTES = 8 * 2**20  # of each connection at once: fits into memory, and through a slow line
HEARTBEAT_SECONDS = 20.0
OTHERS_HEARTBEAT_SECONDS = 50.0  # of ranks beside the first of a node; dead after 120 s of silence
BACKLOG_BYTES = 16 * 2**20  # that wait: then several files are sent at once
MAX_CONNECTIONS = 8  # of one shipper: most of a write is waiting for its answer
MANY_PARTS = 48  # of one file: then they are replaced by one, and listings stay short
ROLLED_UP_BYTES = 64 * 2**20  # at most in one part that replaces others


@dataclass
class Shipped:
    """What one pass did."""

    bytes: int = 0
    objects: int = 0
    left: int = 0  # bytes that wait: half a record, or a writer that may still finish it


@dataclass
class Shipper:
    """Ships one run folder to one place."""

    folder: Path
    objects: Objects
    key: str  # that its objects begin with, see `owner.claim`
    apart: str = ""  # part of the names of files that another disk of this run has too
    connections: int = MAX_CONNECTIONS  # that send a backlog
    _parts: dict[str, list[FilePart]] = field(default_factory=dict)
    _end: dict[str, int] | None = None  # of each growing file, as far as it was shipped
    _rows: dict[str, int] = field(default_factory=dict)  # of each stream, in what was shipped
    _whole: dict[str, tuple[int, int]] = field(default_factory=dict)  # size and mtime as shipped
    _remote_sizes: dict[str, int] = field(default_factory=dict)
    _merged: set[str] = field(default_factory=set)  # files whose points are in the merged table
    _next_beat: float = 0.0
    _next_beat_of_all: float = 0.0

    def ship(self, *, final: bool = False, others: bool = True) -> Shipped:
        """One pass over the folder. `final`: nobody writes any more, torn tails go too."""
        done = Shipped()
        ends = self._what_is_there()
        files = sorted(shipped_files(self.folder))
        if not final:
            self._beat(ends)
        growing = [file for file in files if grows(file) and (others or _is_of_rank_0(file))]
        for some in self._at_once(growing, ends, final=final):
            done.bytes += some.bytes
            done.objects += some.objects
            done.left += some.left
        for file in sorted(filter(is_whole, files), key=_order):
            self._ship_whole(file, done)
        self._drop_what_parquet_replaces(files)
        return done

    def _at_once(self, files: list[str], ends: dict[str, int], *, final: bool) -> Iterator[Shipped]:
        """Ship files that grow; a long backlog goes over several connections."""
        ship = partial(self._ship_growing, ends=ends, final=final)
        waiting = sum(_size(self.folder / file) - ends.get(self._name(file), 0) for file in files)
        if min(len(files), self.connections) < 2 or waiting < BACKLOG_BYTES:
            yield from map(ship, files)
            return
        with ThreadPoolExecutor(self.connections) as pool:
            yield from pool.map(ship, files)

    def there(self) -> dict[str, Any]:
        """What of each file of the folder is there: bytes and rows, or size and time of a whole file.

        Empty while it has not been asked for.
        """
        known: dict[str, Any] = {}
        for file in shipped_files(self.folder):
            if grows(file):
                name = self._name(file)
                known[file] = [(self._end or {}).get(name, 0), self._rows.get(name, 0)]
            elif file in self._whole:
                known[file] = list(self._whole[file])
        # a stream that was compacted and whose table is not there yet
        streams = {name: rows for name, rows in self._rows.items() if name not in known}
        return {
            **known,
            **{name: [(self._end or {}).get(name, 0), n] for name, n in streams.items()},
        }

    def _name(self, file: str) -> str:
        """What a file of the folder is called there: each disk of a run has a log of its own."""
        if not self.apart or "/" in file or not grows(file):
            return file
        stem, _, kind = file.rpartition(".")
        return f"{stem}.{self.apart}.{kind}"

    def finish(self) -> None:
        """Remove the heartbeats, since `run.json` now says how the run ended."""
        if self._end is not None:
            alive = [f"{self.key}/{ALIVE}/rank{rank}.json" for rank in _ranks(self.folder)]
            self.objects.delete(alive)

    def _what_is_there(self) -> dict[str, int]:
        if self._end is None:
            found: list[FilePart] = []
            for entry in self.objects.listed(f"{self.key}/"):
                name = entry.key.removeprefix(f"{self.key}/")
                part = read_part(name)
                if part is not None:
                    found.append(part)
                    self._parts.setdefault(part.file, []).append(part)
                else:
                    self._remote_sizes[name] = entry.size
            self._take_merged_as_shipped()
            end = shipped_up_to(found)
            self._make_sure_it_is_ours(end)
            for file in end:
                if file.endswith(".arrows"):
                    self._rows[file] = rows_between(self.folder / file, 0, end[file])
            self._end = end
        return self._end

    def _take_merged_as_shipped(self) -> None:
        """Treat tables that were merged remotely as shipped."""
        if MERGED_FILE not in self._remote_sizes:
            return
        data = self.objects.get(f"{self.key}/{MERGED_FILE}")
        try:
            merged = None if data is None else read_merged(data)
        except ValueError:
            merged = None  # readers say so; then it is better to send them again
        for segment, size in ({} if merged is None else merged.sizes).items():
            table = segment.table(Path()).as_posix()
            self._remote_sizes[table] = size
            self._merged |= {f(Path()).as_posix() for f in (segment.rest, segment.sums)} | {table}

    def _make_sure_it_is_ours(self, end: dict[str, int]) -> None:
        """A folder of the same name may come from another machine: never mix two runs."""
        for file in filter(grows, shipped_files(self.folder)):
            path, name = self.folder / file, self._name(file)
            parts = self._parts.get(name)
            if not parts:
                continue
            # the last part alone: append-only files that agree there agree before it, and it is one
            # request
            last = max(parts, key=lambda part: part.stop)
            there = self.objects.get(f"{self.key}/{last.key}")
            try:
                with open(path, "rb") as source:
                    source.seek(last.start)
                    here = source.read(last.stop - last.start)
            except FileNotFoundError:
                continue  # compacted while we looked
            if there is not None and here != there:
                raise self._taken(file)
            if there is None:
                end[name] = min(end.get(name, 0), last.start)
        for file, size in self._remote_sizes.items():
            path = self.folder / file
            if file.endswith(".parquet") and path.exists() and path.stat().st_size != size:
                raise self._taken(file)

    def _taken(self, file: str) -> RunTakenError:
        return RunTakenError(
            f"{without_origin(self.key)} holds another run there: its {file} differs from this one's",
            where=f"{self.objects.address}/{self.key}",
            hint="give this run another id, or ship it to another prefix",
        )

    def _ship_growing(self, file: str, ends: dict[str, int], *, final: bool) -> Shipped:
        done = Shipped()
        path, name = self.folder / file, self._name(file)
        try:
            with open(path, "rb") as source:
                while True:
                    start = ends.get(name, 0)
                    source.seek(start)
                    data = source.read(MAX_PART_BYTES)
                    last = len(data) < MAX_PART_BYTES
                    size, rows = _whole(file, data)
                    if (final and last) or len(data) - size > MAX_RECORD_LENGTH:
                        size = len(data)
                    elif not last and not size:
                        size = len(data)  # one line or damage longer than a part: bytes are bytes
                    if size:
                        part = FilePart(name, start, start + size)
                        self.objects.put(f"{self.key}/{part.key}", data[:size])
                        self._parts.setdefault(name, []).append(part)
                        ends[name] = part.stop
                        self._rows[name] = self._rows.get(name, 0) + rows
                        done.bytes += size
                        done.objects += 1
                    if last:
                        done.left += len(data) - size
                        break
        except FileNotFoundError:
            return done  # compacted while we looked: its Parquet file goes instead
        self._roll_up(file)
        return done

    def _roll_up(self, file: str) -> None:
        """Replace many small parts by one, made from the local file."""
        name = self._name(file)
        parts = sorted(self._parts.get(name, ()), key=lambda part: part.start)
        small = [part for part in parts if part.stop - part.start < ROLLED_UP_BYTES // 2]
        if len(small) < MANY_PARTS:
            return
        start, stop = small[0].start, small[0].start
        replaced = []
        for part in small:
            if part.start != stop or part.stop - start > ROLLED_UP_BYTES:
                break
            stop = part.stop
            replaced.append(part)
        if len(replaced) < 2:
            return
        with open(self.folder / file, "rb") as source:
            source.seek(start)
            data = source.read(stop - start)
        if len(data) != stop - start:
            return
        one = FilePart(name, start, stop)
        # the new one first: readers find the bytes at every moment, for an instant even twice
        self.objects.put(f"{self.key}/{one.key}", data)
        self.objects.delete(f"{self.key}/{part.key}" for part in replaced)
        self._parts[name] = [part for part in parts if part not in replaced] + [one]

    def _ship_whole(self, file: str, done: Shipped) -> None:
        path = self.folder / file
        try:
            state = path.stat()
        except FileNotFoundError:
            return
        mark = (state.st_size, state.st_mtime_ns)
        if self._whole.get(file) == mark:
            return
        immutable = file.endswith((".parquet", ".sums.json")) or file.startswith(f"{FOLDER}/")
        there = self._remote_sizes.get(file) == state.st_size or file in self._merged
        if immutable and there:
            self._whole[file] = mark
            return
        try:
            content: bytes | Path = path if file.endswith(".parquet") else path.read_bytes()
        except FileNotFoundError:
            return
        if file == MERGED_FILE and self._remote_sizes.get(file, state.st_size) != state.st_size:
            raise self._taken(file)
        first = file not in self._whole
        if first and self._remote_sizes.get(file) == state.st_size and isinstance(content, bytes):
            unchanged = self.objects.get(f"{self.key}/{file}") == content
            if unchanged:  # as an earlier shipper left it
                self._whole[file] = mark
                return
        self.objects.put(f"{self.key}/{file}", content)
        self._whole[file] = mark
        self._remote_sizes[file] = state.st_size
        done.bytes += state.st_size
        done.objects += 1

    def _drop_what_parquet_replaces(self, files: list[str]) -> None:
        for segment in segments(self.folder):
            table = segment.table(Path())
            stream = segment.stream(Path()).as_posix()
            shipped = table.as_posix() in self._whole and stream not in files
            parts = self._parts.get(stream, [])
            if shipped and parts:
                self.objects.delete(f"{self.key}/{part.key}" for part in parts)
                del self._parts[stream]
            if shipped:
                self._rows.pop(stream, None)

    def _beat(self, ends: dict[str, int]) -> None:
        """Show that the writers live and how many rows they have stored, before any of these go."""
        now = time.monotonic()
        if now < self._next_beat:
            return
        self._next_beat = now + HEARTBEAT_SECONDS
        alive = [rank for rank in _ranks(self.folder) if writer_alive(self.folder, rank)]
        if now < self._next_beat_of_all:
            alive = alive[:1]  # one of a node says that its shipper lives; each one costs a request
        else:
            self._next_beat_of_all = now + OTHERS_HEARTBEAT_SECONDS
        for rank in alive:
            said = {**_holder(self.folder, rank), "at": time.time(), "rows": {}}
            for segment in segments(self.folder):
                stream = segment.stream(Path()).as_posix()
                if segment.rank == rank and (self.folder / stream).exists():
                    waiting = rows_between(self.folder / stream, ends.get(stream, 0))
                    said["rows"][segment.stem] = self._rows.get(stream, 0) + waiting
            self.objects.put(f"{self.key}/{ALIVE}/rank{rank}.json", orjson.dumps(said))


def anybody_writes(folder: Path) -> bool:
    """Whether a process on this host, or on one that beats, still writes into the folder."""
    return any(writer_alive(folder, rank) for rank in _ranks(folder))


def _holder(folder: Path, rank: int) -> dict[str, Any]:
    known = read_json_if_any(lock_path(folder, rank))
    known = known or {"host": socket.gethostname(), "pid": os.getpid()}
    return {key: known.get(key) for key in ("host", "pid", "since")}


def _ranks(folder: Path) -> list[int]:
    return sorted({segment.rank for segment in segments(folder)} | {0})


def shipped_files(folder: Path) -> list[str]:
    """The files to ship. Exports for other tools stay here, since they can be made again."""
    found = []
    for top in ("", "points", "events", "samples", FOLDER):
        try:
            with os.scandir(folder / top) as entries:
                found += [f"{top}/{e.name}" if top else e.name for e in entries if e.is_file()]
        except FileNotFoundError:
            continue
    return [file for file in found if grows(file) or is_whole(file)]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0  # just compacted


def _is_of_rank_0(file: str) -> bool:
    name = file.rpartition("/")[2]
    return not name.startswith("rank") or name.startswith("rank0.")


def _order(file: str) -> tuple[int, str]:
    """The table of a segment after its other files, `run.json` last: it says how far all is."""
    if file == RUN_FILE:
        return 4, file
    if file == MERGED_FILE:
        return 3, file
    if file.endswith(".parquet"):
        return (1 if file.endswith(".rest.parquet") else 2), file
    return 0, file


def _whole(file: str, data: bytes) -> tuple[int, int]:
    """How many bytes are whole records or lines, and how many rows of points these are."""
    return whole_records(data) if file.endswith(".arrows") else (data.rfind(b"\n") + 1, 0)
