"""What is healthy for a metric in this run, and who says so."""

from __future__ import annotations

from runvitals import catalog
from runvitals.model import Run
from runvitals.reports.vitals import healthy_range
from runvitals.server.schemas import HealthyBand


def band_of(run: Run, metric: str) -> HealthyBand | None:
    """The healthy range of a metric with its source; None if nothing is known for such a run."""
    series, known = run.get(metric), catalog.metric(metric)
    if series is None or known is None or not known.healthy:
        return None
    healthy = healthy_range(run, series)
    if healthy is None or (healthy.low is None and healthy.high is None):
        return None
    for band in known.healthy:
        value = run.settings.get(band.config_key or "")
        if isinstance(value, int | float) and not isinstance(value, bool):
            if band.low is not None and band.high is not None:
                return None  # the setting says how wide the range is, not where it lies
            source = f"this run's {band.config_key} {value:g}"
            return HealthyBand(low=healthy.low, high=healthy.high, source=source)
    sources = dict.fromkeys(
        f"{band.why} ({band.source})"
        for band in known.healthy
        if band.config_key is None and (not band.algorithms or run.algorithm in band.algorithms)
    )
    return HealthyBand(low=healthy.low, high=healthy.high, source="; ".join(sources))
