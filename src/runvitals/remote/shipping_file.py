"""`shipping.json` in a run folder: how far it was shipped, where to, and what stands in the way."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runvitals.model import RunTakenError
from runvitals.store.files import read_json_if_any, write_redacted
from runvitals.store.lock import take_file

if TYPE_CHECKING:
    from runvitals.remote.ship import Shipped

SHIPPING_FILE = "shipping.json"


class ShippingFile:
    """Written by the shipper; read by the trainer, which says what is not there yet.

    `there` says of each file how much of it is: [bytes, rows] of one that grows, [size, time] of one
    that is replaced. A shipper that cannot ask the place goes by what the one before it knew.
    """

    def __init__(self, folder: Path, url: str) -> None:
        self._path = folder / SHIPPING_FILE
        before = read_shipping(folder)
        known = before.get("there") if before.get("to") == url else None
        self._content: dict[str, Any] = {
            "to": url,
            "pid": os.getpid(),
            "bytes": 0,
            "there": known or {},
        }

    def shipped(
        self, done: Shipped, there: Mapping[str, Any], requests: Mapping[str, int], *, final: bool
    ) -> None:
        """A pass went well."""
        self._content |= {
            "bytes": self._content["bytes"] + done.bytes,
            "waiting_bytes": done.left,
            "there": there,
            "requests": dict(requests),
            "at": time.time(),
            "complete": final,
            "problem": None,
            "refused": False,
        }
        self._save()

    def failed(self, error: Exception, there: Mapping[str, Any] | None = None) -> None:
        """A pass did not."""
        self._content |= {
            "problem": str(error),
            "refused": isinstance(error, RunTakenError),
            "complete": False,
        }
        if there:
            self._content["there"] = there
        self._save()

    def _save(self) -> None:
        try:
            write_redacted(self._path, self._content)
        except OSError:
            return  # a full disk; the recorder says so


def read_shipping(folder: Path) -> dict[str, Any]:
    """What the shipper of a run folder said last; empty if there was none."""
    return read_json_if_any(folder / SHIPPING_FILE)


class ShippingLock:
    """One shipper per folder and place, whoever starts it; freed by the system if it dies."""

    def __init__(self, folder: Path, url: str) -> None:
        name = hashlib.sha256(url.encode()).hexdigest()[:8]
        self._file = os.open(folder / f".shipping-{name}.lock", os.O_RDWR | os.O_CREAT, 0o644)
        self.was_free = self.taken = take_file(self._file) is not False
        if not self.taken:
            os.close(self._file)

    @classmethod
    def is_free(cls, folder: Path, url: str) -> bool:
        """True if no other process seems to ship this folder to that place."""
        lock = cls(folder, url)
        lock.release()
        return lock.was_free

    def release(self) -> None:
        """Let others ship."""
        if self.taken:
            self.taken = False
            os.close(self._file)
