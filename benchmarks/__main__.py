"""`python -m benchmarks`: all of them, one after the other."""

from __future__ import annotations

import subprocess
import sys

ALL = (
    "startup",
    "recorder",
    "live_judge",
    "store",
    "exporters",
    "metrics",
    "names",
    "read_tensorboard",
    "read_tables",
    "corpus",
    "dashboard",
    "dashboard_huge",
)

for name in sys.argv[1:] or ALL:
    print(f"\n== benchmarks.{name}", flush=True)
    subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
