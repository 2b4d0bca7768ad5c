"""Runs as monitoring systems see them: Prometheus' text, and OTLP as a collector receives it."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from prometheus_client.parser import text_string_to_metric_families
from tests.server.conftest import Site, until

import runvitals as rv
from runvitals.server.app import create_app
from runvitals.server.routes.prometheus import exposition
from runvitals.view.gauges import GAUGES, GaugeValue, readings_of
from runvitals.view.grafana import dashboard

SICK = {"console": False, "tensorboard": False, "judge": False, "system": False}
STEPS = 200


@pytest.fixture
def sick(tmp_path: Path) -> Path:
    """A run that lost what it had."""
    with rv.init(project="p", name='si\nck "1"', dir=tmp_path, **SICK) as run:
        for step in range(STEPS):
            fallen = step < STEPS // 2
            run.log({"outcome/return_mean": step if fallen else 0.0, "own": step}, step=step)
    return tmp_path


def parsed(text: str) -> dict[str, list[Any]]:
    """The samples by the name of their gauge."""
    return {family.name: family.samples for family in text_string_to_metric_families(text)}


def test_prometheus_parses_verdict_findings_and_values(site, sick):
    page = site(metrics=True)
    page.runs()

    answer = page.get("/metrics")
    found = parsed(answer.text)

    assert answer.headers["content-type"].startswith("text/plain")
    assert set(found) <= set(GAUGES)
    [word] = [s.labels["verdict"] for s in found["runvitals_verdict"] if s.value == 1.0]
    assert word == "collapsed"
    values = {s.labels["series"]: s.value for s in found["runvitals_value"]}
    assert values["own"] == STEPS - 1
    assert found["runvitals_last_step"][0].value == STEPS - 1
    alarms = {s.labels["severity"]: s.value for s in found["runvitals_open_findings"]}
    graves = [s.labels["severity"] for s in found["runvitals_finding"]]
    assert sum(alarms.values()) > 0
    assert {grave for grave, count in alarms.items() if count} <= set(graves)
    assert found["runvitals_run_info"][0].labels["run_name"] == 'si ck "1"'


def test_promtool_accepts_the_text(site, sick):
    if (promtool := shutil.which("promtool")) is None:
        pytest.skip("promtool is not installed here (Debian: apt install prometheus)")
    page = site(metrics=True)
    page.runs()

    text = page.get("/metrics").content
    done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True)

    assert done.returncode == 0, done.stderr


def test_metrics_are_told_only_if_asked_for(site, sick):
    assert "text/html" in site().get("/metrics").headers["content-type"]


def test_metrics_need_the_token_as_everything_does(site, sick):
    page = site(metrics=True, token="long-enough-token")
    token = {"Authorization": "Bearer long-enough-token"}

    assert page.get("/metrics").status_code == 401
    until(lambda: "runvitals_runs 1.0" in page.get("/metrics", headers=token).text)


def test_nan_and_odd_labels_survive_the_text():
    odd = GaugeValue("runvitals_value", float("nan"), {"run": 'a"b\\c', "series": "x"})

    [sample] = parsed(exposition([odd]).decode())["runvitals_value"]

    assert sample.labels == {"run": 'a"b\\c', "series": "x"}
    assert sample.value != sample.value


def test_a_run_with_many_series_tells_the_first_and_how_many_it_left_out(tmp_path):
    from runvitals.testing import make_run
    from runvitals.view.gauges import MAX_SERIES
    from runvitals.view.schemas.judgement import Judgement
    from runvitals.view.schemas.run import RunRow

    run = make_run(
        {f"layer{i}/x": [1.0, 2.0] for i in range(MAX_SERIES + 7)} | {"loss": [1.0, 0.5]}
    )
    row = RunRow(id="1", name="n", path="p", root="r")

    found = list(readings_of(row, Judgement(), run))

    assert sum(one.gauge == "runvitals_value" for one in found) == MAX_SERIES
    assert found[-1] == GaugeValue("runvitals_series_left_out", 8.0, found[-1].labels)


@pytest.fixture
def collector() -> Iterator[tuple[str, list[ExportMetricsServiceRequest]]]:
    """The address of a receiver of OTLP, and what it has received."""
    received: list[ExportMetricsServiceRequest] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/metrics"
            assert self.headers["Content-Type"] == "application/x-protobuf"
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append(ExportMetricsServiceRequest.FromString(body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", received
    server.shutdown()
    server.server_close()


def test_a_collector_receives_what_prometheus_would_read(sick, collector):
    address, received = collector
    app = create_app([sick], workers=0, metrics=True, otlp=address)

    with Site(app, base_url="http://localhost:6060") as page:
        page.runs()
        text = parsed(page.get("/metrics").text)

    resource = received[-1].resource_metrics[0]
    told = {
        (metric.name, tuple(sorted((a.key, a.value.string_value) for a in point.attributes))): (
            point.as_double
        )
        for metric in resource.scope_metrics[0].metrics
        for point in metric.gauge.data_points
    }
    assert {a.key: a.value.string_value for a in resource.resource.attributes}[
        "service.name"
    ] == "runvitals"
    assert told == {
        (s.name, tuple(sorted(s.labels.items()))): s.value for many in text.values() for s in many
    }


def test_the_grafana_dashboard_asks_for_gauges_and_labels_that_exist():
    text = json.dumps(dashboard())

    asked = set(re.findall(r"runvitals_[a-z_]+", text))

    assert asked <= set(GAUGES)
    assert len(asked) > 8
    ids = [panel["id"] for panel in dashboard()["panels"]]
    assert len(set(ids)) == len(ids)


@pytest.fixture
def prometheus(site, sick, tmp_path_factory) -> Iterator[Callable[[str], list[Any]]]:
    """Ask a real Prometheus that has read what the server tells."""
    if (program := shutil.which("prometheus")) is None:
        pytest.skip("prometheus is not installed here (Debian: apt install prometheus)")
    page = site(metrics=True)
    page.runs()
    text = page.get("/metrics").content

    class Target(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args: Any) -> None:
            pass

    folder = tmp_path_factory.mktemp("prometheus")
    with HTTPServer(("127.0.0.1", 0), Target) as target, socket.socket() as free:
        threading.Thread(target=target.serve_forever, daemon=True).start()
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        free.close()
        (folder / "prometheus.yml").write_text(
            "global: {scrape_interval: 1s}\nscrape_configs:\n  - job_name: runvitals\n"
            f"    static_configs: [{{targets: ['127.0.0.1:{target.server_port}']}}]\n"
        )
        server = subprocess.Popen(
            [
                program,
                f"--config.file={folder / 'prometheus.yml'}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address={address}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

        def ask(query: str) -> list[Any]:
            answer = httpx.get(f"http://{address}/api/v1/query", params={"query": query}).json()
            assert answer["status"] == "success", (query, answer)
            return list(answer["data"]["result"])

        def has_read() -> bool:
            try:
                return bool(ask("runvitals_run_info"))
            except httpx.TransportError:
                return False

        try:
            until(has_read)
            yield ask
        finally:
            server.terminate()
            server.wait()
            target.shutdown()


SILENT = {"Share of the planned steps", "Steps per second"}  # of a run that is over, without a plan


def test_prometheus_answers_every_question_of_the_grafana_dashboard(prometheus):
    chosen = {"$project": ".*", "$run": ".*", "$metric": "outcome/return_mean"}

    def filled(query: str) -> str:
        for name, value in chosen.items():
            query = query.replace(name, value)
        return query

    page = dashboard()
    lists = [one["definition"] for one in page["templating"]["list"] if one["type"] == "query"]
    asked = [
        (panel["title"], target["expr"]) for panel in page["panels"] for target in panel["targets"]
    ]

    empty = {title for title, query in asked if not prometheus(filled(query))}

    assert empty <= SILENT
    assert len(asked) > 8
    for query in lists:  # a function of Grafana: the values of a label
        [(series, label)] = re.findall(r"label_values\((.+), (\w+)\)", filled(query))
        assert [one["metric"][label] for one in prometheus(f"group by ({label}) ({series})")]
