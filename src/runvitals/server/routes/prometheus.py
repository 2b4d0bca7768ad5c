"""`/metrics`: for Prometheus and whatever else reads its format."""

from collections.abc import Iterable

from fastapi import APIRouter, HTTPException, Response
from prometheus_client.core import CollectorRegistry, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from runvitals.server.scopes import sees_everything
from runvitals.server.work.dashboard import Dashboard
from runvitals.view.gauges import GAUGES, GaugeValue


def router(dashboard: Dashboard) -> APIRouter:
    """One page of text."""
    made = APIRouter()

    @made.get("/metrics", include_in_schema=False)
    def metrics() -> Response:
        if not sees_everything():
            raise HTTPException(403, "only a token for all projects opens the metrics of all runs")
        text = exposition(dashboard.gauges())
        return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST})

    return made


def exposition(readings: Iterable[GaugeValue]) -> bytes:
    """Readings in the text format of Prometheus."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Taken(list(readings)))
    return generate_latest(registry)


class _Taken:
    """Readings as Prometheus' library wants them."""

    def __init__(self, readings: list[GaugeValue]) -> None:
        self._readings = readings

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Gauges with their samples, in the order in which they are documented."""
        for gauge, text in GAUGES.items():
            mine = [one for one in self._readings if one.gauge == gauge]
            if not mine:
                continue
            family = GaugeMetricFamily(gauge, text, labels=list(mine[0].labels))
            for one in mine:
                family.add_metric(list(one.labels.values()), one.value)
            yield family
