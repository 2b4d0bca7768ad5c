"""Who a live run is: what `run.id`, `run.name` and the like say."""

from __future__ import annotations

from pathlib import Path

from runvitals.model import RunInfo


class Identified:
    """A run that says who it is, by its `RunInfo`."""

    _info: RunInfo

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
