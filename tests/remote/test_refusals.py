"""What a store says when it refuses, in plain words; moto cannot play these, so a small server does."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from tests.remote.conftest import CREDENTIALS
from tests.remote.test_ship_and_mirror import record

import runvitals as rv
from runvitals.model import RemoteError
from runvitals.remote.mirror import mirror_of
from runvitals.remote.push import push
from runvitals.store.objects.store import open_objects


@pytest.fixture
def refusing(monkeypatch):
    """Makes a store that answers every request with one status and one S3 error code."""
    servers = []

    def begin(status, code):
        class Refuse(BaseHTTPRequestHandler):
            def do_GET(self):
                body = f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_PUT(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.do_GET()

            def log_message(self, *_):
                """Nothing."""

        server = HTTPServer(("127.0.0.1", 0), Refuse)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        endpoint = f"http://127.0.0.1:{server.server_port}"
        for key, value in {**CREDENTIALS, "AWS_ENDPOINT_URL": endpoint}.items():
            monkeypatch.setenv(key, value)
        return open_objects("s3://bucket/team")

    yield begin
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "code", "said", "hint"),
    [
        (403, "AccessDenied", "permission denied", "must be allowed"),
        (403, "RequestTimeTooSkewed", "clock of this machine", "set the clock"),
        (301, "PermanentRedirect", "another region", "AWS_REGION"),
        (400, "AuthorizationHeaderMalformed", "another region", "AWS_REGION"),
        (403, "InvalidAccessKeyId", "does not know this access key", "credentials"),
        (403, "SignatureDoesNotMatch", "does not fit the access key", "credentials"),
        (404, "NoSuchBucket", "there is no such bucket: bucket", "create it first"),
    ],
)
@pytest.mark.parametrize("act", ["list", "get", "put"])
def test_a_refusal_says_what_is_wrong_and_what_to_do(refusing, status, code, said, hint, act):
    objects = refusing(status, code)

    with pytest.raises(RemoteError) as caught:
        {
            "list": lambda: list(objects.listed()),
            "get": lambda: objects.get("a"),
            "put": lambda: objects.put("a", b"1"),
        }[act]()

    assert said in str(caught.value)
    assert hint in str(caught.value)
    assert CREDENTIALS["AWS_SECRET_ACCESS_KEY"] not in str(caught.value)


def test_two_projects_may_have_a_run_of_the_same_id(tmp_path, place):
    for project, rows in (("a", 10), ("b", 20)):
        settings = {"console": False, "tensorboard": False, "system": False, "judge": False}
        run = rv.init(project=project, id="same", dir=tmp_path / "runs", **settings)
        for step in range(rows):
            run.log({"loss": 1.0}, step=step)
        run.finish()
    list(push(tmp_path / "runs", place))
    mirror = mirror_of(place)

    mirror.sync()

    found = {run.project: run.points.count for run in rv.open_runs(mirror.folder)}
    assert found == {"a": 10, "b": 20}


def test_a_half_written_table_is_told_and_the_rest_is_read(tmp_path, place):
    run = record(tmp_path / "runs")
    run.finish()
    list(push(tmp_path / "runs", place))
    objects = open_objects(place)
    key = next(e.key for e in objects.listed() if e.key.endswith("rank0.parquet"))
    objects.put(key, objects.get(key)[:-100])
    mirror = mirror_of(place)

    mirror.sync()

    found = rv.open_run(mirror.folder)
    assert any("rank0.parquet" in warning for warning in found.missing)
    assert found.status == "finished"
