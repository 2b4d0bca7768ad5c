"""A server to notify, and a judge that does not take its time."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import runvitals as rv
from runvitals.diagnosis import open_findings
from runvitals.diagnosis.live import pace


@pytest.fixture
def start(start: Callable[..., rv.LiveRun]) -> Callable[..., rv.LiveRun]:
    """The same with its judge."""
    return partial(start, judge=True)


class Inbox:
    """What the server was sent."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.arrived = threading.Event()
        self.url = ""


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    box = Inbox()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            box.messages.append(json.loads(self.rfile.read(length)))
            self.send_response(200)
            self.end_headers()
            box.arrived.set()

        def log_message(self, *words: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    box.url = f"json://127.0.0.1:{server.server_port}"
    yield box
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def _eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks follow each other at once."""
    monkeypatch.setattr(pace, "FIRST_SECONDS", 0.1)
    monkeypatch.setattr(pace, "MIN_SECONDS", 0.1)
    monkeypatch.setattr(pace, "SHARE", 1.0)
    monkeypatch.setattr(open_findings, "GROWTH", 0.0)


def wait_until(true: Callable[[], Any]) -> None:
    """Until something is so, which it should be soon."""
    end = time.monotonic() + 600
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)
