"""What a live run says to the judge, and hears from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runvitals.model import ConfigError, Expectation, RunInfo, Severity, Verdict
from runvitals.recorder.stopping import Listener, StopOn, Stopping
from runvitals.recorder.upkeep import Upkeep

MAX_EXPECTATIONS = 200


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
        expectation = _expectation(metric, low, high, by_step, after_step, severity, rule, reason)
        known = self._info.expectations
        if expectation not in known:
            self._info.expectations = (*known, expectation)[-MAX_EXPECTATIONS:]
            if self._upkeep is not None:
                self._upkeep.expectations_changed()


def _expectation(
    metric: str | None,
    above: Any,
    below: Any,
    by_step: Any,
    after_step: Any,
    severity: Severity,
    rule: str | None,
    reason: str,
) -> Expectation:
    """An expectation of plain Python values; any number type will do."""
    try:
        return Expectation(
            metric=None if metric is None else str(metric),
            above=None if above is None else float(above),
            below=None if below is None else float(below),
            by_step=None if by_step is None else int(by_step),
            after_step=None if after_step is None else int(after_step),
            severity=severity,
            rule=None if rule is None else str(rule).upper(),
            reason=str(reason),
        ).checked()
    except (TypeError, ValueError) as error:
        raise ConfigError(f"expect(): {error}", hint="bounds and steps are numbers") from error
