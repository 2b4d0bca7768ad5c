"""`python -m benchmarks.rivals.inside TOOL LOGS ANSWERS`, in the environment of the tool.

Reads one log per line, writes one answer per line: whether the log fits, and what the tool warns of.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import signal
import sys
import tempfile
import warnings
from importlib import import_module
from types import ModuleType
from typing import Any

from benchmarks.rivals.log import Log

SECONDS = 30  # for one run


def answer(tool: ModuleType, log: Log) -> dict[str, Any]:
    """What a tool says about a log. A tool that raises has said nothing, and why is noted."""
    if log.first(tool.NEEDS) is None:
        return {"key": log.key, "fits": False}
    found: dict[str, Any] = {"key": log.key, "fits": True, "in_scope": tool.in_scope(log)}
    said = io.StringIO()
    signal.alarm(SECONDS)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            found["alarms"] = sorted(set(tool.ask(log)))
    except Exception as error:  # noqa: BLE001  of any origin; the other runs go on
        found["error"] = f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    return found


def _too_long(*_: Any) -> None:
    raise TimeoutError(f"took longer than {SECONDS} s")


def main() -> None:
    name, logs, answers = sys.argv[1:]
    tool = import_module(f"benchmarks.rivals.tools.{name}")
    signal.signal(signal.SIGALRM, _too_long)
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    with (
        open(logs, encoding="utf-8") as source,
        open(answers, "w", encoding="utf-8") as target,
        tempfile.TemporaryDirectory() as aside,
    ):
        os.chdir(aside)  # what a tool leaves behind goes with it
        for line in source:
            target.write(json.dumps(answer(tool, Log.from_json(line))) + "\n")


if __name__ == "__main__":
    main()
