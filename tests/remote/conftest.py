"""A real S3 server on this machine, from moto; each test has a bucket of its own."""

import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing-secret",
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}


@pytest.fixture(scope="session")
def s3_server():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{url}/moto-api/", timeout=60).close()
                break
            except OSError:
                time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait()


@pytest.fixture
def bucket(s3_server, monkeypatch):
    """The address of a fresh, empty bucket; the environment has its credentials and endpoint."""
    name = f"runs-{secrets.token_hex(4)}"
    urllib.request.urlopen(
        urllib.request.Request(f"{s3_server}/{name}", method="PUT"), timeout=600
    ).close()
    for key, value in {**CREDENTIALS, "AWS_ENDPOINT_URL": s3_server}.items():
        monkeypatch.setenv(key, value)
    return f"s3://{name}/team"


@pytest.fixture(params=["s3", "folder"])
def place(request, tmp_path):
    """A bucket, then a shared folder: the same promises hold for both."""
    if request.param == "s3":
        return request.getfixturevalue("bucket")
    shared = tmp_path / "shared"
    shared.mkdir()
    return shared.as_uri()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RUNVITALS_CACHE", str(tmp_path / "cache"))
    assert "RUNVITALS_REMOTE" not in os.environ
    return tmp_path / "cache"
