"""`runvitals serve`: what it prints, and that it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack

import httpx
import psutil
import pytest
from typer.testing import CliRunner

from runvitals.cli.main import app
from runvitals.model import ConfigError
from runvitals.server.address import listen


@pytest.fixture
def serve(tmp_path, monkeypatch):
    """Start the command in a process of its own; gives it and the link it printed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    begun = []

    def begin(*words):
        child = subprocess.Popen(
            [sys.executable, "-m", "runvitals.cli.main", "serve", *words, "--no-open"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        begun.append(child)
        told = ""
        for line in child.stdout:
            told += line
            if found := re.search(r"http://\S+", line):
                return child, found[0]
        raise AssertionError(told)

    yield begin
    for child in begun:
        child.kill()
        child.wait()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """The address of a server that several tests use."""
    folder = tmp_path_factory.mktemp("shared")
    words = [sys.executable, "-m", "runvitals.cli.main", "serve", str(folder)]
    with subprocess.Popen(
        [*words, "--port", "0", "--no-open", "--workers", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "XDG_CACHE_HOME": str(folder)},
    ) as child:
        found = next(m for line in child.stdout if (m := re.search(r"http://(.+):(\d+)/", line)))
        yield found[1], int(found[2])
        child.kill()


def test_the_link_leads_to_the_runs(serve, tmp_path):
    (tmp_path / "runs").mkdir()
    child, link = serve("--port", "0")

    told = httpx.get(f"{link}api/about", timeout=600).json()

    assert link.startswith("http://127.0.0.1:")
    assert "token" not in link
    assert told["roots"] == [str(tmp_path / "runs")]
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=600) == 0


def test_others_need_the_token_in_the_link(serve, tmp_path):
    _, link = serve(".", "--host", "0.0.0.0", "--port", "0")
    here = re.sub(r"//[^:/]+:", "//127.0.0.1:", link)

    bare, _, token = here.partition("?token=")

    assert len(token) > 20
    assert httpx.get(bare, timeout=600).status_code == 401
    assert "set-cookie" in httpx.get(here, timeout=600).headers


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (b"GET /api/runs?x=" + b"y" * 300_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 300_000 + b"\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\nx", b"405"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", b"400"),
        (b"GET /api/about HTTP/1.1\r\n\r\n", b"400"),
        (b"GET http://evil.example/api/about HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"403"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", b"400"),
    ],
    ids=["long path", "long header", "long body", "two hosts", "no host", "other host", "tls"],
)
def test_a_request_that_makes_no_sense_is_refused_at_once(shared, request_, answer):
    with socket.create_connection(shared, timeout=600) as line:
        line.sendall(request_)
        told = line.recv(4096)

    assert told.startswith(b"HTTP/1.1 " + answer), told


def test_half_a_request_keeps_nobody_waiting(shared):
    with ExitStack() as slow:
        for _ in range(50):
            line = slow.enter_context(socket.create_connection(shared, timeout=600))
            line.sendall(b"GET /api/runs HTTP/1.1\r\nHost: loc")

        answer = httpx.get(f"http://{shared[0]}:{shared[1]}/api/about", timeout=600)

    assert answer.status_code == 200


def test_no_process_outlives_a_server_that_is_killed(serve, tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "progress.csv").write_text("step,loss\n1,0.5\n2,0.4\n")
    child, link = serve("--port", "0", "--workers", "1")
    while httpx.get(f"{link}api/runs", timeout=600).json()["runs"][:1] == []:
        time.sleep(0.05)
    while httpx.get(f"{link}api/runs", timeout=600).json()["judging"]:
        time.sleep(0.05)
    workers = psutil.Process(child.pid).children(recursive=True)

    child.kill()
    _, left = psutil.wait_procs(workers, timeout=600)

    assert workers
    assert left == []


def test_a_port_that_is_taken_is_told_of(serve, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])

        with pytest.raises(AssertionError, match="--port 0 takes a free one"):
            serve(".", "--port", port)


def test_the_next_port_is_taken_if_nobody_asked_for_this_one(monkeypatch):
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]

        with listen("127.0.0.1", port, or_near=True) as near:
            assert 0 < near.getsockname()[1] - port < 20


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--host", "no.such.host.invalid"], "cannot listen on"),
        (["--host", "192.0.2.1", "--port", "0"], "cannot listen at 192.0.2.1"),
        (["--token", "short", "--port", "0"], "a token needs at least 8 characters"),
        (["--token", "", "--port", "0"], "a token needs at least 8 characters"),
    ],
    ids=["unknown host", "not ours", "short token", "empty token"],
)
def test_what_cannot_be_done_is_told(words, told, tmp_path):
    done = CliRunner().invoke(app, ["serve", str(tmp_path), "--no-open", *words])

    assert isinstance(done.exception, ConfigError)
    assert told in str(done.exception)


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="there is no IPv6 here")
def test_an_ipv6_address_may_be_listened_at(serve):
    _, link = serve(".", "--host", "::1", "--port", "0")

    assert link.startswith("http://[::1]:")
    assert httpx.get(f"{link}api/about", timeout=600).status_code == 200


def test_ctrl_c_ends_it_at_once_with_a_page_open(serve, tmp_path):
    child, link = serve(".", "--port", "0", "--workers", "0")

    with httpx.stream("GET", f"{link}api/events", timeout=600) as answer:
        lines = answer.iter_lines()
        next(lines)
        child.send_signal(signal.SIGINT)
        rest = list(lines)

    assert child.wait(timeout=600) == 0
    assert all(not line or line.startswith((":", "data:", "retry:")) for line in rest)
    assert child.stdout.read().split() == ["Press", "Ctrl-C", "to", "stop."]


def test_a_folder_that_does_not_exist_yet_is_waited_for(serve, tmp_path, until):
    _, link = serve("soon", "--port", "0", "--workers", "0")
    until(lambda: "does not exist yet" in httpx.get(f"{link}api/runs", timeout=600).text)

    (tmp_path / "soon").mkdir()
    (tmp_path / "soon" / "log.csv").write_text("step,loss\n0,1.0\n1,0.5\n2,0.4\n")

    until(lambda: len(httpx.get(f"{link}api/runs", timeout=600).json()["runs"]) == 1)
