"""Any request that the OpenAPI page allows, and many that it does not, gets an answer it describes."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import numpy as np
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, settings
from starlette.testclient import TestClient

import runvitals as rv
from runvitals.server.app import create_app

from .conftest import until

REQUESTS = 25  # to each endpoint
MAX_QUERY = 60_000  # characters; the client of these tests refuses to send more


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server over one run that has a bit of everything, and the id of that run."""
    folder = tmp_path_factory.mktemp("runs")
    quiet = {"console": False, "tensorboard": False, "system": False}
    with rv.init(project="fuzz", id="one", dir=folder, config={"lr": 0.1}, **quiet) as run:
        for i in range(50):
            run.log({"loss": 1.0 / (i + 1), "progress/tokens": 10.0 * i}, step=i)
        run.log_samples({"prompt": "a", "reward": 1.0}, step=3)
        run.log_histogram("weights", np.arange(9.0), step=3)
    app = create_app([folder], workers=0)
    with TestClient(app, base_url="http://localhost") as client:
        [row] = until(lambda: client.get("/api/runs").json()["runs"])
        until(lambda: client.get("/api/runs").json()["judging"] == 0)
        yield client, row["id"]


described = schemathesis.openapi.from_dict(create_app([]).openapi())


@described.exclude(path="/api/events").parametrize()  # a stream does not end
@settings(
    max_examples=REQUESTS,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_request_gets_an_answer_that_is_described(case, served):
    client, run = served
    if re.fullmatch("[0-9a-f]{12}", str(case.path_parameters.get("id"))):
        case.path_parameters["id"] = run  # one that is there, where it could be any

    wanted = case.as_transport_kwargs(base_url="http://localhost")
    assume(len(urlencode(wanted.get("params") or {}, doseq=True)) < MAX_QUERY)
    answer = client.request(**{k: v for k, v in wanted.items() if k != "cookies"})

    case.validate_response(answer)


@pytest.mark.parametrize("x", ["step", "time", "relative", "progress/tokens"])
@pytest.mark.parametrize("start", ["", "-1e300", "0", "1e300", "25"])
@pytest.mark.parametrize("end", ["", "-1e300", "0", "1e300", "24"])
def test_any_range_over_any_axis_is_answered(served, x, start, end):
    client, run = served
    query = {"name": ["loss", "progress/tokens"], "x": x, "buckets": 1}
    query |= {k: v for k, v in (("from", start), ("to", end)) if v}

    answer = client.get(f"/api/runs/{run}/series", params=query)

    assert answer.status_code == 200
    assert answer.content[:4] == b"RVS1"
