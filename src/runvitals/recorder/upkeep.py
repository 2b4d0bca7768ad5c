"""What the background does besides writing points: run.json, progress, heartbeat."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from runvitals.model import RowBlock, RunInfo
from runvitals.model.secrets import redacted
from runvitals.recorder.config import json_safe
from runvitals.recorder.record import RunRecord, Summary
from runvitals.store.files import write_redacted
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
        facts: Callable[[], Mapping[str, Any]],
    ) -> None:
        self.summary: dict[str, Any] = {}  # the user's own numbers
        self.progress_changed = False
        self._info = info
        self._record = record
        self._lock = lock
        self._facts = facts
        self._numbers = Summary()
        self._next_record = 0.0
        self._troubles: object = None
        self._before = {key: record.content.get(key) or [] for key in ("lost", "problems")}
        self._keeps_record = info.rank == 0 or info.guest
        if self._keeps_record:
            record.reserve()

    def learn(self, provenance: Mapping[str, Any]) -> None:
        """Facts about where the run came from; written with the next flush."""
        known = self._record.content.get("provenance") or {}
        self._record.update(provenance={**known, **provenance})

    def info_changed(self, *fields: str) -> None:
        """Write these fields of the run's info with the next flush."""
        self._record.update(**{name: getattr(self._info, name) for name in fields})

    def expectations_changed(self) -> None:
        """Write the new expectations with the next flush."""
        self._record.update(expectations=[one.as_dict() for one in self._info.expectations])

    def after_flush(self, blocks: Sequence[RowBlock], troubles: object) -> None:
        """Keep the record, the progress and the heartbeat fresh; at once when something went wrong."""
        self._numbers.add(blocks)
        self._lock.beat()
        if not self._keeps_record:
            return
        if self.progress_changed:
            self.progress_changed = False
            try:
                write_redacted(self._info.folder / PROGRESS_FILE, self._info.progress)
            except BaseException:
                self.progress_changed = True
                raise
        if time.monotonic() >= self._next_record or troubles != self._troubles:
            self._next_record = time.monotonic() + RECORD_SECONDS
            self._troubles = troubles
            self._refresh_record()
        self._record.save()

    def _refresh_record(self) -> None:
        summary = {**self._numbers.as_dict(), **redacted(json_safe(self.summary))}
        self._record.update(summary=summary, **self._all_facts())

    def _all_facts(self) -> dict[str, Any]:
        """With what earlier processes of the run had lost and said."""
        facts = dict(self._facts())
        for key, before in self._before.items():
            new = [one for one in facts[key] if one not in before]
            facts[key] = [*before, *new]
        return facts

    def stored(self, status: str) -> None:
        """The run ended and its points are safe: say so before anything else can hang."""
        if self._keeps_record:
            self._refresh_record()
            self._record.update(status=status, ended=time.time())
            self._record.save(durable=True)
            if self._info.progress:
                write_redacted(self._info.folder / PROGRESS_FILE, self._info.progress)

    def close(self) -> None:
        """Write what the other sinks added, and give the run free."""
        try:
            if self._keeps_record:
                self._record.update(**self._all_facts())
                self._record.save()
        finally:
            self._record.give_reserve_back()
            self._lock.release()

    def abandon(self) -> None:
        """What a forked child does with its copy: let go of the lock without releasing it."""
        self._lock.close()
