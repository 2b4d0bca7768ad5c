"""The pages in Firefox, driven by WebDriver BiDi; skipped where there is none."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from runvitals.server.pages import STATIC

from .conftest import HOSTILE

client = pytest.importorskip("websockets.sync.client", reason="pip install websockets")

PATIENCE = 600.0  # seconds; a busy machine takes its time
Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Ask, list[str]]]:
    """A function that gives it commands, and what its console complained of."""
    found = shutil.which("firefox-esr") or shutil.which("firefox")
    if found is None or not (STATIC / "index.html").is_file():
        pytest.skip("no Firefox, or the page is not built")
    profile = str(tmp_path_factory.mktemp("profile"))
    command = [found, "--headless", "--no-remote", "--profile", profile]
    started = [*command, "--remote-debugging-port", "0"]
    with subprocess.Popen(started, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        addresses = (re.search(r"ws://\S+", line) for line in process.stderr)
        address = next(one.group() for one in addresses if one)
        complaints: list[str] = []
        with client.connect(f"{address}/session", max_size=None) as socket:

            def ask(method: str, **params: Any) -> Any:
                socket.send(
                    json.dumps(
                        {"id": (mine := time.monotonic_ns()), "method": method, "params": params}
                    )
                )
                while (told := json.loads(socket.recv(timeout=PATIENCE))).get("id") != mine:
                    if told["params"].get("level") == "error":
                        complaints.append(told["params"]["text"])
                assert told["type"] == "success", told
                return told["result"]

            ask("session.new", capabilities={})
            ask("session.subscribe", events=["log.entryAdded"])
            yield ask, complaints
        process.terminate()
        process.stderr.read()


def test_pages_are_drawn_and_nothing_complains(
    firefox: tuple[Ask, list[str]], address: str, runs: Path
) -> None:
    ask, complaints = firefox
    assert runs.is_dir()
    tab = ask("browsingContext.getTree")["contexts"][0]["context"]

    def comes_true(what: str) -> None:
        until = time.monotonic() + PATIENCE
        question = {"expression": what, "target": {"context": tab}, "awaitPromise": True}
        while not ask("script.evaluate", **question)["result"].get("value"):
            assert time.monotonic() < until, what
            time.sleep(0.1)

    def visit(page: str, *expected: str) -> None:
        ask("browsingContext.navigate", context=tab, url="about:blank", wait="complete")
        ask("browsingContext.navigate", context=tab, url=f"{address}{page}", wait="complete")
        for one in expected:
            comes_true(one)

    visit("#/runs", "document.querySelectorAll('a.name').length === 4")
    with urlopen(f"{address}api/runs") as answer:
        ids = {row["name"]: row["id"] for row in json.load(answer)["runs"]}
    drawn = "document.querySelectorAll('figure canvas').length > 0"
    visit(f"#/runs/{ids['sick']}", drawn, "document.body.innerText.includes('collapsed')")
    compared = "&".join(f"run={ids[name]}" for name in ("good-0", "good-1", "sick"))
    visit(f"#/compare?{compared}", drawn)
    visit(f"#/runs/{ids[HOSTILE]}/samples", "document.querySelectorAll('td.text').length > 0")
    visit("#/rules", "document.querySelectorAll('li a').length > 50")
    assert complaints == []
