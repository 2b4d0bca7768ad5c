"""Slow work that nobody waits for: where the run came from, and how the machine is doing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from runvitals.model import RunInfo
from runvitals.recorder.background import Background, Wake
from runvitals.recorder.complaints import Complaints
from runvitals.recorder.gpus import missing_library
from runvitals.recorder.provenance import capture
from runvitals.recorder.system import SystemSampler, pause_after

LAST_SECONDS = 5.0  # that the end of a run waits for a slow git


class Chores:
    """Git, packages and `nvidia-smi` may take seconds or hang; the store does not notice."""

    def __init__(
        self,
        info: RunInfo,
        complaints: Complaints,
        *,
        system_seconds: float | None,
        log: Callable[[Mapping[str, float]], None],
        learn: Callable[[dict[str, Any]], None],
    ) -> None:
        self._info = info
        self._complaints = complaints
        self._seconds = system_seconds
        self._log = log
        self._learn = learn
        self._sampler: SystemSampler | None = None
        self._bell = Wake()
        self._done = Wake()
        self._ended = False
        self._thread = Background(self._run, "runvitals-chores")

    def start(self) -> None:
        """Begin."""
        if not self._thread.try_to_start():
            self._done.set()

    def end(self) -> None:
        """Stop, after a last look; waits for that, though not for long."""
        self._ended = True
        self._bell.set()
        self._done.wait(LAST_SECONDS)

    def _run(self) -> None:
        if self._seconds is not None:
            with self._complaints.contain("system metrics"):
                self._sampler = SystemSampler(self._info.folder)
                if (missing := missing_library()) is not None:
                    self._complaints.say("gpu library", missing)
        began = sampled = time.monotonic()
        if self._info.rank == 0:
            with self._complaints.contain("provenance"):
                self._learn(capture(self._info.config))
        while self._sampler is not None and self._seconds is not None:
            pause = pause_after(sampled - began, self._seconds)
            if not self._ended:  # a reading needs a window behind it
                self._bell.wait(sampled + pause - time.monotonic())
            if time.monotonic() >= sampled + pause:
                sampled = time.monotonic()
                with self._complaints.contain("system metrics"):
                    self._log(self._sampler.sample())
            if self._ended:
                break
        self._done.set()
