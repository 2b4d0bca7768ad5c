"""The processes that wrote a run, one after the other, and how long the latest still takes."""

from __future__ import annotations

from runvitals.model import Run
from runvitals.view.json_safe import number
from runvitals.view.schemas import ProcessLife, RunRow

MAX_LIVES = 200


def lives_of(run: Run) -> list[ProcessLife]:
    """One for each start, by what was logged most; more than one if it was resumed."""
    points = run.points
    longest = max(points.names(), key=lambda name: points.size(name), default=None)
    if longest is None:
        return []
    parts = points.by_life(longest, points.ranks(longest)[0])
    return [
        ProcessLife(
            number=place,
            first_step=int(steps.min()),
            last_step=int(steps.max()),
            began=number(float(times[0])),
            ended=number(float(times[-1])),
        )
        for place, (_, (steps, times, _)) in enumerate(parts, start=1)
    ][-MAX_LIVES:]


def eta_of(row: RunRow) -> float | None:
    """Seconds until the plan is done at the present pace; None if it is over, or has no plan."""
    if row.status != "running" or row.planned_steps is None or not row.steps_per_second:
        return None
    left = row.planned_steps - (row.last_step or 0)
    return left / row.steps_per_second if left >= 0 and row.steps_per_second > 0 else None
