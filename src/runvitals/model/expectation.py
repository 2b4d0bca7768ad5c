"""What a user expects of a run, said in the training script with `run.expect(...)`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, get_args

from runvitals.model.errors import ConfigError
from runvitals.model.finding import Severity

YOURS = "your expectation"  # where the limits of such findings come from


@dataclass(frozen=True, slots=True)
class Expectation:
    """Where a metric should be and when, or a rule whose finding is known and accepted.

    With `by_step` the metric has to get there by that step; otherwise it has to stay there, from
    `after_step` on if that is given.
    """

    metric: str | None = None
    above: float | None = None
    below: float | None = None
    by_step: int | None = None
    after_step: int | None = None
    severity: Severity = "warning"
    rule: str | None = None
    reason: str = ""

    def checked(self) -> Expectation:
        """This expectation, if it makes sense; raises `ConfigError` otherwise."""
        bounds = [bound for bound in (self.above, self.below) if bound is not None]
        if self.rule is not None:
            if bounds or self.by_step is not None or self.after_step is not None:
                raise ConfigError(
                    f"expect(rule={self.rule!r}) accepts a finding and takes no bounds",
                    hint='run.expect(rule="ENT001", reason="we anneal on purpose")',
                )
            if not self.reason.strip():
                raise ConfigError(
                    f"expect(rule={self.rule!r}) needs a reason", hint="why is it fine here?"
                )
        elif self.metric is None or not bounds:
            raise ConfigError(
                "expect() needs a metric and a bound, or a rule",
                hint='run.expect("outcome/return_mean", above=100, by_step=50_000)',
            )
        for name, bound in (("above", self.above), ("below", self.below)):
            if bound is not None and bound != bound:
                raise ConfigError(f"{name} must be a number, got {bound!r}")
        if self.above is not None and self.below is not None and self.above >= self.below:
            raise ConfigError(
                f"nothing is above {self.above:g} and below {self.below:g}",
                hint="between=(low, high)",
            )
        if self.severity not in get_args(Severity):
            raise ConfigError(
                f"no severity {self.severity!r}", hint=f"one of: {', '.join(get_args(Severity))}"
            )
        return self

    def accepts(self, code: str, series: str) -> bool:
        """True if it accepts this finding."""
        return self.rule == code and self.metric in (None, series)

    def as_dict(self) -> dict[str, Any]:
        """The fields that were set, for `run.json`."""
        return {key: value for key, value in asdict(self).items() if value not in (None, "")}


def read_expectation(record: Mapping[str, Any]) -> Expectation:
    """An expectation from `run.json`; fields of a later version are ignored."""
    known = {field.name for field in fields(Expectation)}
    return Expectation(**{key: value for key, value in record.items() if key in known}).checked()
