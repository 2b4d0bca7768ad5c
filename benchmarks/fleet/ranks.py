"""One run of many ranks, one of them slow: how long its tables and its charts take.

    python -m benchmarks.fleet.ranks [--ranks 1024] [--metrics 20] [--rows 1000] [--picture FILE]

Reading: opening the run and taking one metric of every rank, from a table for each rank and from the
merged one. Dashboard: `runvitals serve` in a process of its own over the merged run, asked for the page
of the run and for the chart with the slow rank; `--picture` saves that chart as Chromium shows it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import numpy as np

from benchmarks.dashboard.servers import free_port, started
from runvitals.model import RowBlock
from runvitals.store.compact import compact
from runvitals.store.layout import Segment
from runvitals.store.merged import drop_replaced, merge_tables
from runvitals.store.reader import open_folder
from runvitals.store.writer import PointWriter

SLOW = 1.6  # times as long as the others
STEP = "time/step_s"


def write(folder, ranks, metrics, rows):
    """The folder of a run that has ended; the rank in the middle is slow. Returns that rank."""
    rng = np.random.default_rng(0)
    names = (STEP, *(f"train/metric_{i:03}" for i in range(metrics - 1)))
    (folder / "points").mkdir(parents=True)
    told = {"format": "runvitals-run/1", "id": "many", "name": "many", "status": "finished"}
    (folder / "run.json").write_text(json.dumps({**told, "started": 1e9, "ended": 1e9 + rows}))
    steps = np.arange(rows)
    for rank in range(ranks):
        values = rng.normal(1.0, 0.03, (rows, metrics))
        values[:, 0] *= SLOW if rank == ranks // 2 else 1.0
        writer = PointWriter(folder, Segment(rank))
        writer.write([RowBlock(names, steps, 1e9 + steps, values, rank)])
        writer.close()
        compact(folder, Segment(rank))
    return ranks // 2


def reading(folder):
    """Seconds to open a run, and to take one metric of every rank then."""
    begin = time.perf_counter()
    points = open_folder(folder).points
    opened = time.perf_counter() - begin
    begin = time.perf_counter()
    total = sum(len(points.column(STEP, rank)[2]) for rank in points.ranks(STEP))
    return opened, time.perf_counter() - begin, total


def timed(url):
    """Seconds, and what came."""
    begin = time.perf_counter()
    with urlopen(url, timeout=300) as answer:
        body = answer.read()
    return time.perf_counter() - begin, body


def dashboard(folder, slow, picture):
    """Print how long the page of the run and its chart with the slow rank take."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    serve = ["-m", "runvitals.cli.main", "serve", str(folder), "--port", str(port), "--no-open"]
    with started([sys.executable, *serve], port):
        [run] = json.loads(timed(f"{base}/api/runs")[1])["runs"]
        first, _ = timed(f"{base}/api/runs/{run['id']}")
        while True:
            page, body = timed(f"{base}/api/runs/{run['id']}")
            detail = json.loads(body)
            if detail.get("verdict"):
                break
            time.sleep(0.5)
        [chart] = [one for one in detail["charts"] if one["key"] == STEP]
        shown = [one["rank"] for one in chart["names"] if one["rank"] is not None]
        asked = "&".join(f"name={quote(one['key'], safe='')}" for one in chart["names"])
        url = f"{base}/api/runs/{run['id']}/series?{asked}"
        cold = timed(url)[0]
        warm = statistics.median(timed(f"{url}&buckets={n}")[0] for n in (600, 599, 598, 597, 596))
        told = [f["message"] for f in detail["findings"] if f["code"] == "LOAD002"]
        print(f"page of the run: {first:.2f} s before it was judged, {page:.2f} s after")
        print(f"chart of {STEP}: {1000 * cold:.0f} ms at first, {1000 * warm:.0f} ms then")
        print(f"LOAD002: {told}; ranks in the chart: {shown}; the slow one: {slow in shown}")
        if picture:
            _picture(f"{base}/#/runs/{run['id']}", picture)


def _picture(url, path):
    from benchmarks.dashboard.browser import Visit, chromium

    with chromium() as browser:
        page = Visit(browser).page
        page.goto(url)
        frame = page.locator(f"[id='chart-{STEP}']")
        frame.scroll_into_view_if_needed()
        frame.locator("canvas").first.wait_for()
        page.wait_for_timeout(1000)
        page.screenshot(path=path)


def main():
    """Write the run, read it both ways, show it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--metrics", type=int, default=20)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--picture", default="")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top) / "runs" / "p" / "many"
        slow = write(folder, given.ranks, given.metrics, given.rows)
        for how in ("a table for each rank", "one table for all"):
            if how == "one table for all":
                begin = time.perf_counter()
                merge_tables(folder)
                drop_replaced(folder)
                seconds = time.perf_counter() - begin
                points = given.ranks * given.metrics * given.rows
                print(f"merging: {seconds:.1f} s, {points / seconds / 1e6:.1f} M points/s")
            opened, read, total = reading(folder)
            print(f"{how}: opened in {opened:.2f} s, {total:,} points of {STEP} in {read:.3f} s")
        dashboard(Path(top) / "runs", slow, given.picture)


if __name__ == "__main__":
    main()
