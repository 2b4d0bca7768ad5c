"""The process that answers questions to the embedded engine: it reads the index, not your files.

    python -m runvitals.index.asked FOLDER DATABASE WORK

Three things hold it: the engine's user has no rights but to read one database (`WORK/users.xml`),
the parser lets nothing but questions through (`question.py`), and where there is Landlock the process
cannot open other files or connections. Only the last of them stops the engine's function `file()`.

Questions come by standard input, each a line of JSON; an answer is a letter, a length and its bytes.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
import struct
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlencode

from runvitals.index.confinement import can_confine, confine
from runvitals.index.question import one_question
from runvitals.model import ConfigError

HEAD = struct.Struct("<cQ")
ANSWER, REFUSED, FAILED = b"=", b"?", b"!"
USERS, CONFIG = "users.xml", "config.xml"


def main(folder: str, database: str, work: str) -> None:
    """Answer until there are no more questions."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep what the engine prints apart from the answer
    try:
        connection = _connected(folder, database, work)
    except Exception as error:  # noqa: BLE001  the other side tells the user
        _send(out, FAILED, str(error).encode())
        return
    _send(out, ANSWER, b"")
    for line in sys.stdin:
        try:
            sql = one_question(json.loads(line), lambda asked: _first_cell(connection, asked))
            found = connection.query(sql, "ArrowStream").bytes()
        except ConfigError as error:
            _send(out, REFUSED, json.dumps([error.what, error.hint]).encode())
        except Exception as error:  # noqa: BLE001  chdb has several, and its own are not exported
            _send(out, FAILED, str(error).encode())
        else:
            _send(out, ANSWER, found)


def _connected(folder: str, database: str, work: str) -> Any:
    confined = can_confine()
    readable = [*_code(), "/proc/self", "/sys/fs/cgroup"]
    if confined:  # before the engine is loaded, since that starts threads
        confine(readable, [folder, work])
    import chdb

    connect: Any = chdb.connect  # untyped

    config = urlencode({"config-file": f"{work}/{CONFIG}"}, safe="/")
    connection = connect(f"{os.path.realpath(folder)}?{config}")
    if confined:  # the engine is open: the thread that asks it writes nothing from here on
        confine([*readable, folder])
    connection.query(f"USE {database}")
    rights = str(connection.query("SHOW GRANTS", "TSVRaw")).split()
    mode = _first_cell(connection, "SELECT getSetting('readonly')")
    if mode != "1" or rights != f"GRANT SHOW, SELECT ON {database}.* TO default".split():
        raise RuntimeError(f"the engine did not take the rights of a reader: {' '.join(rights)}")
    return connection


def _code() -> Iterator[str]:
    """Where Python, the libraries that it has loaded, and the engine's packages lie."""
    for name in ("stdlib", "platstdlib", "purelib", "platlib"):
        yield sysconfig.get_path(name)
    for module in ("chdb", "numpy", "pyarrow"):
        found = importlib.util.find_spec(module)
        if found is not None and found.origin is not None:
            yield str(Path(found.origin).parent.parent)
    maps = Path("/proc/self/maps")
    if maps.exists():
        for line in maps.read_text(errors="replace").splitlines():
            path = line[line.find("/") :] if "/" in line else ""
            if ".so" in path:
                yield str(Path(path).parent)


def _first_cell(connection: Any, sql: str) -> str:
    text = connection.query(sql, "CSV").bytes().decode()
    return next(csv.reader(io.StringIO(text)), [""])[0]


def _send(out: BinaryIO, kind: bytes, content: bytes) -> None:
    out.write(HEAD.pack(kind, len(content)))
    out.write(content)
    out.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
