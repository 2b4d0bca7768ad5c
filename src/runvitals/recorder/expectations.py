"""What `run.expect(...)` takes, as a record that can be written down."""

from __future__ import annotations

from typing import Any

from runvitals.model import ConfigError, Expectation, Severity

MAX_EXPECTATIONS = 200


def expectation_of(
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
