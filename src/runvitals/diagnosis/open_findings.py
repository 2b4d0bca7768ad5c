"""Which findings are open, since when, and which have closed, while a run is watched."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from runvitals.model import SEVERITIES, Diagnosis, Finding

Key = tuple[str, str]  # code, series
MAX_CLOSED = 50


@dataclass(frozen=True)
class Entry:
    """A finding with the step at which it was first and, if it is over, last true."""

    finding: Finding
    opened: int
    closed: int | None = None


@dataclass
class OpenFindings:
    """Keeps what successive diagnoses of one run said. Notices are not kept."""

    _open: dict[Key, Entry] = field(default_factory=dict)
    _closed: list[Entry] = field(default_factory=list)

    def update(self, diagnosis: Diagnosis, step: int) -> tuple[list[Entry], list[Entry]]:
        """Take in a diagnosis made at a step; gives what opened and what closed by it."""
        found = {(f.code, f.series): f for f in diagnosis.all_findings if f.is_alarm}
        opened = []
        for key, finding in found.items():
            known = self._open.get(key)
            since = step if finding.first_seen is None else finding.first_seen
            entry = Entry(finding, since) if known is None else replace(known, finding=finding)
            self._open[key] = entry
            if known is None:
                opened.append(entry)
        gone = [key for key in self._open if key not in found]
        closed = [replace(self._open.pop(key), closed=step) for key in gone]
        self._closed = (self._closed + closed)[-MAX_CLOSED:]
        return opened, closed

    @property
    def open(self) -> list[Entry]:
        """What is true now, the worst first, then the oldest."""
        order = SEVERITIES.index
        return sorted(
            self._open.values(), key=lambda e: (order(e.finding.severity), e.opened, e.finding.code)
        )

    @property
    def closed(self) -> list[Entry]:
        """What was true once, the newest first."""
        return self._closed[::-1]
