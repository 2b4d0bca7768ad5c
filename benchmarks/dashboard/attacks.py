"""What a crowd, hostile SQL and links between projects do to the dashboard and to queries."""

from __future__ import annotations

import asyncio
import collections
import json
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import duckdb

import runvitals as rv
from runvitals.fleet.cache import RunCache
from runvitals.index.asking import asking
from runvitals.index.local import LocalTables
from runvitals.model import RunvitalsError
from runvitals.remote.mirror import fetch_listed
from runvitals.server.scopes import TokenHolder
from runvitals.server.work.dashboard import Dashboard
from runvitals.store.clickhouse.connection import LOCK_FILE

QUERIES = Path(__file__).parents[2] / "tests" / "index" / "queries"
SECRET = "the-secret-of-the-house"
QUIET = {"console": False, "tensorboard": False, "system": False, "judge": False}
_SERVER = """
import sys
from pathlib import Path
from runvitals.server.early_page import open_doorway
from runvitals.server.address import listen
from runvitals.server.listening import run
listening = listen("127.0.0.1", 0)
app = open_doorway([Path(sys.argv[1])], None, hosts=["127.0.0.1"], workers=0)
print(listening.getsockname()[1], flush=True)
run(app, listening)
"""


def burst(count: int) -> dict[str, int]:
    """So many requests at the same moment: how many had each status, were closed or were reset."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", _SERVER, folder]
        server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline())
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/about"):
                pass  # it is up
            return dict(collections.Counter(asyncio.run(_ask_together(port, count))))
        finally:
            server.kill()
            server.communicate()


async def _ask_together(port: int, count: int) -> list[str]:
    everybody = asyncio.Barrier(count)

    async def ask() -> str:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            await everybody.wait()
            head = "GET /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
            writer.write(head.encode())
            answer = await reader.read()
            writer.close()
        except OSError:
            return "reset"
        return answer[9:12].decode() or "reset"

    return list(await asyncio.gather(*(ask() for _ in range(count))))


def hostile_queries(count: int) -> tuple[int, list[str]]:
    """How many queries were tried, and those that were answered or left something behind."""
    passed = []
    lines = (QUERIES / "hostile.sql").read_text().splitlines()
    queries = [line.replace("⏎", "\n") for line in lines if line and not line.startswith("#")]
    with tempfile.TemporaryDirectory() as name, socket.create_server(("127.0.0.1", 0)) as port:
        secret, out = Path(name) / "secret.txt", Path(name) / "out"
        secret.write_text(SECRET)
        out.mkdir()
        port.setblocking(False)
        file, other = Path(name) / "tables.duckdb", Path(name) / "other.duckdb"
        (Path(name) / LOCK_FILE).touch()
        for made in (file, other):
            with duckdb.connect(str(made)) as connection:
                LocalTables(connection).create()
        with asking(file) as index:
            for query in queries[:count]:
                for word, value in (
                    ("secret", secret),
                    ("other", other),
                    ("out", out),
                    ("port", port.getsockname()[1]),
                ):
                    query = query.replace(f"{{{word}}}", str(value))
                try:
                    index.answer(query)
                except RunvitalsError as error:
                    if SECRET in str(error):
                        passed.append(query)
                else:
                    passed.append(query)
        if secret.read_text() != SECRET or list(out.iterdir()) or _was_called(port):
            passed.append("something was written or called")
    return len(queries[:count]), passed


def _was_called(port: socket.socket) -> bool:
    try:
        port.accept()
    except BlockingIOError:
        return False
    return True


def links() -> tuple[int, list[str]]:
    """How many links and references into another project were tried, and those that were followed."""
    from starlette.testclient import TestClient

    from runvitals.server.app import app_over

    with tempfile.TemporaryDirectory() as root, socket.create_server(("127.0.0.1", 0)) as port:
        top = Path(root)
        port.setblocking(False)
        for folder in ("alpha/own", "gamma/run1", "gamma/alpha/run9"):
            name = "mine" if folder == "alpha/own" else SECRET
            with rv.init(folder=top / folder, name=name, **QUIET) as run:
                for step in range(100):
                    run.log({name: 1.0}, step=step)
                run.log_samples([{"prompt": name, "reward": 1.0}], step=0)
        for part in ("points", "samples", "run.json"):
            linked = top / "alpha" / f"linked-{part}"
            linked.mkdir()
            for one in (top / "gamma" / "run1").iterdir():
                if one.name in ("points", "samples", "run.json"):
                    place = one if one.name == part else top / "alpha" / "own" / one.name
                    (linked / one.name).symlink_to(place)
        _refer(top, f"clickhouse://127.0.0.1:{port.getsockname()[1]}/db")
        (top / "alpha" / "whole").symlink_to(top / "gamma" / "run1")
        (top / "alpha" / "project").symlink_to(top / "gamma")
        readers = (
            TokenHolder("alice", "alice-token", ("alpha",)),
            TokenHolder("all", "all-tokens", ("*",)),
        )
        dashboard = Dashboard([top], RunCache(None), 0, bring=fetch_listed)
        dashboard.library.scan()
        with TestClient(app_over(dashboard, readers=readers), base_url="http://localhost") as site:
            everything = {"Authorization": "Bearer all-tokens"}
            alice = {"Authorization": "Bearer alice-token"}
            runs = site.get("/api/runs", headers=everything).json()["runs"]
            told = {
                run["path"]: site.get(f"/api/runs/{run['id']}", headers=alice).text for run in runs
            }
        followed = [path for path, text in told.items() if SECRET in text]
        return len(runs) - 1, followed + ["an index was asked"] * _was_called(port)


def _refer(top: Path, url: str) -> None:
    """Runs that say their points lie in another project, in a bucket or in an index."""
    other = (top / "gamma" / "run1").as_uri()
    indexed = {"url": url, "run": "gamma/run1", "version": 1}
    table, index = "points/rank0.parquet", "points/index.json"
    for name, said in (
        (table, {"format": "runvitals-elsewhere/1", "url": f"{other}/{table}", "size": 1}),
        (table, {"format": "runvitals-elsewhere/2", "url": f"{other}/{table}", "size": 1}),
        (index, {"format": "runvitals-indexed/1", **indexed}),
        (index, {"format": "runvitals-indexed/2", **indexed}),
        (".listed.json", {"from": top.as_uri(), "key": "gamma/run1"}),
    ):
        folder = top / "alpha" / f"refers-{name.replace('/', '-')}-{said.get('format', '')[-1:]}"
        shutil.copytree(top / "alpha" / "own", folder)
        (folder / name).write_text(json.dumps(said, separators=(",", ":")))
