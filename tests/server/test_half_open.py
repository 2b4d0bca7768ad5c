"""Connections that ask for nothing, or never finish asking."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.server.conftest import until

from runvitals.server.listening import Limited

SERVER = """
import sys
from pathlib import Path
from runvitals.server import listening
listening.REQUEST_SECONDS = float(sys.argv[2])
from runvitals.server.early_page import open_doorway
from runvitals.server.address import listen
from runvitals.server.listening import run
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


def first_run(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/runs", timeout=600) as listed:
        return next(iter(json.loads(listed.read())["runs"]), None)


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=600)


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: 127.0"], ids=["mute", "half"])
def test_a_connection_that_does_not_ask_is_closed(serve, said):
    port = serve(0.3)
    with connect(port) as connection:
        connection.sendall(said)
        told = b"".join(iter(lambda: connection.recv(1000), b""))  # until the server closes it

    assert told.startswith(b"HTTP/1.1 503 ")
    assert b"Retry-After: 1" in told


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


BURST = """
import asyncio, collections, json, resource, sys
port, count = int(sys.argv[1]), int(sys.argv[2])
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
async def ask(everybody):
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await everybody.wait()  # all are connected before anybody asks
        writer.write(b"GET /api/about HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n\\r\\n")
        answer = await reader.read()
        writer.close()
    except OSError as error:
        return type(error).__name__
    return answer[9:12].decode() or "closed"
async def main():
    everybody = asyncio.Barrier(count)
    answers = await asyncio.gather(*(ask(everybody) for _ in range(count)))
    print(json.dumps(collections.Counter(answers)))
asyncio.run(main())
"""


def test_all_who_ask_at_once_are_answered(serve):
    port = serve(600.0)
    words = [sys.executable, "-c", BURST, str(port), "400"]

    done = subprocess.run(words, capture_output=True, text=True, timeout=1200)

    told = json.loads(done.stdout)
    assert told["200"] + told.get("503", 0) == 400, done.stderr  # 503: they were slow to ask


def test_too_many_at_once_are_asked_to_come_back():
    answered = asyncio.Event()

    async def slow(scope, receive, send):
        await answered.wait()

    async def asked():
        limited, told = Limited(slow, most=1), []

        async def send(message):
            told.append(message)

        first = asyncio.create_task(limited({"type": "http"}, None, send))
        await asyncio.sleep(0)
        await limited({"type": "http"}, None, send)
        answered.set()
        await first
        await limited({"type": "http"}, None, send)
        return told

    with ThreadPoolExecutor(1) as pool:  # tests in a browser leave a loop running in this thread
        head, body = pool.submit(lambda: asyncio.run(asked())).result()

    assert head["status"] == 503
    assert (b"retry-after", b"1") in head["headers"]
    assert b"too many requests" in body["body"]


def test_an_answer_that_nobody_reads_leaves_room_for_others():
    read = asyncio.Event()

    async def app(scope, receive, send):
        await send(scope["name"])

    async def asked():
        limited, told = Limited(app, most=1), []

        async def send(message):
            told.append(message)
            if message == "slow":
                await read.wait()

        slow = asyncio.create_task(limited({"type": "http", "name": "slow"}, None, send))
        await asyncio.sleep(0)
        await limited({"type": "http", "name": "quick"}, None, send)
        read.set()
        await slow
        return told

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: asyncio.run(asked())).result() == ["slow", "quick"]


def test_readers_who_do_not_read_keep_nobody_waiting(serve, tmp_path):
    (tmp_path / "run").mkdir()
    rows = "".join(f"{step},{step * 0.1}\n" for step in range(300_000))
    (tmp_path / "run" / "progress.csv").write_text("step,loss\n" + rows)
    port = serve(600.0)
    run = until(lambda: first_run(port))
    address = f"/api/runs/{run['id']}/series?name=loss&buckets=5000"
    slow = []
    try:
        for _ in range(60):  # more than there are threads that answer
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            connection.connect(("127.0.0.1", port))
            connection.sendall(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() * 20)
            slow.append(connection)

        assert answers(port)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{address}", timeout=600) as page:
            assert len(page.read()) > 10_000
    finally:
        for connection in slow:
            connection.close()
