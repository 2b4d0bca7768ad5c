"""The metrics of a run that have a range, for the table on its page: those out of it first."""

from __future__ import annotations

import math
from collections.abc import Sequence

from runvitals.model import Run
from runvitals.view.schemas import FindingCard, VitalSign
from runvitals.vitals import vitals_of


def vital_signs(run: Run, findings: Sequence[FindingCard]) -> list[VitalSign]:
    """Level, range and whose range it is, of each metric that has one."""
    found = [
        VitalSign(
            name=vital.shown_name,
            metric=vital.metric,
            level=vital.level if math.isfinite(vital.level) else None,
            low=vital.low,
            high=vital.high,
            range=str(vital.range),
            source=vital.range.source,
            why=vital.range.why,
            state=vital.state,
            place=vital.side,
            since=vital.since,
            all_along=vital.all_along,
            alarm=vital.alarm,
        )
        for vital in vitals_of(run, findings)
        if vital.range is not None and vital.state != "no range"
    ]
    return sorted(found, key=lambda one: (one.state != "out of range", one.alarm is None))
