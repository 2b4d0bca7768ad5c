"""Reads one large log in a process of its own while this one imports what it takes to show it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runvitals.readers.log import Log, Reader

LARGE = 4 * 2**20  # bytes: smaller logs are read sooner than a process starts
LARGEST = 256 * 2**20  # bytes: of larger ones nothing is read before anybody asks
MAX_ENTRIES = 100  # files and folders; where there are more, a user chooses first


class ReadAhead:
    """The log that one file belongs to, as a process of its own reads it."""

    def __init__(self, root: Path, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._answer = tempfile.TemporaryFile()  # noqa: SIM115  closed when it is asked for
        self._process = python(
            ["-m", __name__, str(root), str(file)],
            stdin=subprocess.DEVNULL,
            stdout=self._answer,
            stderr=subprocess.DEVNULL,
        )

    def logs(self, reader: Reader, paths: Sequence[Path]) -> list[Log] | None:
        """What these files hold, the first time; None if it was not read, or has changed since."""
        from runvitals.catalog.resolving.ask import default_resolver

        with self._lock:
            if self._file not in paths or self._answer.closed:
                return None
            with self._answer as answer:
                default_resolver()  # which its names are bound by, while the other process reads
                if self._process.wait():
                    return None
                answer.seek(0)
                known, logs = pickle.load(answer)
        return logs if known == _stamps(reader, paths) else None


def python(words: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """A Python process that finds the modules that this one does, and no others where it stands."""
    path = os.pathsep.join(folder for folder in sys.path if folder)
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.Popen([sys.executable, "-P", *words], env=environment, **options)


def begin(roots: Sequence[Path]) -> ReadAhead | None:
    """Begin to read the newest file below some folders if it is large, and there are few."""
    with suppress(OSError):  # whoever lists the runs says so
        below = ([root] if root.is_file() else root.rglob("*") for root in roots)
        entries = list(islice(chain.from_iterable(below), MAX_ENTRIES + 1))
        files = sorted(filter(Path.is_file, entries), key=lambda path: path.stat().st_mtime_ns)
        for newest in files[-1:]:
            if len(entries) <= MAX_ENTRIES and LARGE <= newest.stat().st_size <= LARGEST:
                return ReadAhead(next(r for r in roots if newest.is_relative_to(r)), newest)
    return None


def _stamps(reader: Reader, paths: Sequence[Path]) -> tuple[object, ...]:
    from runvitals.readers.raw.source import stamp_of

    return (reader.id, *((str(path), stamp_of(path)) for path in paths))


def _main(root: Path, file: Path) -> None:
    """Write the log that a file belongs to."""
    from runvitals.readers.discovery.discover import discover
    from runvitals.readers.joining.join import together
    from runvitals.readers.registry import read_files

    for found in discover(root):
        for group in together(found.files):
            reader, paths = group[0].reader, [one.path for one in group]
            if file in paths:
                answer = _stamps(reader, paths), read_files(reader, paths)
                pickle.dump(
                    answer, sys.stdout.buffer, protocol=5
                )  # which writes arrays as they are
                return
    raise SystemExit(1)


if __name__ == "__main__":
    _main(Path(sys.argv[1]), Path(sys.argv[2]))
