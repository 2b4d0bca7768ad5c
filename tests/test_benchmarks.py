"""The benchmarks run; what they say is for people to read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["recording.store", "--points", "100000"], "points dropped"),
        (["recording.startup"], "times as long"),
        (["recording.attacks", "--share", "0.01", "--only", "cut"], "silently wrong"),
        (
            ["judging.live_judge", "--seconds", "1", "--settle", "0", "--before", "10"],
            "of one core",
        ),
        (["recording.recorder", "--measure", "runvitals, all sinks"], "in_loop_us"),
        (
            ["fleet.index", "--ranks", "4", "--metrics", "5", "--steps", "20"],
            "rows that this added",
        ),
        (["dashboard.huge", "--metrics", "3", "--rows", "40000"], "judged after"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_benchmark_runs(words, said):
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{words[0]}", *words[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert said in done.stdout
