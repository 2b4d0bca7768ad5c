"""What tests of commands share: the command line, in this process or in one of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from runvitals.cli.main import main


@pytest.fixture
def runvitals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command in the temporary folder, 100 columns wide; in this process, which is quicker."""

    def run(*words: object, input: str = "") -> subprocess.CompletedProcess[str]:
        said = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in ("stdout", "stderr")]
        with monkeypatch.context() as patch:
            patch.chdir(tmp_path)
            patch.setenv("COLUMNS", "100")
            patch.setattr(sys, "argv", ["runvitals", *map(str, words)])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(input.encode())))
            patch.setattr(sys, "stdout", said[0])
            patch.setattr(sys, "stderr", said[1])
            code = ended_with(main)
        texts = []
        for stream in said:
            stream.flush()
            stream.seek(0)
            texts.append(stream.read())
        return subprocess.CompletedProcess(words, code, *texts)

    return run


def ended_with(command: Any) -> int:
    """The code with which a process that does this would end."""
    try:
        command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


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
