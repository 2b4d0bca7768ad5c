"""What is healthy for a metric in this run, and who says so."""

from __future__ import annotations

from runvitals import catalog
from runvitals.model import Run
from runvitals.reports.vitals import healthy_for, set_by_run, usual_bands
from runvitals.server.schemas import HealthyBand


def band_of(run: Run, metric: str) -> HealthyBand | None:
    """The healthy range of a metric with its source; None if nothing is known for such a run."""
    known = catalog.metric(metric)
    if known is None or not known.healthy or metric not in run:
        return None
    healthy = healthy_for(run, known)
    if healthy is None or (healthy.low is None and healthy.high is None):
        return None
    own = set_by_run(run, known)
    if own is not None:
        source = f"this run's {own[0].config_key} {own[1]:g}"
        return HealthyBand(low=healthy.low, high=healthy.high, source=source)
    sources = dict.fromkeys(f"{band.why} ({band.source})" for band in usual_bands(run, known))
    return HealthyBand(low=healthy.low, high=healthy.high, source="; ".join(sources))
