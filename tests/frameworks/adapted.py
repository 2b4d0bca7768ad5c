"""What the tests of all adapters ask of a recorded run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import runvitals as rv

EXAMPLES = Path(__file__).parents[2] / "examples"
QUIET = {"console": False, "tensorboard": False, "system": False}
ENOUGH = 0.95  # of the names have to be understood


def recorded(folder: Path | None) -> rv.Run:
    """The run, nearly all of whose names are understood."""
    assert folder is not None
    run = rv.open_run(folder)
    logged = [name for name in run.names() if not name.startswith("System/")]  # not the trainer's
    unknown = [name for name in logged if name not in run.bindings]
    assert len(unknown) <= (1 - ENOUGH) * len(logged), unknown
    return run


def codes(run: rv.Run, *severities: str) -> set[str]:
    """The rules that found something."""
    chosen = severities or ("critical", "warning")
    return {one.code for one in rv.judge(run).findings if one.severity in chosen}


def stopped(train: Callable[..., int], folder: Path, planned: int, **chosen: Any) -> rv.Run:
    """The run of a sick training that a finding ended before its plan."""
    adapter = {"folder": folder / "recorded", "stop_on": "warning", **QUIET}

    steps = train(folder, adapter, **chosen)

    run = recorded(folder / "recorded")
    assert steps < planned
    assert (run.status, bool(run.stopped_by)) == ("stopped", True)
    assert codes(run)
    return run


def settings(run: rv.Run, **expected: Any) -> None:
    """The config was captured and is understood."""
    found = {name: run.settings.get(name) for name in expected}
    assert found == expected


def example(name: str, folder: Path, **environment: str) -> rv.Run:
    """Run an example as a user does, and give the run that it left."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    [run] = rv.open_runs(folder / "runs")
    return run
