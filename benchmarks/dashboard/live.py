"""How long a number takes from `log()` to the page: a real recording, a real server, a real browser."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.dashboard.browser import Visit, chromium
from benchmarks.dashboard.servers import compiled, free_port, started
from benchmarks.dashboard.visitors import Runvitals

WARM_UP = 4.0  # seconds before anything counts
EVERY = 0.1  # seconds between two rows
RECORD = """
import json, sys, time
import runvitals as rv
run = rv.init("bench", "live", dir=sys.argv[1], console=False, tensorboard=False, system=False)
for step in range(1, 100_000):
    run.log({"outcome/return_mean": step, "policy/entropy": 1 / step}, step=step)
    print(json.dumps([step, time.time()]), flush=True)
    time.sleep(float(sys.argv[2]))
"""

# The legend of the first chart says its newest value, and is set together with the line. Each frame
# is looked at, so that the time is that of the frame.
WATCH = """
() => {
  window.seen = [];
  const look = () => {
    const text = document.querySelector('.legend strong')?.textContent ?? '';
    const value = Number((text.replaceAll(',', '').match(/[0-9.]+(?!.*[0-9])/) ?? [])[0]);
    if (value && value !== window.seen.at(-1)?.[0]) window.seen.push([value, Date.now() / 1000]);
    requestAnimationFrame(look);
  };
  look();
}
"""


def live_delays(folder: Path, seconds: float) -> list[float]:
    """Seconds from each `log()` to the frame in which its value, or a newer one, was drawn."""
    ours = Runvitals()
    folder.mkdir(parents=True)
    port = free_port()
    recording = subprocess.Popen(
        [sys.executable, "-c", RECORD, str(folder), str(EVERY)], stdout=subprocess.PIPE
    )
    try:
        with tempfile.TemporaryDirectory() as cache, chromium() as browser:
            environment = {**compiled(f"{cache}/code", *ours.modules), "XDG_CACHE_HOME": cache}
            with started(ours.command(folder, port), port, environment):
                visit = Visit(browser)
                ours.first_chart(visit, f"http://127.0.0.1:{port}/")
                visit.page.wait_for_timeout(1e3 * WARM_UP)
                visit.page.evaluate(WATCH)
                begun = time.time()
                visit.page.wait_for_timeout(1e3 * seconds)
                seen = visit.page.evaluate("window.seen")
                visit.close()
    finally:
        recording.terminate()
    rows = [json.loads(line) for line in recording.stdout]
    return [
        min(at for value, at in seen if value >= step) - logged
        for step, logged in rows
        if logged > begun and seen and step <= seen[-1][0]
    ]
