"""Which findings may stop a run: those that the rest of the run would not take back.

What is grave early on may pass: a model learns to end its answers, a return rises after all. So a
finding has to stand for a while, without a break, and for a good part of what is planned. A loss that
is not a number will not pass, and an expectation of the user's own is a wish to be obeyed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from runvitals.diagnosis.open_findings import Moment
from runvitals.model import Finding

if TYPE_CHECKING:
    from runvitals.rules.registry import Rule

LONG = 0.25  # of the plan, for which a finding has stood, unless less than that is left (judgement)
# Where nobody knows the plan: most of the rows so far, and no fewer than these (judgement).
LONG_SO_FAR, MIN_ROWS = 0.6, 1_000
EXPECTATIONS = "expectations"


class Standing:
    """Since which look each rule has found something as grave as now."""

    def __init__(self) -> None:
        self._since: dict[tuple[str, str, str], Moment] = {}  # by code, series and severity
        self._given: set[tuple[str, str, str]] = set()

    def lasting(self, findings: Iterable[Finding], now: Moment) -> Iterator[Finding]:
        """Of the alarms of a look, those that would still hold at the end of what is planned, once."""
        from runvitals.rules.registry import rules  # with the first look, not with the recorder

        alarms = [one for one in findings if one.is_alarm]
        keys = [(one.code, one.series, one.severity) for one in alarms]
        self._since = {key: self._since.get(key, now) for key in keys}
        known = rules()
        for one, key in zip(alarms, keys, strict=True):
            rule = known.get(one.code)
            lasts = (rule is not None and _is_broken(rule)) or one.area == EXPECTATIONS
            lasts = lasts or _will_last(self._since[key], now)
            if lasts and key not in self._given:
                self._given.add(key)
                yield one


def _is_broken(rule: Rule) -> bool:
    """Whether it is about numbers or a set-up that no further training mends.

    What was not learned by now may be learned yet, also where it is a fact that nothing was.
    """
    return rule.fact and rule.area == "optimisation"


def _will_last(since: Moment, now: Moment) -> bool:
    stood = 1 - since.rows / max(1, now.rows)
    if now.done is None:
        return stood >= LONG_SO_FAR and now.rows - since.rows >= MIN_ROWS
    return stood * now.done >= min(LONG, 1 - now.done)
