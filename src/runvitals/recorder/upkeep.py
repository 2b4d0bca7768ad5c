"""What the background does besides writing points: run.json, progress, system numbers, heartbeat."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from runvitals.model import RowBlock, RunInfo
from runvitals.recorder.config import json_safe
from runvitals.recorder.provenance import capture
from runvitals.recorder.record import RunRecord, Summary
from runvitals.recorder.system import SystemSampler, pause_after
from runvitals.store.files import write_json
from runvitals.store.layout import PROGRESS_FILE
from runvitals.store.lock import WriterLock

RECORD_SECONDS = 30.0


class Upkeep:
    """Belongs to the process that owns the run; a forked child has none."""

    def __init__(
        self,
        info: RunInfo,
        record: RunRecord,
        lock: WriterLock,
        system_seconds: float | None,
        facts: Callable[[], Mapping[str, Any]],
    ) -> None:
        self.summary: dict[str, Any] = {}  # the user's own numbers
        self.progress_changed = False
        self._info = info
        self._record = record
        self._lock = lock
        self._facts = facts
        self._numbers = Summary()
        self._system_seconds = system_seconds
        self._sampler: SystemSampler | None = None
        self._next_sample = 0.0
        self._began = 0.0
        self._next_record = 0.0
        self._has_provenance = False

    def system_sample(self) -> dict[str, float] | None:
        """System numbers, when it is time for them."""
        now = time.monotonic()
        if self._system_seconds is None or now < self._next_sample:
            return None
        if self._sampler is None:
            self._sampler = SystemSampler(self._info.folder)
            self._began = now
            self._next_sample = now + pause_after(0.0, self._system_seconds)
            return None  # the first reading needs a window behind it
        self._next_sample = now + pause_after(now - self._began, self._system_seconds)
        return self._sampler.sample()

    def config_changed(self) -> None:
        """Write the new settings with the next flush."""
        self._record.update(config=self._info.config)

    def expectations_changed(self) -> None:
        """Write the new expectations with the next flush."""
        self._record.update(expectations=[one.as_dict() for one in self._info.expectations])

    def after_flush(self, blocks: Sequence[RowBlock]) -> None:
        """Keep the record, the progress and the heartbeat fresh."""
        self._numbers.add(blocks)
        self._lock.beat()
        if self._info.rank != 0:
            return
        if self.progress_changed:
            self.progress_changed = False
            try:
                write_json(self._info.folder / PROGRESS_FILE, self._info.progress)
            except BaseException:
                self.progress_changed = True
                raise
        if not self._has_provenance:
            self._has_provenance = True
            self._record.update(provenance=capture(self._info.config))
        if time.monotonic() >= self._next_record:
            self._next_record = time.monotonic() + RECORD_SECONDS
            self._refresh_record()
        self._record.save()

    def _refresh_record(self) -> None:
        summary = {**self._numbers.as_dict(), **json_safe(self.summary)}
        self._record.update(summary=summary, **self._facts())

    def close(self, status: str) -> None:
        """Write everything for the last time and give the run free."""
        try:
            if self._info.rank == 0:
                self._refresh_record()
                self._record.update(status=status, ended=time.time())
                self._record.save(durable=True)
                if self._info.progress:
                    write_json(self._info.folder / PROGRESS_FILE, self._info.progress)
        finally:
            self._lock.release()

    def abandon(self) -> None:
        """What a forked child does with its copy: let go of the lock without releasing it."""
        self._lock.close()
