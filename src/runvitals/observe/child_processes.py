"""Takes over what the processes below the command said: settings, framework, algorithm, seeds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from runvitals.model import ConfigError, ReadError, read_expectation
from runvitals.recorder.child_run import GUESTS
from runvitals.recorder.live import LiveRun
from runvitals.store.compact import compact
from runvitals.store.files import read_json, read_json_if_any
from runvitals.store.layout import segments

WITHOUT = "without_runvitals.txt"  # written by site/sitecustomize.py
_FROM_PROCESS = ("argv", "directory", "python", "packages", "seeds", "gpus", "environment")


class ChildProcesses:
    """The guests of a run, as far as they have come."""

    def __init__(self, run: LiveRun) -> None:
        self._run = run
        self._folder = run.folder / GUESTS
        self._changed: dict[Path, int] = {}
        self._told_without = False

    def take_over(self) -> None:
        """Add what is new to the run."""
        for path in sorted(self._folder.glob("rank*.json")):
            if path.name.endswith(".lives.json"):
                continue
            try:
                changed = path.stat().st_mtime_ns
                if self._changed.get(path) == changed:
                    continue
                told = read_json(path)
            except (OSError, ReadError):
                continue  # it is being replaced; the next round sees it
            self._changed[path] = changed
            if told.get("rank") == 0:
                self._take(told)

    def _take(self, told: dict[str, Any]) -> None:
        run = self._run
        config = told.get("config") or {}
        if any(run.config.get(key, self) != value for key, value in config.items()):
            run.update_config(config)
        run.describe(framework=told.get("framework"), algorithm=told.get("algorithm"))
        origin = told.get("provenance") or {}
        if origin:
            run.learn(process={key: origin[key] for key in _FROM_PROCESS if key in origin})
        if origin.get("recorded_from"):
            run.learn(recorded_from=origin["recorded_from"])
        known = run.info.expectations
        for one in told.get("expectations") or ():
            try:
                expectation = read_expectation(one)
            except (ConfigError, TypeError, AttributeError):
                continue
            if expectation not in known:
                run.info.expectations = known = (*known, expectation)

    @property
    def lives(self) -> int:
        """How many processes trained as rank 0, one after the other."""
        return int(read_json_if_any(self._folder / "rank0.lives.json").get("lives", 0))

    def without_runvitals(self) -> str | None:
        """The Python of the command that has no runvitals, told once; None if all have it."""
        if self._told_without:
            return None
        try:
            lines = (self._folder / WITHOUT).read_text().splitlines()
        except OSError:
            return None
        self._told_without = True
        return lines[0] if lines else None

    def compact(self) -> list[str]:
        """Turn their streams into tables, now that they are gone."""
        problems: list[str] = []
        for segment in segments(self._run.folder):
            if segment.fork is not None and not _lives(segment.fork):
                try:
                    problems += compact(self._run.folder, segment)
                except Exception as error:  # noqa: BLE001 - the stream is still there
                    problems.append(f"{segment.stem} was not compacted: {error}")
        return problems


def _lives(fork: int) -> bool:
    try:
        os.kill(fork % 10_000_000, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
