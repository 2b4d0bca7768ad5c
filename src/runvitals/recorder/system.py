"""Host, process and GPU use, sampled now and then."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import psutil

_GB = 2.0**30
_DENSE_SECONDS = 60.0  # at first a sample a second: a leak in a short run shows in nothing else
_TICK = 0.9  # a little less than the second between two flushes


def pause_after(age: float, seconds: float) -> float:
    """Until the next sample, `age` seconds after the first: short at first, then up to `seconds`.

    >>> [pause_after(age, 10.0) for age in (0.0, 60.0, 300.0, 3600.0)]
    [0.9, 0.9, 4.5, 10.0]
    """
    return min(seconds, _TICK * max(1.0, age / _DENSE_SECONDS))


class SystemSampler:
    """Reads `System/*`: a fraction of a millisecond a call, from the flusher's thread.

    With several GPUs the plain names hold the sum of memory and the mean of use over all of them,
    and `System/GPU<i>_*` each one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = psutil.Process()
        self._gpus = _open_gpus()
        psutil.cpu_percent(None)  # the first reading of both is the start of their window
        self._process.cpu_percent(None)

    def sample(self) -> dict[str, float]:
        """One reading of everything that this machine has."""
        memory = psutil.virtual_memory()
        with self._process.oneshot():
            values = {
                "System/CPU_Percent": psutil.cpu_percent(None),
                "System/Memory_Percent": memory.percent,
                "System/Memory_Used_GB": memory.used / _GB,
                "System/Memory_Available_GB": memory.available / _GB,
                "System/Process_Memory_GB": self._process.memory_info().rss / _GB,
                "System/Process_CPU_Percent": self._process.cpu_percent(None),
                "System/Process_Threads": float(self._process.num_threads()),
            }
        values["System/Disk_Free_GB"] = psutil.disk_usage(str(self._folder)).free / _GB
        values.update(_gpu_values([_read_gpu(gpu) for gpu in self._gpus]) or _mps_values())
        return values


def _open_gpus() -> list[Any]:
    try:
        import pynvml

        pynvml.nvmlInit()
        count = pynvml.nvmlDeviceGetCount()
        return [pynvml.nvmlDeviceGetHandleByIndex(i) for i in _visible(count)]
    except Exception:  # noqa: BLE001 - no package, no driver, no GPU, no permission: all mean none
        return []


def _visible(count: int) -> list[int]:
    """The devices this process may use, by CUDA_VISIBLE_DEVICES where it lists numbers."""
    setting = os.environ.get("CUDA_VISIBLE_DEVICES")
    if setting is None:
        return list(range(count))
    chosen = [int(part) for part in setting.split(",") if part.strip().isdigit()]
    return [index for index in chosen if index < count]


def _read_gpu(gpu: Any) -> dict[str, float]:
    import pynvml

    memory = pynvml.nvmlDeviceGetMemoryInfo(gpu)
    values = {"used": memory.used / _GB, "total": memory.total / _GB}
    for key, read in (
        ("use", lambda: float(pynvml.nvmlDeviceGetUtilizationRates(gpu).gpu)),
        ("watts", lambda: pynvml.nvmlDeviceGetPowerUsage(gpu) / 1000.0),
        ("celsius", lambda: float(pynvml.nvmlDeviceGetTemperature(gpu, 0))),
    ):
        try:
            values[key] = read()
        except pynvml.NVMLError:
            continue  # not every device reports it
    return values


def _gpu_values(readings: list[dict[str, float]]) -> dict[str, float]:
    if not readings:
        return {}
    used, total = (sum(r[key] for r in readings) for key in ("used", "total"))
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
            values[f"System/GPU{index}_Memory_Used_GB"] = reading["used"]
            if "use" in reading:
                values[f"System/GPU{index}_Utilization"] = reading["use"]
    return values


def _mps_values() -> dict[str, float]:
    """Apple's GPU shares main memory; torch says how much of it is taken, nobody how busy it is."""
    torch = sys.modules.get("torch")
    if torch is None or sys.platform != "darwin" or not torch.backends.mps.is_available():
        return {}
    used = torch.mps.driver_allocated_memory() / _GB
    total = torch.mps.recommended_max_memory() / _GB
    return {
        "System/GPU_Memory_Used_GB": used,
        "System/GPU_Memory_Total_GB": total,
        "System/GPU_Memory_Percent": 100.0 * used / total if total else 0.0,
    }
