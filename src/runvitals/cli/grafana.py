"""`runvitals grafana`: a dashboard for what `runvitals serve --metrics` tells Prometheus."""

from __future__ import annotations

from runvitals.cli.json_output import print_json


def grafana() -> None:
    """Print a Grafana dashboard (JSON, to import) for what `serve --metrics` tells Prometheus.

    runvitals grafana > runvitals.json, then in Grafana: Dashboards, New, Import.
    """
    from runvitals.view.grafana import dashboard

    print_json(dashboard())
