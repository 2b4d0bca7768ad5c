"""The process that answers questions about a folder of runs: it reads its tables, and nothing else.

    python -m runvitals.index.asked FILE WORK LIMITS

Four things hold it: DuckDB opens the tables read-only and has its own access to files, extensions and
the network switched off for good; only a single SELECT is passed on to it; the process gets no secrets
of the environment; and where there is Landlock it cannot open other files or connections.

Questions come by standard input, each a line of JSON; an answer is a letter, a length and its bytes.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import struct
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from runvitals.model import ConfigError

# from linux/landlock.h and linux/prctl.h; the numbers of the calls are the same on all architectures
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1  # flag of _CREATE_RULESET: only tell the version
_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38
_READ_FILE, _READ_FOLDER, _REFER, _TRUNCATE, _DEVICE = 1 << 2, 1 << 3, 1 << 13, 1 << 14, 1 << 15
_FIRST_RIGHTS = (1 << 13) - 1  # everything that version 1 knows
_ALL_TCP = 0b11
_OF_FILES = 0b111 | _TRUNCATE | _DEVICE  # rights that a file can have; the rest are of folders
_NEEDED = 3  # the version that also refuses to truncate files


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def can_confine() -> bool:
    """True if this system can confine a process (Linux 6.2 or newer with Landlock switched on)."""
    return _version() >= _NEEDED


def confine(readable: Iterable[str], writable: Iterable[str] = ()) -> None:
    """From now on open only what lies below these paths, and no TCP connections (Linux 6.7)."""
    version = _version()
    everything = _FIRST_RIGHTS | _REFER | _TRUNCATE | (_DEVICE if version >= 5 else 0)
    asked = _Ruleset(everything, _ALL_TCP if version >= 4 else 0)
    size = ctypes.sizeof(asked) if version >= 4 else 8
    ruleset = _call(_CREATE_RULESET, ctypes.byref(asked), size, 0)
    try:
        for paths, rights in ((readable, _READ_FILE | _READ_FOLDER), (writable, everything)):
            for path in paths:
                if os.path.exists(path):
                    _allow(ruleset, path, rights)
        if _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl failed")
        _call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        allowed = rights if os.path.isdir(path) else rights & _OF_FILES
        rule = _Beneath(allowed, folder)
        _call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(folder)


def _version() -> int:
    if not sys.platform.startswith("linux"):
        return 0
    try:
        return _call(_CREATE_RULESET, None, 0, _VERSION)
    except OSError:  # an older kernel, or switched off
        return 0


def _call(number: int, *words: object) -> int:
    done: int = _libc().syscall(number, *words)
    if done < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return done


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


HEAD = struct.Struct("<cQ")
ANSWER, REFUSED, FAILED = b"=", b"?", b"!"
_BATCH_ROWS = 65_536


@dataclass(frozen=True)
class Limits:
    """What one question may take; the engine ends those that want more."""

    seconds: float = 300.0
    memory: int = 4 << 30  # bytes
    answer: int = 1 << 30  # bytes
    spill: int = 8 << 30  # bytes of temporary files, for sorting and grouping

    def settings(self) -> dict[str, str | int | float]:
        """For ClickHouse. With `readonly` at 1 a question can change none of them."""
        return {
            "readonly": 1,
            "max_execution_time": self.seconds,
            "max_memory_usage": self.memory,
            "max_result_bytes": self.answer,
            "max_temporary_data_on_disk_size_for_query": self.spill,
            "output_format_arrow_low_cardinality_as_dictionary": 0,
            "output_format_arrow_string_as_string": 1,
        }


def refusal() -> ConfigError:
    """What is said of anything that is not a question."""
    return ConfigError(
        "a query must be one SELECT, which reads and writes no file",
        hint='for example: runvitals query "SELECT run, verdict FROM fleet"',
    )


def main(file: str, work: str, limits: str) -> None:
    """Answer until there are no more questions."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep what the engine prints apart from the answer
    given = Limits(**json.loads(limits))
    try:
        connection = _connected(file, work, given)
    except Exception as error:  # noqa: BLE001  the other side tells the user
        _send(out, FAILED, str(error).encode())
        return
    _send(out, ANSWER, b"")
    for line in sys.stdin:
        try:
            found = _answer(connection, json.loads(line), given)
        except ConfigError as error:
            _send(out, REFUSED, json.dumps([error.what, error.hint]).encode())
        except Exception as error:  # noqa: BLE001  DuckDB and Arrow have several
            _send(out, FAILED, str(error).encode(errors="replace"))
        else:
            _send(out, ANSWER, found)


def _connected(file: str, work: str, limits: Limits) -> Any:
    if can_confine():  # before the engine is loaded, since that starts threads
        confine([*_code(), "/proc/self", "/sys/fs/cgroup", str(Path(file).parent)], [work])
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": "false",
        "python_enable_replacements": "false",  # or a query could name a variable of this process
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "allow_community_extensions": "false",
        "allow_persistent_secrets": "false",
        "memory_limit": f"{limits.memory}B",
        "temp_directory": work,
        "max_temp_directory_size": f"{limits.spill}B",
        "lock_configuration": "true",
    }
    return duckdb.connect(file, read_only=True, config=config)


def _answer(connection: Any, sql: str, limits: Limits) -> bytes:
    import duckdb

    statements = duckdb.extract_statements(sql)
    if [one.type for one in statements] != [duckdb.StatementType.SELECT]:
        raise refusal()
    reader = connection.sql(statements[0].query).to_arrow_reader(_BATCH_ROWS)
    batches, size = [], 0
    for batch in reader:
        batches.append(batch)
        size += batch.nbytes
        if size > limits.answer:
            raise ConfigError("the answer is too long", hint="add a LIMIT, or ask for averages")
    table = _whole_numbers(pa.Table.from_batches(batches, reader.schema))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _whole_numbers(table: pa.Table) -> pa.Table:
    """The same table with 64-bit numbers instead of decimals; DuckDB sums integers into 128 bits."""
    for number, column in enumerate(table.schema):
        if pa.types.is_decimal(column.type):
            values = table.column(number)
            try:
                values = values.cast(pa.int64())
            except pa.ArrowInvalid:  # fractions, or too large
                values = values.cast(pa.float64())
            table = table.set_column(number, column.name, values)
    return table


def _code() -> Iterator[str]:
    """Where Python, the libraries that it has loaded, and the engine's packages lie."""
    for name in ("stdlib", "platstdlib", "purelib", "platlib"):
        yield sysconfig.get_path(name)
    for module in ("duckdb", "numpy", "pyarrow"):
        found = importlib.util.find_spec(module)
        if found is not None and found.origin is not None:
            yield str(Path(found.origin).parent.parent)
    maps = Path("/proc/self/maps")
    if maps.exists():
        for line in maps.read_text(errors="replace").splitlines():
            path = line[line.find("/") :] if "/" in line else ""
            if ".so" in path:
                yield str(Path(path).parent)


def _send(out: BinaryIO, kind: bytes, content: bytes) -> None:
    out.write(HEAD.pack(kind, len(content)))
    out.write(content)
    out.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
