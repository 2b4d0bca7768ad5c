import os
import subprocess
import sys
from pathlib import Path

import pytest

import runvitals as rv

RUNVITALS = [sys.executable, "-m", "runvitals.cli.main", "run"]


class Place:
    """A folder to run commands in, as a user would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def script(self, text: str, name: str = "train.py") -> str:
        (self.folder / name).write_text(text)
        return name

    def observe(self, *words: str, options: tuple[str, ...] = (), **more):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("RUNVITALS_")}
        environment |= more.pop("env", {})
        return subprocess.run(
            [*RUNVITALS, *options, "--", *words],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            **more,
        )

    def python(self, text: str, *arguments: str, **more):
        return self.observe(sys.executable, self.script(text), *arguments, **more)

    def run(self) -> rv.Run:
        [run] = rv.open_runs(self.folder / "runs")
        return run


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)
