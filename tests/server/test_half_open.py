"""Connections that ask for nothing, or never finish asking."""

from __future__ import annotations

import socket
import subprocess
import sys
import urllib.request

import pytest

SERVER = """
import sys
from pathlib import Path
from runvitals.server import idle_connections
idle_connections.REQUEST_SECONDS = float(sys.argv[2])
from runvitals.server.early_page import open_doorway
from runvitals.server.listening import listen, run
listening = listen("127.0.0.1", 0)
app = open_doorway([Path(sys.argv[1])], None, hosts=["127.0.0.1"], workers=0)
print(listening.getsockname()[1], flush=True)
run(app, listening)
"""


@pytest.fixture
def serve(tmp_path):
    begun = []

    def start(seconds):
        process = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(tmp_path), str(seconds)],
            stdout=subprocess.PIPE,
            text=True,
        )
        begun.append(process)
        return int(process.stdout.readline())

    yield start
    for process in begun:
        process.terminate()
        process.wait(300)


def answers(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=600) as page:
        return page.status == 200


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=600)


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: 127.0"], ids=["mute", "half"])
def test_a_connection_that_does_not_ask_is_closed(serve, said):
    port = serve(0.3)
    with connect(port) as connection:
        connection.sendall(said)

        assert connection.recv(1000) == b""  # closed by the server


def test_a_thousand_of_them_shut_nobody_out(serve):
    port = serve(600.0)
    connections = []
    try:
        for i in range(1100):
            connections.append(connect(port))
            if i % 2:
                connections[-1].sendall(b"GET / HT")

        assert answers(port)
    finally:
        for connection in connections:
            connection.close()


def test_one_that_goes_on_asking_is_kept(serve):
    port = serve(600.0)
    with connect(port) as connection:
        for _ in range(3):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(1)
            assert head.startswith(b"HTTP/1.1 200")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            while length:
                length -= len(connection.recv(length))
