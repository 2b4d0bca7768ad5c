"""Finds the readers in their rooms, picks the one that knows a file, and calls it safely.

Files come from strangers: one may be cut, damaged or made to harm, and the libraries that parse it may
then raise anything. Whatever a reader raises becomes a `ReadError` here, and nowhere else, so that a
bad file costs only itself.
"""

import copyreg
import pkgutil
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from runvitals.model import ReadError
from runvitals.readers import console, samples, tabular, tfevents, trackers
from runvitals.readers.damage import why_damaged
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.memory import recalled
from runvitals.readers.raw.source import head, is_console, is_loggers
from runvitals.readers.tfevents import tensorboard

T = TypeVar("T")
MAX_REASON_LENGTH = 200
CERTAIN = 95  # of 100: what a reader says of a file that can be nothing else
MAX_SNIFFED = 65_536  # files of which a server that looks again and again remembers the reader


@cache
def readers() -> tuple[Reader, ...]:
    """All readers, by id."""
    found: list[Reader] = [module.READER for module in modules()]
    return tuple(sorted(found, key=lambda reader: reader.id))


def modules() -> list[ModuleType]:
    """The modules that declare a reader. One whose name begins with `_` is a helper of its room."""
    return [
        import_module(f"{room.__name__}.{module.name}")
        for room in (console, samples, tabular, tfevents, trackers)
        for module in pkgutil.iter_modules(room.__path__)
        if module.name[0] != "_"
    ]


def reader_for(path: Path, likely: Reader | None = None) -> Reader | None:
    """The reader that is surest about a file; None when none knows it.

    The `likely` one knew a file like this before: where it is certain, no other is asked, or even
    imported, which takes longer than to look at a folder of event files.

    Raises `ReadError` when none knows it because it is damaged.
    """
    if likely is None and "tfevents" in path.name:
        likely = tensorboard.READER
    question = f"reader after {likely.id}" if likely is not None else "reader"
    known = recalled(path, question, lambda: getattr(_sniffed(path, likely), "id", None))
    return None if known is None else _called(known)


def _called(id: str) -> Reader:
    return tensorboard.READER if id == tensorboard.ID else _by_id()[id]


@cache
def _by_id() -> dict[str, Reader]:
    return {reader.id: reader for reader in readers()}


# Processes that judge get a reader by its id: functions that were made by another cannot be sent.
copyreg.pickle(Reader, lambda reader: (_called, (reader.id,)))


def _sniffed(path: Path, likely: Reader | None) -> Reader | None:
    start = head(path)
    if likely is not None and _sureness(likely, path, start) >= CERTAIN:
        return likely
    best: tuple[int, str, Reader] | None = None
    problem: ReadError | None = None
    for reader in sorted(readers(), key=lambda reader: -reader.at_most):
        if best is not None and reader.at_most < best[0]:
            break
        try:
            sure = _sureness(reader, path, start)
        except ReadError as error:
            problem = problem or error
            continue
        if sure > 0 and (best is None or (sure, reader.id) > best[:2]):
            best = sure, reader.id, reader
    if best is not None:
        return best[2]
    if problem is None:
        called_so = is_loggers(path) or is_console(path)
        why = guarded(path, "log", lambda: why_damaged(path, start, is_loggers=called_so))
        problem = ReadError(path, f"damaged: {why}", hint="is the file whole?") if why else None
    if problem is not None:
        raise problem
    return None


def _sureness(reader: Reader, path: Path, start: bytes) -> int:
    return guarded(path, reader.title, partial(reader.sniff, path, start))


# of a process that reads ahead (`ahead.py`), while there is one
read_ahead: list[Callable[[Reader, Sequence[Path]], list[Log] | None]] = []


def read_files(reader: Reader, paths: Sequence[Path]) -> list[Log]:
    """The runs in some files of one format; raises nothing but `ReadError`."""
    if len(paths) > 1 and reader.read_together is None:
        raise ValueError(f"{reader.id} reads one file at a time, got {len(paths)}")

    def read() -> list[Log]:
        for ahead in read_ahead:
            if (known := ahead(reader, paths)) is not None:
                return known
        together = reader.read_together if len(paths) > 1 else None
        return reader.read(paths[0]) if together is None else together(paths)

    return guarded(paths[0], reader.title, read)


def guarded(path: Path, title: str, act: Callable[[], T]) -> T:
    """The result of `act`; any exception becomes a `ReadError` about this file."""
    try:
        return act()
    except ReadError:
        raise
    except OSError as error:
        raise ReadError(path, error.strerror or str(error)) from error
    except Exception as error:
        reason = " ".join(str(error).split())[:MAX_REASON_LENGTH]
        told = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
        raise ReadError(
            path, f"damaged, or not what it seems ({title}: {told})", hint="is the file whole?"
        ) from error
