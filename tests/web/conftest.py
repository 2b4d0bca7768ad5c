"""A real server and a real browser over runs recorded for the purpose."""

from __future__ import annotations

import math
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
import uvicorn

import runvitals as rv
from runvitals.server.app import create_app
from runvitals.server.pages import STATIC

sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")

FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update"
).split()
HOSTILE = '<script>window.hit=1</script><img src=x onerror="window.hit=1">'
QUIET = {"console": False, "tensorboard": False, "system": False, "judge": False}


@contextmanager
def serving(*roots: Path, port: int = 0, write: bool = False) -> Iterator[str]:
    """The address of a dashboard over some folders."""
    config = uvicorn.Config(
        create_app(roots, workers=0, write=write),
        port=port,
        log_level="warning",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    at = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{at}/"
    server.should_exit = True
    thread.join()


def _do_without(what: str) -> NoReturn:
    """Skip, but not where everything was promised to be there."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, if there is one and the page was built."""
    if not (STATIC / "index.html").is_file():
        _do_without("the page is not built: make web")
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        _do_without("no Chromium: install Debian's chromium or Google Chrome")
    sync_api.expect.set_options(timeout=600_000)  # a busy machine takes its time
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seeds that learn, one run that collapses, one that means harm."""
    folder = tmp_path_factory.mktemp("runs")
    for seed in (0, 1):
        record(folder, f"good-{seed}", {"learning_rate": 3e-4, "seed": seed}, _rising)
    record(folder, "sick", {"learning_rate": 0.003, "seed": 0}, _collapsing)
    with rv.init("evil", HOSTILE, {HOSTILE: HOSTILE}, dir=folder, tags=[HOSTILE], **QUIET) as run:
        for step in range(60):
            run.log({HOSTILE: math.nan if step % 9 == 0 else step, "eval/return": step}, step=step)
        run.log_samples([{"prompt": HOSTILE, "completion": HOSTILE, "reward": 1.0}], step=3)
    return folder


def record(
    folder: Path, name: str, config: dict[str, Any], outcome: Callable[[int], float]
) -> None:
    """Record a run of 200 updates."""
    noise = np.random.default_rng(0).normal(0, 0.5, 200)
    with rv.init("lab", name, config, dir=folder, algorithm="ppo", **QUIET) as run:
        for step in range(200):
            run.log(
                {"outcome/return_mean": outcome(step) + noise[step], "policy/entropy": 1.0},
                step=step,
            )


def _rising(step: int) -> float:
    return 100 * math.tanh(step / 60)


def _collapsing(step: int) -> float:
    return _rising(step) if step < 120 else 0.0


@pytest.fixture(scope="session")
def address(runs: Path) -> Iterator[str]:
    """A dashboard over the recorded runs."""
    with serving(runs) as at:
        yield at


@pytest.fixture
def serve() -> Iterator[Callable[[Path], str]]:
    """Dashboards over further folders; they outlive the pages that look at them."""
    with ExitStack() as stack:
        yield lambda folder: stack.enter_context(serving(folder))


@pytest.fixture
def open_page(browser: Any, serve: object) -> Iterator[Callable[..., Any]]:
    """Open pages of any size; afterwards none of them may have complained."""
    complaints: list[str] = []
    with ExitStack() as stack:

        def begin(at: str, width: int = 1300, height: int = 900, **more: Any) -> Any:
            context = browser.new_context(viewport={"width": width, "height": height}, **more)
            stack.callback(context.close)
            context.set_default_timeout(600_000)
            page = context.new_page()
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("console", lambda told: told.type == "error" and complaints.append(told.text))
            page.goto(at)
            return page

        yield begin
    assert complaints == []
