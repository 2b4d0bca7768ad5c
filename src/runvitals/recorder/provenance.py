"""Where a run came from: code, command, machine, packages, seeds; captured once, never secrets."""

from __future__ import annotations

import os
import platform
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil

from runvitals.model.secrets import redacted
from runvitals.recorder.gpus import open_gpus

_GIT_SECONDS = 5.0
# Settings that change what a run does. Only these are ever read from the environment.
ENVIRONMENT = """
CUDA_VISIBLE_DEVICES CUBLAS_WORKSPACE_CONFIG JAX_PLATFORMS LOCAL_RANK MASTER_ADDR MASTER_PORT
MKL_NUM_THREADS NCCL_DEBUG OMP_NUM_THREADS PYTHONHASHSEED PYTORCH_CUDA_ALLOC_CONF RANK SLURM_JOB_ID
SLURM_JOB_NAME SLURM_NNODES SLURM_PROCID TOKENIZERS_PARALLELISM TORCHELASTIC_RUN_ID VLLM_USE_V1
WORLD_SIZE XLA_FLAGS
""".split()
_HEADER = re.compile(r"^(Name|Version):[ \t]*(.*\S)", re.MULTILINE)
_SEED = re.compile(r"(^|[._/-])(random_|env_|global_|data_)?seed$", re.IGNORECASE)


def capture(config: Mapping[str, Any]) -> dict[str, Any]:
    """Everything worth knowing later; takes a moment, so not from inside the training loop."""
    facts: dict[str, Callable[[], Any]] = {
        "argv": lambda: list(sys.argv),
        "directory": os.getcwd,
        "git": lambda: git_state(Path.cwd()),
        "python": platform.python_version,
        "platform": platform.platform,
        "packages": packages,
        "host": socket.gethostname,
        "pid": os.getpid,
        "cpu": lambda: {"model": _cpu_model(), "cores": os.cpu_count()},
        "memory_gb": lambda: round(psutil.virtual_memory().total / 2**30, 1),
        "gpus": lambda: [gpu.name for gpu in open_gpus()],
        "seeds": lambda: seeds(config),
        "environment": lambda: {k: os.environ[k] for k in ENVIRONMENT if k in os.environ},
    }
    known: dict[str, Any] = redacted({name: _known(read) for name, read in facts.items()})
    return known


def _known(read: Callable[[], Any]) -> Any:
    """None where the machine does not say: a deleted folder, a broken package, no permission."""
    try:
        return read()
    except Exception:  # noqa: BLE001 - one unknown fact must not cost the others
        return None


def git_state(folder: Path) -> dict[str, Any] | None:
    """Commit, branch and whether there are changes on top; None outside a repository."""
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return None
    remote = _git(folder, "remote", "get-url", "origin")
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return {
        "commit": commit,
        "branch": _git(folder, "rev-parse", "--abbrev-ref", "HEAD"),
        "dirty": None if changes is None else bool(changes),
        "remote": None if remote is None else redacted(remote),
    }


def _git(folder: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", *words],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_GIT_SECONDS,
            stdin=subprocess.DEVNULL,
            check=True,
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout.strip()


def packages() -> dict[str, str]:
    """Installed packages and versions.

    Read line by line: `package.metadata` parses whole descriptions, which for the hundreds of
    packages of an environment takes the processor from the training for thirty times as long.
    """
    found = {}
    for package in metadata.distributions():
        text = package.read_text("METADATA") or package.read_text("PKG-INFO") or ""
        headers = dict(_HEADER.findall(text.partition("\n\n")[0]))
        if "Name" in headers and "Version" in headers:
            found[headers["Name"]] = headers["Version"]
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


def seeds(config: Mapping[str, Any]) -> dict[str, Any]:
    """Every seed that can be found: in the config, the environment and torch."""
    found = {key: value for key, value in config.items() if _SEED.search(key)}
    if "PYTHONHASHSEED" in os.environ:
        found["PYTHONHASHSEED"] = os.environ["PYTHONHASHSEED"]
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "initial_seed"):
        found["torch"] = str(torch.initial_seed())
    return found


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        return platform.processor()
    return platform.processor()
