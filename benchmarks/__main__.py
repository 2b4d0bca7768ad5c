"""`python -m benchmarks`: all of them, one after the other; `python -m benchmarks startup`: one."""

from __future__ import annotations

import subprocess
import sys

ALL = (
    "recording.startup",
    "recording.recorder",
    "judging.live_judge",
    "recording.store",
    "recording.exporters",
    "recording.metrics",
    "reading.names",
    "reading.event_files",
    "reading.tables",
    "corpus",
    "fleet.index",
    "fleet.checking",
    "dashboard.beside_tensorboard",
    "dashboard.huge",
)
SHORT = {name.partition(".")[2]: name for name in ALL}

for name in sys.argv[1:] or ALL:
    name = SHORT.get(name, name)
    print(f"\n== benchmarks.{name}", flush=True)
    subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
