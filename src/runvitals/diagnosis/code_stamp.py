"""A digest of the judging code: a cached verdict is valid only for the code that made it."""

import hashlib
from functools import cache
from pathlib import Path

_JUDGING = (
    *(
        "catalog",
        "diagnosis",
        "fleet",
        "model",
        "readers",
        "render",
        "rollouts",
        "rules",
        "server",
        "signals",
        "store",
    ),
    *("tfevents", "view", "vitals"),
)


@cache
def code_stamp() -> str:
    """A digest of all files of code that a verdict may depend on."""
    top = Path(__file__).parents[1]
    digest = hashlib.blake2b(digest_size=8)
    for part in _JUDGING:
        for file in sorted((top / part).rglob("*.py")):
            status = file.stat()
            digest.update(f"{file.name} {status.st_size} {status.st_mtime_ns}".encode())
    return digest.hexdigest()
