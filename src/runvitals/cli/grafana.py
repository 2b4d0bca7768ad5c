"""`runvitals grafana`: a dashboard for the metrics of `runvitals serve --metrics`."""

from runvitals.cli.output import print_json


def grafana() -> None:
    """Print a Grafana dashboard (JSON, to import) for the metrics of `serve --metrics`.

    runvitals grafana > runvitals.json, then in Grafana: Dashboards, New, Import.
    """
    from runvitals.view.grafana import dashboard

    print_json(dashboard())
