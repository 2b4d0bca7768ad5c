"""A run that is open, with all that its page is made from."""

from dataclasses import dataclass

from runvitals.model import Run
from runvitals.view.events.shelf import EventShelf
from runvitals.view.places import Place, Stamp
from runvitals.view.points.axis_series import AxisSeriesCache


@dataclass(frozen=True)
class OpenRun:
    """A run to answer from, with its place."""

    id: str
    run: Run
    axis_series: AxisSeriesCache
    events: EventShelf
    place: Place
    index: int
    stamp: Stamp
