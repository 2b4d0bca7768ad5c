"""What a live run says to the judge and hears from it, and whether that is a reason to stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from runvitals.model import (
    SEVERITIES,
    ConfigError,
    Expectation,
    FindingChange,
    RunInfo,
    Severity,
    Verdict,
)
from runvitals.recorder.upkeep import Upkeep

MAX_EXPECTATIONS = 200
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


class HearsTheJudge:
    """A run whose findings are listened to, which may stop on them, and which knows what is normal."""

    _info: RunInfo
    _stopping: Stopping
    _upkeep: Upkeep | None

    def on_finding(self, callback: Listener) -> None:
        """Call this with a `FindingChange` whenever a warning or worse opens, worsens or closes.

        It is called from the judge's thread; what it raises is warned about once.
        """
        self._info.listeners.append(callback)

    def on_verdict(self, callback: Callable[[Verdict], None]) -> None:
        """Call this with the `Verdict` whenever its word changes, and with the last one at the end.

        It is called from the judge's thread; what it raises is warned about once.
        """
        self._info.verdict_listeners.append(callback)

    @property
    def should_stop(self) -> bool:
        """Whether a finding was as bad as `init(stop_on=...)` says; stays true from then on.

        Which finding that is, and at which step it was made, follows from the logged rows alone; a
        busy machine may only come to it later. Findings about speed and the machine never count.
        A run that is finished after it was told so counts as stopped.
        """
        if self._stopping.reason is None:
            return False
        self._stopping.heeded = True
        return True

    def stop_on(self, severity: StopOn) -> None:
        """Set `should_stop` on a finding of this severity from now on, as `init(stop_on=...)` does."""
        self._stopping.listen_for(severity)
        self._info.stops = True

    @property
    def stop_reason(self) -> str | None:
        """The finding that says so."""
        return self._stopping.reason

    def expect(
        self,
        metric: str | None = None,
        *,
        above: float | None = None,
        below: float | None = None,
        between: tuple[float, float] | None = None,
        by_step: int | None = None,
        after_step: int | None = None,
        severity: Severity = "warning",
        rule: str | None = None,
        reason: str = "",
    ) -> None:
        """Say what is normal here: it is kept with the run, and judged live and by `check`.

        - `expect("outcome/return_mean", above=100, by_step=50_000)`: it has to get there by then.
        - `expect("policy/approx_kl", below=0.05, after_step=1_000)`: it has to stay there.
        - `expect(rule="ENT001", reason="annealed on purpose")`: this rule's findings (with `metric`,
          those on this series) are shown as accepted and are not alarms.

        Raises `ConfigError` if it is wrong.
        """
        low, high = between if between is not None else (above, below)
        try:  # any number type will do
            expectation = Expectation(
                metric=None if metric is None else str(metric),
                above=None if low is None else float(low),
                below=None if high is None else float(high),
                by_step=None if by_step is None else int(by_step),
                after_step=None if after_step is None else int(after_step),
                severity=severity,
                rule=None if rule is None else str(rule).upper(),
                reason=str(reason),
            ).checked()
        except (TypeError, ValueError) as error:
            raise ConfigError(f"expect(): {error}", hint="bounds and steps are numbers") from error
        known = self._info.expectations
        if expectation not in known:
            self._info.expectations = (*known, expectation)[-MAX_EXPECTATIONS:]
            if self._upkeep is not None:
                self._upkeep.expectations_changed()
