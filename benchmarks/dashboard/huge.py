"""The dashboard over a store of 100 million points: time to open it, time of any chart, memory.

    python -m benchmarks.dashboard.huge [--metrics 100] [--rows 1000000] [--live]

The run is written as the recorder writes it, in blocks of a second, and compacted as `finish` does;
with `--live` it is left as a stream, like a run that goes on or was killed. Then `runvitals serve`
is started over it in a process of its own and asked for every metric: the whole range, and parts of
it. All caches are empty, and the verdict is waited for.
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

from benchmarks.dashboard.servers import OURS, Memory, compiled, free_port, started
from benchmarks.reading.event_files import METRICS
from runvitals.model import RowBlock
from runvitals.store.compact import compact
from runvitals.store.layout import Segment
from runvitals.store.writer import PointWriter

BLOCK = 10_000
ZOOMS = (0.5, 0.1, 0.01, 0.001)  # shares of the range
NEAR = 20  # spikes of one step in each metric
HEIGHT = 1e3


def names_of(count):
    return tuple(f"train/{METRICS[i % len(METRICS)]}_{i:03}" for i in range(count))


def write(folder, metrics, rows, *, live):
    """The run, block by block; returns where its spikes stand."""
    rng = np.random.default_rng(0)
    names = names_of(metrics)
    spikes = np.sort(rng.choice(rows, NEAR, replace=False))
    (folder / "points").mkdir(parents=True)
    (folder / "run.json").write_text(
        json.dumps({"format": "runvitals-run/1", "id": "huge", "name": "huge", "started": 1e9})
    )
    writer = PointWriter(folder, Segment())
    for begin in range(0, rows, BLOCK):
        steps = np.arange(begin, min(begin + BLOCK, rows))
        values = rng.normal(1 + np.tanh(3 * steps[:, None] / rows), 0.1, (len(steps), metrics))
        values[np.isin(steps, spikes)] = HEIGHT
        writer.write([RowBlock(names, steps, 1e9 + steps / 100, values)])
    writer.close()
    if not live:
        compact(folder, Segment())
    return names


def asked(address):
    start = time.perf_counter()
    with urlopen(address, timeout=600) as answer:
        body = answer.read()
    return time.perf_counter() - start, body


def charts(address, names, rows):
    """Seconds of each chart by what part of the range it shows."""
    rng = np.random.default_rng(1)
    taken: dict[str, list[float]] = {}
    for share in (1.0, 1.0, *ZOOMS):
        label = "whole range" if share == 1.0 else f"{share:.1%} of the range"
        label = "whole range, again" if label in taken else label
        for name in names:
            begin = rng.uniform(0, 1 - share) * rows
            part = "" if share == 1.0 else f"&from={begin:.0f}&to={begin + share * rows:.0f}"
            seconds, body = asked(f"{address}/series?name={quote(name, safe='')}{part}")
            taken.setdefault(label, []).append(seconds)
            assert body[:4] == b"RVS1"
    return taken


def measure(folder, names, rows):
    port = free_port()
    with tempfile.TemporaryDirectory() as cache:
        environment = {**compiled(f"{cache}/code", *OURS), "XDG_CACHE_HOME": cache}
        command = [sys.executable, "-m", "runvitals.cli.main", "serve", str(folder), "--no-open"]
        begun = time.perf_counter()
        with started([*command, "--port", str(port)], port, environment) as process:
            memory = Memory(process.pid)
            api = f"http://127.0.0.1:{port}/api/runs"
            while not (runs := json.loads(asked(api)[1])["runs"]):
                time.sleep(0.05)
            run = f"{api}/{runs[0]['id']}"
            opening, _ = asked(run)
            print(f"\nfrom start to the page of the run    {time.perf_counter() - begun:8.2f} s")
            print(f"of that, opening and indexing it     {opening:8.2f} s")
            print(f"memory then                          {memory.now():8.0f} MB")
            print(f"\n{'one chart':32}{'median':>12}{'slowest':>12}")
            for label, taken in charts(run, names, rows).items():
                middle, slowest = 1e3 * statistics.median(taken), 1e3 * max(taken)
                print(f"{label:32}{middle:9.1f} ms{slowest:9.1f} ms")
            screen = "&name=".join(quote(name, safe="") for name in names[:12])
            together, _ = asked(f"{run}/series?name={screen}")
            print(f"twelve charts in one request    {1e3 * together:9.1f} ms")
            print(f"the page of the run, again      {1e3 * asked(run)[0]:9.1f} ms")
            print(f"memory then                     {memory.now():9.0f} MB")
            while json.loads(asked(api)[1])["judging"]:
                time.sleep(0.2)
            print(f"\njudged after                         {time.perf_counter() - begun:8.2f} s")
            print(f"most memory, server and judge        {memory.most:8.0f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--metrics", type=int, default=100)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--live", action="store_true", help="leave it as a stream")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "huge")
        begun = time.perf_counter()
        names = write(folder, options.metrics, options.rows, live=options.live)
        size = sum(file.stat().st_size for file in (folder / "points").iterdir())
        points = options.metrics * options.rows
        print(
            f"{points:,} points, {size / 1e6:.0f} MB, written in {time.perf_counter() - begun:.0f} s"
        )
        measure(folder, names, options.rows)


if __name__ == "__main__":
    main()
