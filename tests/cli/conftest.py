"""What tests of commands share: the command line in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def runvitals_process(tmp_path: Path) -> Any:
    """The same in a process of its own, where the process itself is what matters."""

    def run(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "COLUMNS": "100", **options.pop("env", {})}
        return subprocess.run(
            [sys.executable, "-m", "runvitals.cli.main", *map(str, words)],
            **{
                "cwd": tmp_path,
                "env": environment,
                "capture_output": True,
                "text": True,
                "timeout": 600,
                "check": False,
                **options,
            },
        )

    return run
