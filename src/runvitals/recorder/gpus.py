"""The GPUs of this machine, a class per vendor, and what each can measure.

| vendor | measured through | needs |
|---|---|---|
| NVIDIA | NVML | `pip install 'runvitals[gpu]'` |
| AMD | the kernel's files in `/sys/class/drm` | nothing |
| Apple | `ioreg`, and torch if the training has imported it | nothing |
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import psutil

GB = 2.0**30
ROOT = Path("/")
AMD_VENDOR = "0x1002"
IOREG = ("ioreg", "-r", "-d", "1", "-w", "0", "-c", "IOAccelerator")
IOREG_SECONDS = 5.0  # after which it is not waited for

# used, total (GB), use (percent), watts, celsius; what is not known is left out
Reading = dict[str, float]


class Gpu(Protocol):
    """One device."""

    name: str

    def read(self) -> Reading:
        """What it does now."""


class Nvidia:
    """Through NVML, NVIDIA's library; the `gpu` extra brings its Python half."""

    def __init__(self, nvml: Any, index: int) -> None:
        self._nvml = nvml
        self._handle = nvml.nvmlDeviceGetHandleByIndex(index)
        self.name = str(nvml.nvmlDeviceGetName(self._handle))

    @classmethod
    def devices(cls) -> list[Nvidia]:
        """Those this process may use; none without the package, the driver or permission."""
        try:
            import pynvml

            pynvml.nvmlInit()
            count = pynvml.nvmlDeviceGetCount()
            return [cls(pynvml, index) for index in visible(count, "CUDA_VISIBLE_DEVICES")]
        except Exception:  # noqa: BLE001 - no package, no driver, no GPU, no permission: all mean none
            return []

    def read(self) -> Reading:
        """Memory always; use, power and temperature if the device reports them."""
        nvml, handle = self._nvml, self._handle
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
        found = {"used": memory.used / GB, "total": memory.total / GB}
        for key, ask in (
            ("use", lambda: float(nvml.nvmlDeviceGetUtilizationRates(handle).gpu)),
            ("watts", lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1000.0),
            ("celsius", lambda: float(nvml.nvmlDeviceGetTemperature(handle, 0))),
        ):
            try:
                found[key] = ask()
            except nvml.NVMLError:
                continue  # not every device reports it
        return found


class Amd:
    """Through the files of the amdgpu driver, which need no library and no root."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = _text(folder / "product_name") or "AMD GPU"

    @classmethod
    def devices(cls, root: Path = ROOT) -> list[Amd]:
        """Those this process may use."""
        cards = sorted(
            (root / "sys/class/drm").glob("card*/device"),
            key=lambda folder: [int(part) for part in re.findall(r"\d+", folder.parent.name)],
        )
        mine = [
            card
            for card in cards
            if _text(card / "vendor") == AMD_VENDOR and (card / "mem_info_vram_used").exists()
        ]
        chosen = visible(len(mine), "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")
        return [cls(mine[index]) for index in chosen]

    def read(self) -> Reading:
        """What the driver of this card has files for."""
        device = self._folder
        sensors = next(iter(sorted(device.glob("hwmon/hwmon*"))), device)
        known = {
            "used": _number(1 / GB, device / "mem_info_vram_used"),
            "total": _number(1 / GB, device / "mem_info_vram_total"),
            "use": _number(1.0, device / "gpu_busy_percent"),
            "watts": _number(1e-6, sensors / "power1_average", sensors / "power1_input"),
            "celsius": _number(1e-3, sensors / "temp1_input"),
        }
        return {key: value for key, value in known.items() if value is not None}


class Apple:
    """Through `ioreg`; the GPU shares main memory. Power and temperature would need root."""

    def __init__(self, ask: Callable[[], str]) -> None:
        self._ask = ask
        found = re.search(r'"model" = "([^"]+)"', ask())
        self.name = found[1] if found else "Apple GPU"

    @classmethod
    def devices(cls) -> list[Apple]:
        """The one of this Mac, if it is one with Apple's own chip."""
        if sys.platform != "darwin" or os.uname().machine != "arm64":
            return []
        return [cls(_ioreg)]

    def read(self) -> Reading:
        """Use and memory of all programs; what torch has taken if `ioreg` does not say."""
        said = self._ask()
        used = _stat(said, "In use system memory")
        use = _stat(said, "Device Utilization %")
        found = {"total": psutil.virtual_memory().total / GB}
        if used is not None:
            found["used"] = used / GB
        elif (taken := _taken_by_torch()) is not None:
            found["used"] = taken
        if use is not None:
            found["use"] = use
        return found


def open_gpus() -> list[Gpu]:
    """All GPUs of this machine that can be measured."""
    return [*Nvidia.devices(), *Amd.devices(), *Apple.devices()]


def missing_library(root: Path = ROOT) -> str | None:
    """What to install if there is a GPU that cannot be measured without it; None otherwise."""
    cards = root / "proc/driver/nvidia/gpus"
    if not cards.is_dir() or not any(cards.iterdir()):
        return None
    try:
        import pynvml  # noqa: F401
    except ImportError:
        return "the NVIDIA GPU is not measured; to record it: pip install 'runvitals[gpu]'"
    return None


def visible(count: int, *variables: str) -> list[int]:
    """The devices this process may use, by the first of these variables that lists numbers.

    >>> visible(2, "NO_SUCH_VARIABLE")
    [0, 1]
    """
    for variable in variables:
        if (setting := os.environ.get(variable)) is not None:
            chosen = [int(part) for part in setting.split(",") if part.strip().isdigit()]
            return [index for index in chosen if index < count]
    return list(range(count))


def _ioreg() -> str:
    try:
        done = subprocess.run(
            IOREG, capture_output=True, text=True, timeout=IOREG_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _stat(said: str, key: str) -> float | None:
    """A number of `PerformanceStatistics`.

    >>> _stat('{"Device Utilization %"=41,"In use system memory"=1284358144}', "Device Utilization %")
    41.0
    """
    found = re.search(rf'"{re.escape(key)}"\s*=\s*(\d+)', said)
    return float(found[1]) if found else None


def _taken_by_torch() -> float | None:
    torch = sys.modules.get("torch")
    if torch is None or not torch.backends.mps.is_available():
        return None
    return float(torch.mps.driver_allocated_memory()) / GB


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""


def _number(scale: float, *files: Path) -> float | None:
    """The number in the first of these files that has one."""
    for file in files:
        if (text := _text(file)).isdigit():
            return int(text) * scale
    return None
