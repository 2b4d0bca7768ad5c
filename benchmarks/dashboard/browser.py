"""A real Chromium that says when a line was drawn, and how many bytes it was sent until then."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, Response, sync_playwright

FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update"
).split()
SIZE = {"width": 1400, "height": 900}
PATIENCE = 180.0  # seconds
STEP_MS = 20

# Copies every canvas that lies in a chart and looks for pixels with a colour: lines have one, axes
# and grids have none. The same for both pages, and for canvases that a worker paints.
PROBE = """
window.paintedLines = (selector) => {
  const copy = new OffscreenCanvas(120, 60).getContext('2d', { willReadFrequently: true });
  for (const canvas of document.querySelectorAll(selector)) {
    if (!canvas.width || !canvas.height) continue;
    copy.clearRect(0, 0, 120, 60);
    copy.drawImage(canvas, 0, 0, 120, 60);
    const pixels = copy.getImageData(0, 0, 120, 60).data;
    let coloured = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      const r = pixels[i], g = pixels[i + 1], b = pixels[i + 2];
      if (pixels[i + 3] > 40 && Math.max(r, g, b) - Math.min(r, g, b) > 25) coloured += 1;
    }
    if (coloured > 60) return true;
  }
  return false;
};
"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, started before anything is timed."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        raise SystemExit("no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """A page in a fresh profile: nothing is cached."""

    def __init__(self, browser: Browser) -> None:
        self._context = browser.new_context(viewport=SIZE)
        self.page: Page = self._context.new_page()
        self.page.add_init_script(PROBE)
        self.answers: list[Response] = []
        self.bytes = 0
        network = self._context.new_cdp_session(self.page)
        network.send("Network.enable")
        network.on("Network.loadingFinished", self._count)
        self.page.on("response", lambda answer: self.answers.append(answer))

    def _count(self, event: dict[str, Any]) -> None:
        self.bytes += int(event["encodedDataLength"])

    def wait_for_line(self, selector: str, *, gone: bool = False) -> float:
        """When a line is drawn in one of these canvases, on the clock of `time.perf_counter`."""
        if (drawn := self.line_within(PATIENCE, selector, gone=gone)) is None:
            raise SystemExit(f"nothing happened in {selector} for {PATIENCE:.0f} s")
        return drawn

    def line_within(self, seconds: float, selector: str, *, gone: bool = False) -> float | None:
        """The same; None if nothing happens in time."""
        deadline = time.perf_counter() + seconds
        while time.perf_counter() < deadline:
            if self.page.evaluate("s => window.paintedLines(s)", selector) != gone:
                return time.perf_counter()
            self.page.wait_for_timeout(STEP_MS)
        return None

    def close(self) -> None:
        """Forget all."""
        self._context.close()
