"""Starts the shipper beside a run that is being recorded, starts it again if it dies, waits for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runvitals.model import ConfigError, Event, RowBlock, RunInfo
from runvitals.model.formatting import counted
from runvitals.remote.keys import grows
from runvitals.remote.ship import shipped_files
from runvitals.remote.shipping_file import SHIPPING_FILE, ShippingLock, read_shipping
from runvitals.store.layout import Segment, segments
from runvitals.store.lock import writer_alive
from runvitals.store.objects.store import parse
from runvitals.store.stream import rows_between

SHIPPER = "runvitals.remote.shipper"
DRAIN_SECONDS = 20.0  # that `finish` waits unless told otherwise; the shipper goes on afterwards
LOOK_SECONDS = 0.1  # between two looks of `finish`
FIRST_PAUSE_SECONDS = 1.0  # until a shipper that died is started again
MAX_PAUSE_SECONDS = 60.0  # when each one dies before it has shipped anything
MAX_ERROR_BYTES = 2000  # of what a shipper said on standard error


def checked_remote(url: str) -> str:
    """The address as given, if runs can be kept there."""
    address = parse(url)
    if address.scheme != "file":
        try:
            import obstore  # noqa: F401
        except ImportError:
            raise ConfigError(
                f"remote={url!r} needs the package obstore", hint='pip install "runvitals[remote]"'
            ) from None
    return str(address)


class ShippingSink:
    """A sink that writes nothing: it minds the shipper, which reads the run's own files.

    It is closed after the others, when everything is on the disk. Ranks of one folder share a shipper:
    whichever of them sees that there is none starts the next.
    """

    closes_last = True

    def __init__(self, url: str) -> None:
        self._url = url
        self._process: subprocess.Popen[bytes] | None = None
        self._begun = 0.0
        self._pause = FIRST_PAUSE_SECONDS
        self._next_start = 0.0
        self._rows = 0

    def open(self, info: RunInfo) -> None:
        """Start the process."""
        self._info = info
        self._start()

    def _start(self) -> None:
        """Start the shipper in its own session, so that Ctrl-C does not end it."""
        self._begun = time.time()
        with open(self._info.folder / ".shipper.err", "ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", SHIPPER, str(self._info.folder), self._url],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                env=module_environment(),
            )

    def write(self, blocks: Sequence[RowBlock], events: Sequence[Event]) -> None:  # noqa: ARG002
        """Nothing: the store has it. Look after the shipper, and say once when shipping fails."""
        self._rows += sum(map(len, blocks))
        self._mind()

    def close(self, status: str) -> None:
        """Nothing here: the folder is still locked. `wait` comes after that."""

    def _mind(self) -> None:
        """Start the next shipper if there is none and some time has passed; it never waits."""
        state = read_shipping(self._info.folder)
        if problem := state.get("problem"):
            self._info.complain("remote", f"shipping to {self._url} failed: {problem}")
        if self._process is not None:
            code = self._process.poll()
            if code is None:
                if state.get("pid") == self._process.pid and state.get("at", 0.0) >= self._begun:
                    self._pause = FIRST_PAUSE_SECONDS
                return
            self._process = None
            self._next_start = time.monotonic() + self._pause
            self._pause = min(2 * self._pause, MAX_PAUSE_SECONDS)
            if code:
                self._info.complain(
                    f"shipper {code}",
                    f"the process that ships this run to {self._url} {_end_of(code)}; "
                    f"it is started again{self._last_words()}",
                )
        if time.monotonic() < self._next_start or self._is_done(state):
            return
        if not ShippingLock.is_free(self._info.folder, self._url):
            return  # another rank's does it
        try:
            self._start()
        except (OSError, RuntimeError) as error:  # no memory, no processes left, or Python ends
            self._next_start = time.monotonic() + self._pause
            self._info.complain("start shipper", f"cannot start the shipper: {error}")

    def _last_words(self) -> str:
        try:
            said = (self._info.folder / ".shipper.err").read_bytes()[-MAX_ERROR_BYTES:]
        except FileNotFoundError:
            return ""
        lines = said.decode("utf-8", "replace").strip().splitlines()
        return f" (it said: {lines[-1]})" if lines else ""

    # after the end of the run

    def wait(self, wait: float | bool | None = None) -> str | None:
        """Until everything is there, or for some seconds; gives what is missing then, and why.

        True waits as long as it takes; a run whose id another run has there will never be shipped.
        """
        seconds = DRAIN_SECONDS if wait is None else float("inf") if wait is True else float(wait)
        until = time.monotonic() + seconds
        looked: object = None
        while True:
            self._mind()
            state = read_shipping(self._info.folder)
            now = self._stamp()
            if now != looked and self._is_done(state):
                return None
            looked = now
            if state.get("refused") or time.monotonic() >= until:
                return self._what_is_missing()
            time.sleep(min(LOOK_SECONDS, max(0.0, until - time.monotonic())))

    def _stamp(self) -> object:
        """Changes when the shipper has said something; other ranks may end at any time."""
        try:
            said = (self._info.folder / SHIPPING_FILE).stat().st_mtime_ns
        except FileNotFoundError:
            said = 0
        return said, self._others_write()

    def _is_done(self, state: dict[str, object]) -> bool:
        """Whether all of this process is there, and all of the others' if they have ended."""
        if state.get("to") != self._url or writer_alive(self._info.folder, self._info.rank):
            return False
        return bool(state.get("complete") or self._others_write()) and not self.missing()

    def _others_write(self) -> bool:
        mine = self._info.rank
        ranks = {segment.rank for segment in segments(self._info.folder)} - {mine}
        return any(writer_alive(self._info.folder, rank) for rank in ranks)

    def missing(self) -> Missing:
        """What this process wrote and has not been shipped yet."""
        info = self._info
        state = read_shipping(info.folder)
        there = state.get("there") if state.get("to") == self._url else None
        stem = Segment(info.rank, info.segment, life=info.life).stem
        return missing(info.folder, there or {}, {stem: self._rows}, info.rank)

    def _what_is_missing(self) -> str | None:
        lacks, folder = self.missing(), self._info.folder
        state = read_shipping(folder)
        if not lacks:
            return None
        problem = f": {state['problem']}" if state.get("problem") else ""
        if state.get("refused"):
            return f"{lacks}; they will not be shipped{problem}"
        stopped = self._process is None and ShippingLock.is_free(folder, self._url)
        then = "no shipper is running" if stopped else "the shipper continues in the background"
        return f"{lacks}; {then}{problem}\n  hint: runvitals push {folder} {self._url}"


def _end_of(code: int) -> str:
    """How a process ended.

    >>> _end_of(-9), _end_of(2)
    ('was killed by SIGKILL', 'ended with exit code 2')
    """
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def module_environment() -> dict[str, str]:
    """The environment for a helper process, with this installation of runvitals on its path."""
    here = str(Path(__file__).parents[2])
    paths = [*filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)), here]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}


NAMED = 3  # files that a message names


@dataclass(frozen=True)
class Missing:
    """Rows of points, bytes of all files, and the files these belong to."""

    rows: int = 0
    bytes: int = 0
    files: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files)

    def __str__(self) -> str:
        """A phrase.

        >>> str(Missing(1262, 48112, ("points/rank0.arrows", "run.json")))
        '1,262 rows (48,112 bytes of 2 files: points/rank0.arrows, run.json)'
        """
        rows, files = counted(self.rows, "row"), counted(len(self.files), "file")
        more = ", ..." if len(self.files) > NAMED else ""
        return f"{rows} ({self.bytes:,} bytes of {files}: {', '.join(self.files[:NAMED])}{more})"


def missing(
    folder: Path, there: Mapping[str, Any], recorded: Mapping[str, int], rank: int | None = None
) -> Missing:
    """What is not there; with a rank, only of its files, where rank 0 has those of the run too.

    `recorded`: rows of segments, by their stem, as their recorder counted them. A table has a row for
    each of them except those of rare names, so without this a few may not be counted.
    """
    rows = size = 0
    files = []
    for file in sorted(shipped_files(folder)):
        if rank is not None and _rank(file) != rank:
            continue
        try:
            state = (folder / file).stat()
        except FileNotFoundError:
            continue  # another rank's stream, compacted while we looked
        known = there.get(file) or (0, 0)
        if grows(file):
            lacks = state.st_size - int(known[0])
            if lacks > 0 and file.endswith(".arrows"):
                rows += rows_between(folder / file, int(known[0]))
        else:
            lacks = 0 if list(known) == [state.st_size, state.st_mtime_ns] else state.st_size
        if lacks > 0:
            size += lacks
            files.append(file)
    for segment in segments(folder):
        table = segment.table(Path()).as_posix()
        if table in files:
            sent = there.get(segment.stream(Path()).as_posix()) or (0, 0)
            rows += max(0, recorded.get(segment.stem, _table_rows(folder / table)) - int(sent[1]))
    return Missing(rows, size, tuple(files))


def _rank(file: str) -> int:
    """The rank that a file belongs to; files of the whole run belong to rank 0."""
    name = file.rpartition("/")[2]
    digits = name.removeprefix("rank").partition(".")[0]
    return int(digits) if name.startswith("rank") and digits.isdigit() else 0


def _table_rows(path: Path) -> int:
    import pyarrow.parquet

    return int(pyarrow.parquet.read_metadata(path).num_rows)
