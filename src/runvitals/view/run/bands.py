"""What is healthy for a metric in this run, where it is out of all bounds, and who says so."""

from __future__ import annotations

from runvitals.model import Run
from runvitals.view.schemas import HealthyBand
from runvitals.vitals import Range, ranges_of


def bands_of(run: Run, metric: str) -> tuple[HealthyBand | None, HealthyBand | None]:
    """The range that is healthy, and the limit beyond which something is wrong; None if there is none.

    A limit is only told where no range is: a range is the narrower of the two.
    """
    found = ranges_of(run, metric)
    return _shown(found.healthy), _shown(None if found.range is not None else found.limit)


def _shown(one: Range | None) -> HealthyBand | None:
    if one is None:
        return None
    source = one.source if one.setting else f"{one.why} ({one.source})"
    return HealthyBand(low=one.low, high=one.high, source=source)
