"""`shipping.json` in a run folder: how far it was shipped, where to, and what stands in the way."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from runvitals.store.files import write_redacted

if TYPE_CHECKING:
    from runvitals.remote.ship import Shipped

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

SHIPPING_FILE = "shipping.json"


class ShippingFile:
    """Written by the shipper; read by `finish`, which says what is still on its way."""

    def __init__(self, folder: Path, url: str) -> None:
        self._path = folder / SHIPPING_FILE
        self._content: dict[str, object] = {"to": url, "pid": os.getpid(), "bytes": 0}

    def shipped(self, done: Shipped, requests: Mapping[str, int], *, final: bool) -> None:
        """A pass went well."""
        before = self._content["bytes"]
        assert isinstance(before, int)
        self._content |= {
            "bytes": before + done.bytes,
            "waiting_bytes": done.left,
            "requests": dict(requests),
            "at": time.time(),
            "complete": final,
            "problem": None,
        }
        self._save()

    def failed(self, error: Exception) -> None:
        """A pass did not."""
        self._content |= {"problem": str(error), "complete": False}
        self._save()

    def _save(self) -> None:
        try:
            write_redacted(self._path, self._content)
        except OSError:
            return  # a full disk; the recorder says so


class ShippingLock:
    """One shipper per folder and place, whoever starts it; freed by the system if it dies."""

    def __init__(self, folder: Path, url: str) -> None:
        name = hashlib.sha256(url.encode()).hexdigest()[:8]
        self._file = os.open(folder / f".shipping-{name}.lock", os.O_RDWR | os.O_CREAT, 0o644)
        self.taken = True
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self.taken = False
                os.close(self._file)

    def release(self) -> None:
        """Let others ship."""
        if self.taken:
            self.taken = False
            os.close(self._file)
