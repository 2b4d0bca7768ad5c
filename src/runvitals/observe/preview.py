"""`runvitals run --dry-run`: what would be hooked in this command, and what else would be read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from runvitals.integrations.hooks import hooks, wanted_hooks

ASK_SECONDS = 60.0
_QUESTION = """
import importlib.util as u, json, sys
print(json.dumps({n: u.find_spec(n) is not None for n in sys.argv[1:]}))
"""


def preview(words: Sequence[str], skip: Sequence[str] = ()) -> Iterator[str]:
    """Lines that say it."""
    python = python_of(words)
    packages = sorted({m.partition(".")[0] for hook in hooks() for m in hook.modules})
    there = _installed(python, ["runvitals", *packages])
    yield f"command: {' '.join(words)}"
    yield f"Python: {python}" + ("" if there is not None else " (cannot be asked)")
    if there is not None and not there["runvitals"]:
        yield "runvitals is not installed there: nothing would be hooked"
        there = dict.fromkeys(there, False)
    on = {hook.name for hook in wanted_hooks()} - set(skip)
    yield "hooked where the command imports it:"
    for hook in hooks():
        tops = sorted({module.partition(".")[0] for module in hook.modules})
        found = [top for top in tops if there is None or there[top]]
        state = "off" if hook.name not in on else "" if found else "not installed"
        note = f"  ({state})" if state else ""
        yield f"  {hook.name:<18} {hook.title}: {hook.records}{note}"
    yield f"else: log files that appear in {Path.cwd()}, else metrics on the console"


def python_of(words: Sequence[str]) -> str:
    """The interpreter that the command uses, as far as can be seen: python itself, or a script's."""
    command = shutil.which(words[0]) or words[0]
    if os.path.basename(command).startswith(("python", "pypy")):
        return command
    try:
        with open(command, "rb") as file:
            first = file.readline(200).decode("utf-8", "replace")
    except OSError:
        return sys.executable
    words_of_first = first[2:].split() if first.startswith("#!") else []
    named = next((word for word in words_of_first if "python" in os.path.basename(word)), None)
    return sys.executable if named is None else shutil.which(named) or named


def _installed(python: str, packages: Sequence[str]) -> dict[str, bool] | None:
    try:
        done = subprocess.run(
            [python, "-c", _QUESTION, *packages],
            capture_output=True,
            text=True,
            timeout=ASK_SECONDS,
            check=True,
        )
        answer: dict[str, bool] = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return answer
