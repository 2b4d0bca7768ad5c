"""Slow work that nobody waits for: where the run came from, and how the machine is doing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil

from runvitals.model import RunInfo
from runvitals.recorder.background import Background, Wake
from runvitals.recorder.complaints import Complaints
from runvitals.recorder.gpus import GB, Reading, missing_library, open_gpus
from runvitals.recorder.provenance import capture

_DENSE_SECONDS = 60.0  # at first a sample a second: a leak in a short run shows in nothing else
_TICK = 0.9  # a little less than the second between two flushes
# between two looks for child processes, which read the whole process table
_CHILDREN_SECONDS = 30.0


def pause_after(age: float, seconds: float) -> float:
    """Until the next sample, `age` seconds after the first: short at first, then up to `seconds`.

    >>> [pause_after(age, 10.0) for age in (0.0, 60.0, 300.0, 3600.0)]
    [0.9, 0.9, 4.5, 10.0]
    """
    return min(seconds, _TICK * max(1.0, age / _DENSE_SECONDS))


class SystemSampler:
    """Reads `System/*`: a fraction of a millisecond per call, in a thread of its own.

    With several GPUs the plain names hold the sum of memory and the mean of use over all of them,
    and `System/GPU<i>_*` each one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = psutil.Process()
        self._gpus = open_gpus()
        self._cpu = _CpuShares(self._process)
        self._process.cpu_percent(None)  # the first reading is the start of its window

    def sample(self) -> dict[str, float]:
        """One reading of everything that this machine has."""
        memory = psutil.virtual_memory()
        with self._process.oneshot():
            values = {
                **self._cpu.sample(),
                "System/Memory_Percent": memory.percent,
                "System/Memory_Used_GB": memory.used / GB,
                "System/Memory_Available_GB": memory.available / GB,
                "System/Process_Memory_GB": self._process.memory_info().rss / GB,
                "System/Process_CPU_Percent": self._process.cpu_percent(None),
                "System/Process_Threads": float(self._process.num_threads()),
            }
        values["System/Disk_Free_GB"] = psutil.disk_usage(str(self._folder)).free / GB
        values.update(_gpu_values([gpu.read() for gpu in self._gpus]))
        return values


class _CpuShares:
    """Who uses the CPU, in percent of all cores: everybody, other processes, other virtual machines."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self._children: list[psutil.Process] = []
        self._listed = -math.inf
        self._cores = psutil.cpu_count() or 1
        psutil.cpu_times_percent(None)  # the first reading is the start of its window
        self._time, self._mine = time.monotonic(), self._seconds_of_tree()

    def sample(self) -> dict[str, float]:
        """The shares since the last call."""
        before, mine_before = self._time, self._mine
        shares = psutil.cpu_times_percent(None)
        self._time, self._mine = time.monotonic(), self._seconds_of_tree()
        spent = sum(
            max(0.0, seconds - mine_before.get(pid, seconds)) for pid, seconds in self._mine.items()
        )
        own = 100.0 * spent / max(self._cores * (self._time - before), 1e-9)
        stolen = getattr(shares, "steal", None)  # Linux alone tells
        busy = 100.0 - shares.idle - getattr(shares, "iowait", 0.0)
        found = {
            "System/CPU_Percent": max(0.0, busy),
            "System/Other_CPU_Percent": max(0.0, busy - own - (stolen or 0.0)),
        }
        return found if stolen is None else {**found, "System/CPU_Steal_Percent": stolen}

    def _seconds_of_tree(self) -> dict[int, float]:
        """CPU seconds so far of this process and of each of its children."""
        now = time.monotonic()
        if now - self._listed >= _CHILDREN_SECONDS:
            self._listed = now
            self._children = self._process.children(recursive=True)
        found = {}
        for one in (self._process, *self._children):
            try:
                times = one.cpu_times()
            except psutil.Error:
                continue  # it has ended, or is not ours to look at
            found[one.pid] = times.user + times.system
        return found


def _gpu_values(readings: list[Reading]) -> dict[str, float]:
    measured = [r for r in readings if {"used", "total"} <= r.keys()]
    values = {}
    if measured:
        used, total = (sum(r[key] for r in measured) for key in ("used", "total"))
        values = {
            "System/GPU_Memory_Used_GB": used,
            "System/GPU_Memory_Total_GB": total,
            "System/GPU_Memory_Percent": 100.0 * used / total if total else 0.0,
        }
    for key, name in (
        ("use", "System/GPU_Utilization"),
        ("watts", "System/GPU_Power_W"),
        ("celsius", "System/GPU_Temperature_C"),
    ):
        found = [r[key] for r in readings if key in r]
        if found:
            values[name] = sum(found) if key == "watts" else sum(found) / len(found)
    if len(readings) > 1:
        for index, reading in enumerate(readings):
            for key, name in (("used", "Memory_Used_GB"), ("use", "Utilization")):
                if key in reading:
                    values[f"System/GPU{index}_{name}"] = reading[key]
    return values


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
