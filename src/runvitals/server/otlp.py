"""Sends where runs stand to an OpenTelemetry collector, every few seconds (OTLP over HTTP)."""

from collections.abc import Callable, Iterable, Sequence
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource

from runvitals import __version__
from runvitals.view.gauges import GAUGES, GaugeValue

PATH = "/v1/metrics"
EVERY = 15.0  # seconds, the usual interval of a Prometheus that scrapes
PATIENCE = 5  # seconds for one request


class Push:
    """Sends until it is stopped. `take` gives the readings of now."""

    def __init__(
        self, endpoint: str, take: Callable[[], Sequence[GaugeValue]], every: float = EVERY
    ) -> None:
        self._take = take
        self._taken: Sequence[GaugeValue] = ()
        exporter = OTLPMetricExporter(endpoint=address_of(endpoint), timeout=PATIENCE)
        reader = PeriodicExportingMetricReader(exporter, export_interval_millis=1000 * every)
        self._provider = MeterProvider(
            [reader],
            resource=Resource({"service.name": "runvitals", "service.version": __version__}),
            shutdown_on_exit=False,
        )
        meter = self._provider.get_meter("runvitals", __version__)
        for gauge, text in GAUGES.items():
            meter.create_observable_gauge(gauge, [self._callback(gauge)], description=text)

    def stop(self) -> None:
        """Send what is known once more, and end."""
        self._provider.shutdown(timeout_millis=1000 * PATIENCE)

    def _callback(self, gauge: str) -> Callable[[CallbackOptions], Iterable[Observation]]:
        first = gauge == next(iter(GAUGES))  # they are asked in turn: all tell of one moment

        def observe(_: CallbackOptions) -> Iterable[Observation]:
            if first:
                self._taken = self._take()
            mine = [one for one in self._taken if one.gauge == gauge]
            return [Observation(one.value, dict(one.labels)) for one in mine]

        return observe


def address_of(endpoint: str) -> str:
    """Where metrics go at a collector; the address may have the path already.

    >>> address_of("http://localhost:4318"), address_of("https://otel.example/x/v1/metrics")
    ('http://localhost:4318/v1/metrics', 'https://otel.example/x/v1/metrics')
    """
    return endpoint if urlsplit(endpoint).path.endswith(PATH) else endpoint.rstrip("/") + PATH
