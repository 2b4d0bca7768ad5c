"""`run.json`: what is known about a run besides its numbers."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from runvitals.model import FloatArray, RowBlock
from runvitals.model.secrets import redacted
from runvitals.store.events import spelled
from runvitals.store.files import write_json
from runvitals.store.layout import RUN_FILE, RUN_FORMAT

MAX_SUMMARISED = 2000  # names
RESERVE_FILE = ".reserve"
RESERVE_BYTES = 64 * 2**10  # kept free on the disk, so that a full one can still be told about
_FULL = (errno.ENOSPC, errno.EDQUOT)


class RunRecord:
    """The content of `run.json`, kept in memory and written whole, without secrets."""

    def __init__(self, folder: Path, content: dict[str, Any]) -> None:
        self.path = folder / RUN_FILE
        self.content = {"format": RUN_FORMAT, **content}
        self.changed = True
        self._reserve = folder / RESERVE_FILE

    def reserve(self) -> None:
        """Keep some room for the last words, if the disk has it."""
        try:
            file = os.open(self._reserve, os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                os.pwrite(file, bytes(RESERVE_BYTES), 0)  # zeros on the disk, not a hole
            finally:
                os.close(file)
        except OSError:
            self.give_reserve_back()

    def give_reserve_back(self) -> None:
        """The room is needed now, or never more."""
        with suppress(OSError):
            self._reserve.unlink(missing_ok=True)

    def update(self, **fields: Any) -> None:
        """Change fields; the flusher writes them."""
        self.content.update(fields)
        self.changed = True

    def save(self, *, durable: bool = False) -> None:
        """Write if anything changed."""
        if self.changed:
            self.changed = False
            try:
                self._write(durable)
            except BaseException:
                self.changed = True
                raise

    def _write(self, durable: bool) -> None:
        try:
            self._replace(self.content, durable)
            return
        except OSError as error:
            if error.errno not in _FULL or not self._reserve.exists():
                raise
        self.give_reserve_back()
        try:
            self._write_with_reserve(durable)
        finally:
            self.reserve()

    def _write_with_reserve(self, durable: bool) -> None:
        try:
            self._replace(self.content, durable)
        except OSError as error:
            if error.errno not in _FULL:
                raise
            self._replace(self._in_short(), durable)

    def _replace(self, content: dict[str, Any], durable: bool) -> None:
        """Write without secrets; the summary holds only names of metrics and numbers, and stays."""
        said = {key: value for key, value in content.items() if key != "summary"}
        summary = {"summary": content["summary"]} if "summary" in content else {}
        write_json(self.path, {**redacted(said), **summary}, durable=durable)

    def _in_short(self) -> dict[str, Any]:
        """Without what is long; who the run is and what went wrong counts for more."""
        short = {k: v for k, v in self.content.items() if k not in ("summary", "provenance")}
        config = self.content.get("config")
        return {**short, "config": config if len(str(config)) < RESERVE_BYTES // 4 else {}}


class Summary:
    """Last, lowest and highest value of each name."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[float, float, float, int, int]] = {}

    def add(self, blocks: Sequence[RowBlock]) -> None:
        """Take new rows in."""
        for block in blocks:
            lows: FloatArray = np.fmin.reduce(block.values, axis=0)
            highs: FloatArray = np.fmax.reduce(block.values, axis=0)
            last, step, count = block.values[-1].tolist(), int(block.steps[-1]), len(block)
            for name, low, high, value in zip(
                block.names, lows.tolist(), highs.tolist(), last, strict=True
            ):
                old = self._rows.get(name)
                if old is not None:
                    low, high = float(np.fmin(low, old[1])), float(np.fmax(high, old[2]))
                    self._rows[name] = (value, low, high, step, count + old[4])
                elif len(self._rows) < MAX_SUMMARISED:
                    self._rows[name] = (value, low, high, step, count)

    def as_dict(self) -> dict[str, dict[str, float | int | str]]:
        """JSON-safe; NaN and infinities as text."""
        return {
            name: {
                "last": spelled(last),
                "min": spelled(low),
                "max": spelled(high),
                "step": step,
                "count": count,
            }
            for name, (last, low, high, step, count) in self._rows.items()
        }
