"""Write docs/pictures: the dashboard over runs that are trained here for it, in a minute or two.

python -m benchmarks.dashboard.pictures
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from runvitals.lab.running import Case, run_case
from runvitals.server.app import create_app

DOCS = Path(__file__).parents[2] / "docs" / "pictures"
FLAGS = ["--no-sandbox", "--disable-gpu"]
COLOURS = 256
PATIENCE = 300.0  # seconds until all runs are judged
SEEDS = range(3)
CASES = (
    Case("ppo", "cartpole"),
    Case("ppo", "cartpole", fault="lr-jump"),
    Case("dqn", "cartpole", fault="lr-zero"),
    Case("sft", "addition"),
    Case("dpo", "sorting", fault="swapped"),
    *(Case("grpo", "sorting", seed) for seed in SEEDS),
    *(Case("grpo", "sorting", seed, fault="lr-x100") for seed in SEEDS),
    Case("grpo", "sorting", fault="format-over-correctness"),
    Case("grpo", "sorting", fault="lr-x100", onset=0.4),
)
SICK = CASES[-1].name


@dataclass(frozen=True)
class Shot:
    """A picture: where the page is, how large, and what to do before."""

    name: str
    address: str
    width: int = 1400
    height: int = 860
    theme: str = "light"
    before: Callable[[Page], object] = lambda page: page.wait_for_selector("a.name")


def main() -> None:
    """Train, serve, look."""
    DOCS.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        for case in CASES:
            print(case.name, flush=True)
            run_case(case, folder, console=False, tensorboard=False, judge=False)
        with serving(Path(folder)) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium") or shutil.which("google-chrome"),
                args=FLAGS,
            )
            ids = judged(browser.new_page(), address)
            for shot in shots(ids):
                take(browser, address, shot)
            browser.close()


def shots(ids: dict[str, str]) -> Iterator[Shot]:
    """What docs/pictures shows."""
    seeds = [ids[case.name] for case in CASES if case.trainer == "grpo" and not case.onset][:6]
    compared = "&".join(f"run={id}" for id in seeds)
    yield Shot("runs-light", "#/runs?sort=verdict", height=760)
    yield Shot("run-dark", f"#/runs/{ids[SICK]}", height=1480, theme="dark", before=drawn)
    yield Shot("compare", f"#/compare?{compared}&group_by=learning_rate", height=1100, before=drawn)
    yield Shot("phone", f"#/runs/{ids[SICK]}", 390, 844, before=drawn)


def drawn(page: Page) -> None:
    """Wait for a chart, and until nothing more is fetched."""
    page.wait_for_selector(".plot canvas")
    page.wait_for_load_state("networkidle")


def take(browser: Any, address: str, shot: Shot) -> None:
    """One picture, with as few colours as do not show."""
    narrow = shot.width < 500
    context = browser.new_context(
        viewport={"width": shot.width, "height": shot.height},
        color_scheme=shot.theme,
        device_scale_factor=2 if narrow else 1,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(address + shot.address)
    shot.before(page)
    page.wait_for_timeout(500)
    file = DOCS / f"{shot.name}.png"
    with Image.open(BytesIO(page.screenshot())) as picture:
        picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"{file}: {file.stat().st_size / 1000:.0f} kB")
    context.close()


def judged(page: Page, address: str) -> dict[str, str]:
    """The runs by name, once all of them have their verdict."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        told = page.request.get(f"{address}api/runs").json()
        if len(told["runs"]) == len(CASES) and all(row["verdict"] for row in told["runs"]):
            return {row["name"]: row["id"] for row in told["runs"]}
        time.sleep(0.3)
    raise TimeoutError("the runs were not judged in time")


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a dashboard over a folder."""
    config = uvicorn.Config(create_app([folder], workers=1), port=0, log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    server.should_exit = True
    thread.join()


if __name__ == "__main__":
    main()
