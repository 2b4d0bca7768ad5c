"""GPUs of each vendor are measured through stand-ins of what the machine offers."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import runvitals as rv
from runvitals.lab.running import Case, run_case
from runvitals.recorder import gpus
from runvitals.recorder.gpus import Amd, Apple, Nvidia, missing_library

GPU_TAGS = ("GPU_Memory_Used_GB", "GPU_Memory_Total_GB", "GPU_Memory_Percent", "GPU_Utilization")
IOREG = """+-o AGXAcceleratorG16G  <class AGXAcceleratorG16G, id 0x10000050b, registered>
    {
      "PerformanceStatistics" = {"In use system memory (driver)"=0,"Alloc system memory"=1574862848,\
"Tiler Utilization %"=20,"Device Utilization %"=41,"In use system memory"=2147483648}
      "model" = "Apple M4"
      "gpu-core-count" = 10
    }
"""


class NVMLError(Exception):
    """As in pynvml."""


def fake_nvml(count=2):
    def no_power(_):
        raise NVMLError

    return SimpleNamespace(
        NVMLError=NVMLError,
        nvmlInit=lambda: None,
        nvmlDeviceGetCount=lambda: count,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetName=lambda index: f"H{index}",
        nvmlDeviceGetMemoryInfo=lambda _: SimpleNamespace(used=2**30, total=4 * 2**30),
        nvmlDeviceGetUtilizationRates=lambda index: SimpleNamespace(gpu=90 - index),
        nvmlDeviceGetPowerUsage=no_power,
        nvmlDeviceGetTemperature=lambda _index, _kind: 61,
    )


def card(root: Path, number: int, vendor: str = "0x1002", **files: str) -> None:
    device = root / f"sys/class/drm/card{number}/device"
    device.mkdir(parents=True)
    (device / "vendor").write_text(vendor + "\n")
    for name, text in files.items():
        file = device / name.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")


def test_nvidia_devices_report_what_nvml_has_and_leave_out_the_rest(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", fake_nvml())
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")

    [device] = Nvidia.devices()

    assert device.name == "H1"
    assert device.read() == {"used": 1.0, "total": 4.0, "use": 89.0, "celsius": 61.0}


def test_amd_cards_are_read_from_the_files_of_their_driver(tmp_path, monkeypatch):
    for variable in ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"):
        monkeypatch.delenv(variable, raising=False)
    card(tmp_path, 0, "0x8086")
    card(
        tmp_path,
        1,
        product_name="Instinct",
        gpu_busy_percent="73",
        mem_info_vram_used=str(3 * 2**30),
        mem_info_vram_total=str(64 * 2**30),
        hwmon__hwmon4__power1_average="250000000",
        hwmon__hwmon4__temp1_input="55000",
    )
    card(tmp_path, 10, mem_info_vram_used="0", mem_info_vram_total=str(2**30))

    one, other = Amd.devices(tmp_path)

    assert one.name == "Instinct"
    assert one.read() == pytest.approx(
        {"used": 3.0, "total": 64.0, "use": 73.0, "watts": 250.0, "celsius": 55.0}
    )
    assert other.read() == {"used": 0.0, "total": 1.0}


def test_a_mac_is_measured_by_what_ioreg_says_without_root():
    device = Apple(lambda: IOREG)

    found = device.read()

    assert device.name == "Apple M4"
    assert (found["use"], found["used"]) == (41.0, 2.0)
    assert found["total"] > found["used"] - 2.0


def test_a_mac_without_statistics_reports_what_torch_has_taken(monkeypatch):
    mps = SimpleNamespace(driver_allocated_memory=lambda: 3 * 2**30)
    available = SimpleNamespace(mps=SimpleNamespace(is_available=lambda: True))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(mps=mps, backends=available))

    found = Apple(lambda: "").read()

    assert found["used"] == 3.0
    assert "use" not in found


def test_a_machine_without_gpus_is_not_told_to_install_anything(tmp_path):
    assert missing_library(tmp_path) is None


def test_a_gpu_whose_library_is_missing_names_the_extra(tmp_path, monkeypatch):
    (tmp_path / "proc/driver/nvidia/gpus/0000:01:00.0").mkdir(parents=True)
    monkeypatch.setitem(sys.modules, "pynvml", None)  # an import fails

    assert "pip install 'runvitals[gpu]'" in (missing_library(tmp_path) or "")

    monkeypatch.setitem(sys.modules, "pynvml", fake_nvml())
    assert missing_library(tmp_path) is None


def test_a_run_says_once_what_to_install(start, monkeypatch):
    said = "the NVIDIA GPU is not measured; pip install 'runvitals[gpu]'"
    monkeypatch.setattr("runvitals.recorder.chores.missing_library", lambda: said)

    with pytest.warns(match="runvitals.gpu.") as told:
        start(system=True).finish()

    assert [said in str(one.message) for one in told] == [True]


def test_every_vendor_is_asked(monkeypatch):
    monkeypatch.setattr(Nvidia, "devices", classmethod(lambda _: ["nvidia"]))
    monkeypatch.setattr(Amd, "devices", classmethod(lambda _: ["amd"]))
    monkeypatch.setattr(Apple, "devices", classmethod(lambda _: ["apple"]))

    assert gpus.open_gpus() == ["nvidia", "amd", "apple"]


@pytest.mark.parametrize(
    ("vendor", "used", "total", "use"),
    [("nvidia", 2.0, 8.0, 89.5), ("apple", 2.0, None, 41.0)],  # a Mac has as much as main memory
)
def test_a_teacher_run_has_the_gpu_under_the_tags_of_its_reference(
    tmp_path, monkeypatch, vendor, used, total, use
):
    if vendor == "nvidia":
        monkeypatch.setitem(sys.modules, "pynvml", fake_nvml())
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setattr(Nvidia, "devices", classmethod(lambda _: []))
        monkeypatch.setattr(Apple, "devices", classmethod(lambda cls: [cls(lambda: IOREG)]))
    brief = {"epochs": 1, "batches_per_epoch": 2, "prompts_per_batch": 4, "base_steps": 5}
    case = Case("teacher", settings=brief)
    monkeypatch.setattr("runvitals.recorder.chores.pause_after", lambda *_: 0.0)

    made = run_case(case, tmp_path, console=False, judge=False, system=True, tensorboard=True)

    tags = rv.open_run(made.folder / "tensorboard")
    found = {tag: tags[f"System/{tag}"].values[-1] for tag in GPU_TAGS}
    assert found["GPU_Memory_Used_GB"] == pytest.approx(used)
    assert found["GPU_Utilization"] == pytest.approx(use)
    if total is not None:
        assert found["GPU_Memory_Total_GB"] == pytest.approx(total)
    share = 100 * found["GPU_Memory_Used_GB"] / found["GPU_Memory_Total_GB"]
    assert found["GPU_Memory_Percent"] == pytest.approx(share, rel=1e-3)
