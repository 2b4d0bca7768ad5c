"""Ask the rivals about labelled runs; what they answered before is kept."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import orjson

from benchmarks.judging.labels import ROOT, Labelled
from benchmarks.rivals import exchange, inside, log
from benchmarks.rivals.install import InstallError, python_of

FOLDER = ROOT / ".scoreboard" / "rivals"


@dataclass(frozen=True)
class Answer:
    """What a rival said about a run."""

    run: Labelled
    in_scope: bool
    alarms: tuple[str, ...] = ()

    @property
    def alarmed(self) -> bool:
        """Whether it warned of anything."""
        return bool(self.alarms)


@dataclass(frozen=True)
class Rival:
    """A rival and its answers, or why there are none."""

    name: str
    version: str
    scope: str
    answers: tuple[Answer, ...] = ()
    failed: int = 0  # runs on which it raised an error or took too long
    absent: str = ""  # why it could not be asked


def ask_all(runs: list[Labelled], folder: Path = FOLDER, *, workers: int = 2) -> list[Rival]:
    """Every rival about every run."""
    tools = exchange.tools()
    with ThreadPoolExecutor(workers) as pool, TemporaryDirectory() as aside:
        kept = {name: _kept(tool, folder / name) for name, tool in tools.items()}
        keys = {exchange.key_of(run): run for run in runs}
        new = [run for key, run in keys.items() if any(key not in kept[name] for name in tools)]
        logs = Path(aside) / "logs.jsonl"
        exchange.write_logs(new, logs)

        def ask(name: str) -> Rival:
            return _ask(name, tools[name], keys, kept[name], logs if new else None, folder / name)

        return list(pool.map(ask, tools))


def _ask(
    name: str,
    tool: ModuleType,
    keys: Mapping[str, Labelled],
    kept: dict[str, Any],
    logs: Path | None,
    folder: Path,
) -> Rival:
    package, version = tool.PACKAGE.split("==")
    if logs is not None:
        try:
            found = _answers(name, python_of(tool.PACKAGE, folder), logs)
        except InstallError as error:
            return Rival(package, version, tool.SCOPE, absent=f"not installed: {error}")
        except subprocess.CalledProcessError as error:
            absent = f"its process ended with {error.returncode}"
            return Rival(package, version, tool.SCOPE, absent=absent)
        kept |= {key: {"fits": False} for key in keys if key not in kept}  # cannot be read
        kept |= found
        text = {"made_with": made_with(tool), "answers": kept}
        (folder / "answers.json").write_bytes(orjson.dumps(text))
    fitting = [(keys[key], kept[key]) for key in keys if kept.get(key, {}).get("fits")]
    return Rival(
        package,
        version,
        tool.SCOPE,
        tuple(
            Answer(run, found["in_scope"], tuple(found["alarms"]))
            for run, found in fitting
            if "alarms" in found
        ),
        failed=sum("error" in found for _, found in fitting),
    )


def _answers(name: str, python: Path, logs: Path) -> dict[str, Any]:
    """Of one process in the rival's environment, which is asked about all logs."""
    path = logs.with_name(f"{name}.jsonl")
    subprocess.run(
        [str(python), "-m", "benchmarks.rivals.inside", name, str(logs), str(path)],
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
    )
    found = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    return {answer["key"]: answer for answer in found}


def _kept(tool: ModuleType, folder: Path) -> dict[str, Any]:
    path = folder / "answers.json"
    known = orjson.loads(path.read_bytes()) if path.exists() else {}
    return dict(known["answers"]) if known.get("made_with") == made_with(tool) else {}


def made_with(tool: ModuleType) -> str:
    """The code that decides an answer, with the version of the rival."""
    files = [Path(str(module.__file__)) for module in (tool, log, inside, exchange)]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]
