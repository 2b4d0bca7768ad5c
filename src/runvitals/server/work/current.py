"""Where all runs that go on stand now, for monitoring systems."""

from __future__ import annotations

from collections.abc import Iterator

from runvitals.model import ReadError
from runvitals.server.work.dashboard import Dashboard
from runvitals.server.work.library import Record
from runvitals.view.gauges import GaugeValue, readings_of

MAX_RUNS = 200  # the last written ones; a monitoring system keeps all it was told


def current(dashboard: Dashboard) -> list[GaugeValue]:
    """The readings of runs that go on or have just ended; others do not change any more."""
    records = dashboard.library.records()
    active = [record for record in records if record.active]
    found = [
        GaugeValue("runvitals_runs", float(sum(len(record.runs) for record in records)), {}),
        GaugeValue("runvitals_runs_left_out", float(max(0, len(active) - MAX_RUNS)), {}),
    ]
    for record in active[:MAX_RUNS]:
        found += _of(dashboard, record)
    return found


def _of(dashboard: Dashboard, record: Record) -> Iterator[GaugeValue]:
    for index, one in enumerate(record.runs):
        try:
            with dashboard.shelf.reading(record.place, index) as (run, _, _, stamp):
                now = {"last_step": run.last_step, "status": run.status, "updated": stamp[2] / 1e9}
                row = one.row.model_copy(update=now)
                found = list(readings_of(row, one.judgement, run))
        except ReadError:
            found = list(readings_of(one.row, one.judgement, None))
        yield from found
