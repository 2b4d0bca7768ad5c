"""An environment for each rival, made once."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1")


class InstallError(Exception):
    """A rival is not to be had here; the message says why."""


def python_of(package: str, folder: Path) -> Path:
    """The interpreter of an environment that has this package, for example `"zen-rl==0.1.0"`."""
    python = folder / "venv" / "bin" / "python"
    ready = folder / "installed"
    if ready.exists() and ready.read_text() == package and python.exists():
        return python
    folder.mkdir(parents=True, exist_ok=True)
    _run([sys.executable, "-m", "venv", "--clear", str(folder / "venv")])
    _run([str(python), *PIP, package])
    ready.write_text(package)
    return python


def _run(words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
        raise InstallError(_without_places(said[-1] if said else "pip failed"))


def _without_places(text: str) -> str:
    """Without addresses and paths, which differ from machine to machine."""
    return re.sub(r"\s*\(?(\w+://|/)\S+", "", text.removeprefix("ERROR:")).strip()
