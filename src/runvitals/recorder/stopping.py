"""Whether a finding is a reason to end the training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from runvitals.model import SEVERITIES, ConfigError, FindingChange

Listener = Callable[[FindingChange], None]
StopOn = Literal["critical", "warning"]


class Stopping:
    """Hears what the judge finds and remembers the first thing that is as bad as `on`."""

    def __init__(self, on: StopOn | None = None, *, raises: bool = False) -> None:
        _check(on)
        if raises and on is None:
            raise ConfigError("stop_raises=True needs stop_on", hint="stop_on='critical'")
        self.reason: str | None = None
        self.heeded = False  # whether the training was told
        self.when_it_raises: Callable[[], None] | None = None
        self._on = on
        self._raises = raises

    @property
    def is_wanted(self) -> bool:
        """Whether any finding is a reason."""
        return self._on is not None

    def listen_for(self, on: StopOn) -> None:
        """Take a finding of this severity for a reason from now on, besides what was asked before."""
        _check(on)
        wanted = [severity for severity in (on, self._on) if severity is not None]
        self._on = max(wanted, key=SEVERITIES.index)

    def hear(self, change: FindingChange) -> None:
        """Take in what the judge says."""
        if self._on is None or self.reason is not None or change.event == "closed":
            return
        finding = change.finding
        if SEVERITIES.index(finding.severity) <= SEVERITIES.index(self._on):
            self.reason = f"{finding.code} {finding.severity}: {finding.message}"
            if self._raises and self.when_it_raises is not None:
                self.when_it_raises()


def _check(on: StopOn | None) -> None:
    if on not in (None, "critical", "warning"):
        raise ConfigError(f"stop_on={on!r} is not known", hint="use 'critical' or 'warning'")
