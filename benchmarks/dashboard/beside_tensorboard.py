"""The dashboard beside TensorBoard on the same event files, each in a real Chromium.

    python -m benchmarks.dashboard.beside_tensorboard [--rounds 5] [one many live]

- one: one log of 1.2 million scalars. many: 200 runs of 10,000 scalars each.
- first chart: from the start of the server's process to the first line drawn, in a fresh browser
  profile; of many runs with runvitals by way of its list and a click. Both servers find their Python
  modules compiled, as an installation leaves them, and nothing else.
- bytes: all that the browser was sent until then, as it came over the wire.
- TensorBoard draws what it has read by then, runvitals what the log holds.
- show a run: from the click on another run to its first line.
- spikes: how many of twenty spikes of a single step are in what the page was sent of a series.
- live: from `log()` in a process that records to the number on the page of its run.

Medians of several rounds, in which the two take turns, with the fastest and slowest of each behind;
the machine should have nothing else to do. Clicks are those of a mouse, with both.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.dashboard.browser import Visit, chromium
from benchmarks.dashboard.live import live_delays
from benchmarks.dashboard.logs import SPIKES, write_log
from benchmarks.dashboard.servers import Memory, compiled, free_port, started
from benchmarks.dashboard.visitors import Rival, Runvitals, TensorBoard

RIVALS = (Runvitals(), TensorBoard())
SETTLED = 1.0  # seconds between the first chart and the next click
MEASURES = {
    "first chart": "s",
    "bytes until then": "kB",
    "show a run": "s",
    "bytes for that": "kB",
    "most memory": "MB",
}


def measure(rival: Rival, logs: Path, browser, environment: dict[str, str]) -> dict[str, float]:
    """One round of one of them."""
    port = free_port()
    visit = Visit(browser)
    begun = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as cache,
        started(
            rival.command(logs, port), port, {**environment, "XDG_CACHE_HOME": cache}
        ) as process,
    ):
        memory = Memory(process.pid)
        found = {"first chart": rival.first_chart(visit, f"http://127.0.0.1:{port}/") - begun}
        found["bytes until then"] = visit.bytes / 1e3
        visit.page.wait_for_timeout(1e3 * SETTLED)
        spikes = rival.spikes(visit)
        rival.leave(visit)
        visit.page.wait_for_timeout(1e3 * SETTLED)
        sent, clicked = visit.bytes, time.perf_counter()
        found["show a run"] = rival.show_run(visit, min(3, len(list(logs.iterdir())) - 1)) - clicked
        found["bytes for that"] = (visit.bytes - sent) / 1e3
        found["most memory"] = memory.most
        visit.close()
    return {**found, "spikes": spikes}


def compare(title: str, logs: Path, rounds: int) -> None:
    """All rounds of both, as a table."""
    found: dict[str, list[dict[str, float]]] = {rival.name: [] for rival in RIVALS}
    with tempfile.TemporaryDirectory() as code, chromium() as browser:
        environment = compiled(code, *(m for rival in RIVALS for m in rival.modules))
        for _ in range(rounds):
            for rival in RIVALS:
                found[rival.name].append(measure(rival, logs, browser, environment))
    print(f"\n{title}\n{'':24}{RIVALS[0].name:>16}{RIVALS[1].name:>16}{'ratio':>10}")
    for key, unit in MEASURES.items():
        ours, theirs = (
            statistics.median(one[key] for one in found[rival.name]) for rival in RIVALS
        )
        digits = 2 if unit == "s" else 0
        shown = "".join(f"{value:12,.{digits}f} {unit:3}" for value in (ours, theirs))
        spread = [f"{min(v):.2f}-{max(v):.2f}" for v in _values(found, key)] if unit == "s" else []
        print(f"{key:24}{shown}" + (f"{theirs / ours:9.1f}x" if ours and theirs else ""), *spread)
    seen = [statistics.median(one["spikes"] for one in found[rival.name]) for rival in RIVALS]
    print(f"{f'spikes seen of {SPIKES}':24}{seen[0]:12.0f}    {seen[1]:12.0f}")


def _values(found: dict[str, list[dict[str, float]]], key: str) -> list[list[float]]:
    return [[one[key] for one in rounds] for rounds in found.values()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=["one", "many", "live"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20.0, help="of live recording")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        top = Path(temporary)
        if "one" in options.parts:
            write_log(top / "one" / "run", tags=60, steps=20_000)
            compare("one log of 1.2 million scalars", top / "one", options.rounds)
        if "many" in options.parts:
            for seed in range(200):
                write_log(top / "many" / f"run{seed:03}", tags=20, steps=500, seed=seed)
            compare("200 runs of 10,000 scalars", top / "many", options.rounds)
        if "live" in options.parts:
            delays = live_delays(top / "live", options.seconds)
            print(f"\nfrom log() to the page: {len(delays)} rows seen")
            print(f"median {statistics.median(delays):.2f} s, slowest {max(delays):.2f} s")


if __name__ == "__main__":
    main()
