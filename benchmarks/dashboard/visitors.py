"""What a person does in each of the two pages, and what each was sent of the spikes."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path
from typing import Protocol

import numpy as np

from benchmarks.dashboard.browser import Visit
from benchmarks.dashboard.logs import HEIGHT
from benchmarks.dashboard.servers import OURS

RELOAD_AFTER = 10.0  # seconds
RELOADS = 6


class Rival(Protocol):
    name: str
    modules: tuple[str, ...]  # that an installation compiles

    def command(self, logs: Path, port: int) -> list[str]: ...

    def first_chart(self, visit: Visit, address: str) -> float:
        """Open the page and go to a run; when its first line is drawn."""

    def leave(self, visit: Visit) -> None:
        """Leave the run."""

    def show_run(self, visit: Visit, index: int) -> float:
        """Go to another run; when its first line is drawn."""

    def spikes(self, visit: Visit) -> int:
        """How many spikes are in the first series that the page was sent."""


class Runvitals:
    name = "runvitals"
    modules = OURS
    chart = ".uplot canvas"
    row = "[role=row] a.name"

    def command(self, logs: Path, port: int) -> list[str]:
        words = ["serve", str(logs), "--port", str(port), "--no-open"]
        return [sys.executable, "-m", "runvitals.cli.main", *words]

    def first_chart(self, visit: Visit, address: str) -> float:
        visit.page.goto(address, wait_until="commit")
        visit.page.wait_for_selector(f"{self.row}, {self.chart}")
        if visit.page.locator(self.chart).count():  # one run alone is shown at once
            return visit.wait_for_line(self.chart)
        return self.show_run(visit, 0)

    def leave(self, visit: Visit) -> None:
        visit.page.evaluate("location.hash = '#/runs'")
        visit.page.wait_for_selector(self.row)

    def show_run(self, visit: Visit, index: int) -> float:
        visit.page.locator(self.row).nth(index).click()
        return visit.wait_for_line(self.chart)

    def spikes(self, visit: Visit) -> int:
        body = next(one for one in visit.answers if "/series?" in one.url).body()
        length = struct.unpack("<I", body[4:8])[0]
        [first, *_] = json.loads(body[8 : 8 + length])["series"]
        key = "value" if first["raw"] else "high"
        [array] = [array for array in first["arrays"] if array["key"] == key]
        offset = 8 + length + array["offset"]
        values = np.frombuffer(body, array["dtype"], array["length"], offset)
        return int((values > HEIGHT / 2).sum())


class TensorBoard:
    name = "TensorBoard"
    modules = ("tensorboard.main",)
    chart = "card-view canvas"
    row = "runs-data-table mat-checkbox"  # the first is for all

    def command(self, logs: Path, port: int) -> list[str]:
        words = ["--logdir", str(logs), "--port", str(port), "--host", "127.0.0.1"]
        return [sys.executable, "-m", "tensorboard.main", *words]

    def first_chart(self, visit: Visit, address: str) -> float:
        visit.page.goto(address, wait_until="commit")
        for _ in range(
            RELOADS
        ):  # a page that was opened before anything was read does not ask again
            if (drawn := visit.line_within(RELOAD_AFTER, self.chart)) is not None:
                return drawn
            visit.answers.clear()  # a reloaded page has lost their bodies
            visit.page.reload(wait_until="commit")
        return visit.wait_for_line(self.chart)

    def leave(self, visit: Visit) -> None:
        visit.page.locator(self.row).first.click()
        visit.wait_for_line(self.chart, gone=True)

    def show_run(self, visit: Visit, index: int) -> float:
        visit.page.locator(self.row).nth(1 + index).click()
        return visit.wait_for_line(self.chart)

    def spikes(self, visit: Visit) -> int:
        answer = next(one for one in visit.answers if one.url.endswith("/timeSeries"))
        [series, *_] = json.loads(answer.text())[0]["runToSeries"].values()
        return sum(point["value"] > HEIGHT / 2 for point in series)
