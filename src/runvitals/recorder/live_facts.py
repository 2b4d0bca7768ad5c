"""What a live run knows about itself: name, folder, settings, trainer, progress, summary."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from runvitals.model import RunInfo
from runvitals.recorder.config import flat_config, json_safe
from runvitals.recorder.flusher import Flusher
from runvitals.recorder.upkeep import Upkeep


class DescribesItself(ABC):
    """A run with a name and a folder, whose settings and other facts may change."""

    _info: RunInfo
    _upkeep: Upkeep | None
    _flusher: Flusher

    @abstractmethod
    def _contained(self, what: str) -> AbstractContextManager[None]: ...

    @property
    def id(self) -> str:
        """The run's id, the name of its folder."""
        return self._info.id

    @property
    def info(self) -> RunInfo:
        """What its sinks know of it."""
        return self._info

    @property
    def name(self) -> str:
        """The run's name, for people."""
        return self._info.name

    @property
    def project(self) -> str:
        """The project it belongs to."""
        return self._info.project

    @property
    def folder(self) -> Path:
        """Where everything is written."""
        return self._info.folder

    @property
    def rank(self) -> int:
        """This process among the workers of one job; 0 for a single process."""
        return self._info.rank

    @property
    def began(self) -> float:
        """When this process began to record it, in Unix seconds."""
        return self._info.started

    @property
    def resumed(self) -> bool:
        """Whether an earlier process wrote this run already."""
        return self._info.segment > 1

    @property
    def config(self) -> dict[str, Any]:
        """The settings, flat; change them with `update_config`."""
        return dict(self._info.config)

    def update_config(self, config: Any = None, /, **settings: Any) -> None:
        """Add settings: any mapping, dataclass, argparse, pydantic or OmegaConf object."""
        with self._contained("config"):
            self._info.config = {
                **self._info.config,
                **flat_config(config),
                **flat_config(settings),
            }
            if self._upkeep is not None:
                self._upkeep.config_changed()

    def describe(self, *, framework: str | None = None, algorithm: str | None = None) -> None:
        """Say what trains here, which decides what its names mean; None leaves what is known."""
        self._info.framework = framework or self._info.framework
        self._info.algorithm = algorithm or self._info.algorithm
        if self._upkeep is not None:
            self._upkeep.trainer_changed()

    def learn(self, **facts: Any) -> None:
        """Add facts about where the run came from, and how it ended, to its provenance."""
        with self._contained("provenance"):
            if self._upkeep is not None:
                self._upkeep.learn(json_safe(facts))

    @property
    def summary(self) -> dict[str, Any]:
        """Your own final numbers: `run.summary["best_return"] = 210`; written to run.json."""
        return self._upkeep.summary if self._upkeep is not None else {}

    def progress(self, **fields: Any) -> dict[str, Any]:
        """Note progress in `training_progress.json`: completed_chunks, latest_checkpoint, total_steps.

        Gives everything noted so far, also by an earlier process that this one resumed.
        """
        with self._contained("progress"):
            if fields and self._upkeep is not None:
                self._info.progress = {**self._info.progress, **json_safe(fields)}
                self._upkeep.progress_changed = True
                self._flusher.wake.set()
        return dict(self._info.progress)
