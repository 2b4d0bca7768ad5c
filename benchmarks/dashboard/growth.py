"""What a server holds while pages watch a run that goes on: memory and files per minute, and per point.

    python -m benchmarks.dashboard.growth [--minutes 30] [--viewers 5] [--rows 7] [--metrics 60]

A process records rows at a steady pace, `runvitals serve` runs in a process of its own, and each viewer
does what a page does: listens for news and, when there are new points, fetches the run and its charts
anew. A point is 24 bytes of step, time and value, of which metrics that are logged together share 16.
The processes that judge are weighed by themselves.

All are weighed twice a second: resident memory and, of that, what is anonymous, which no file backs. A
line gives the median of the seconds since the line before and, behind a slash, the most. The figures at
the end are of the time after the warm-up: by then everything that is made once is there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

from benchmarks.dashboard.servers import OURS, compiled, free_port, started
from benchmarks.reading.event_files import METRICS

SHOWN = 24  # series on the screen of one viewer
RECORD = """
import sys, time
import numpy as np
import runvitals as rv
folder, names, pace = sys.argv[1], sys.argv[2].split(","), float(sys.argv[3])
rng = np.random.default_rng(0)
run = rv.init("bench", "live", dir=folder, console=False, tensorboard=False, system=False, judge=False)
begun, step = time.monotonic(), 0
while True:
    step += 1
    run.log(dict(zip(names, rng.normal(1.0, 0.1, len(names)).tolist())), step=step)
    time.sleep(max(0.0, begun + step / pace - time.monotonic()))
"""


class Viewer:
    """A page that is left open."""

    def __init__(self, url: str, number: int) -> None:
        self._url, self._number = url, number
        self.answers = 0
        self.errors: list[str] = []
        self.stopped = False
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self) -> None:
        with httpx.Client(base_url=self._url, timeout=120) as client:
            while not self.stopped:
                try:
                    self._listen(client)
                except httpx.HTTPError as error:
                    if not self.stopped:
                        self.errors.append(repr(error))
                        time.sleep(1)

    def _listen(self, client: httpx.Client) -> None:
        run = client.get("/api/runs").json()["runs"][0]["id"]
        with client.stream("GET", "/api/events") as stream:
            for event in _events(stream):
                if self.stopped:
                    return
                if event["type"] == "points":
                    self._look(client, run)
                elif event["type"] == "runs":
                    self._get(client, "/api/runs")

    def _look(self, client: httpx.Client, run: str) -> None:
        detail = self._get(client, f"/api/runs/{run}").json()
        keys = [name["key"] for chart in detail["charts"] for name in chart["names"]]
        first = self._number * 7 % max(1, len(keys) - SHOWN)
        self._get(client, f"/api/runs/{run}/series", name=keys[first : first + SHOWN])

    def _get(self, client: httpx.Client, path: str, **params: Any) -> httpx.Response:
        response = client.get(path, params=params)
        response.raise_for_status()
        self.answers += 1
        return response


def _events(stream: httpx.Response) -> Iterator[dict[str, Any]]:
    for line in stream.iter_lines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def memory_of(process: psutil.Process) -> tuple[int, int]:
    """Resident and anonymous bytes of a process."""
    said = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in said}
    return 1024 * kilobytes["Rss"], 1024 * kilobytes["Anonymous"]


class Scales:
    """Weighs a server and the processes that it started, again and again."""

    def __init__(self, pid: int) -> None:
        self._server = psutil.Process(pid)
        self.weighed: list[dict[str, int]] = []

    def weigh_for(self, seconds: float) -> dict[str, tuple[float, float]]:
        """Median and maximum of what was weighed, by who and what."""
        until = time.monotonic() + seconds
        found: list[dict[str, int]] = []
        while time.monotonic() < until:
            found.append(self._weigh())
            time.sleep(0.5)
        return {
            key: (float(np.median([one[key] for one in found])), float(max(o[key] for o in found)))
            for key in found[0]
        }

    def _weigh(self) -> dict[str, int]:
        server, judges = memory_of(self._server), [0, 0]
        for child in self._server.children(recursive=True):
            with suppress(psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
                for place, count in enumerate(memory_of(child)):
                    judges[place] += count
        return {
            "server resident": server[0],
            "server anonymous": server[1],
            "judges resident": judges[0],
            "judges anonymous": judges[1],
            "files": self._server.num_fds(),
            "threads": self._server.num_threads(),
        }


WEIGHED = ("server resident", "server anonymous", "judges resident", "judges anonymous")


def slope(x: list[float], y: list[float]) -> float:
    return float(np.polyfit(x, y, 1)[0]) if len(x) > 1 else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--viewers", type=int, default=5)
    parser.add_argument("--rows", type=float, default=7.0, help="a second")
    parser.add_argument("--metrics", type=int, default=60)
    parser.add_argument("--every", type=float, default=60.0, help="seconds between two lines")
    parser.add_argument("--warm-up", type=float, default=5.0, help="minutes that do not count")
    options = parser.parse_args()
    names = [f"train/{METRICS[i % len(METRICS)]}_{i:03}" for i in range(options.metrics)]
    with tempfile.TemporaryDirectory() as name:
        folder, cache = Path(name) / "runs", Path(name) / "cache"
        folder.mkdir()
        recording = subprocess.Popen(
            [sys.executable, "-c", RECORD, str(folder), ",".join(names), str(options.rows)]
        )
        try:
            _watched(options, folder, cache)
        finally:
            recording.terminate()
            recording.wait()


def _watched(options: argparse.Namespace, folder: Path, cache: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {**compiled(f"{cache}/code", *OURS), "XDG_CACHE_HOME": str(cache)}
    command = [sys.executable, "-m", "runvitals.cli.main", "serve", str(folder)]
    command += ["--port", str(port), "--no-open"]
    with started(command, port, environment) as server:
        with httpx.Client(base_url=url, timeout=120) as client:
            while not client.get("/api/runs").json()["runs"]:
                time.sleep(0.2)
            viewers = [Viewer(url, number) for number in range(options.viewers)]
            scales = Scales(server.pid)
            lines: list[dict[str, Any]] = []
            begun = time.monotonic()
            while (passed := (time.monotonic() - begun) / 60) < options.minutes:
                weighed = scales.weigh_for(options.every)
                points = client.get("/api/runs").json()["runs"][0]["points"]
                lines.append({"minutes": passed, "points": points, **weighed})
                said = "  ".join(
                    f"{key} {weighed[key][0] / 1e6:.1f}/{weighed[key][1] / 1e6:.1f}"
                    for key in WEIGHED
                )
                print(
                    f"{passed + options.every / 60:5.1f} min {points:>10,} points  {said} MB"
                    f"  {weighed['files'][1]:.0f} files  {weighed['threads'][1]:.0f} threads"
                    f"  {sum(viewer.answers for viewer in viewers):,} answers"
                    f"  {sum(len(v.errors) for v in viewers)} errors",
                    flush=True,
                )
        for viewer in viewers:
            viewer.stopped = True
    _tell([line for line in lines if line["minutes"] >= options.warm_up] or lines)


def _tell(lines: list[dict[str, Any]]) -> None:
    points = [line["points"] for line in lines]
    passed = lines[-1]["minutes"] - lines[0]["minutes"]
    for key in WEIGHED:
        for place, what in enumerate(("median", "most")):
            grown = slope(points, [line[key][place] for line in lines])
            print(
                f"{key}, {what}: {grown:.2f} bytes for each new point, "
                f"{grown * (points[-1] - points[0]) / 1e6:.2f} MB in {passed:.0f} minutes"
            )


if __name__ == "__main__":
    main()
