"""Stable-Baselines3 `evaluations.npz`: what `EvalCallback` measured, every episode of it."""

import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from runvitals.model import ReadError
from runvitals.readers.log import Blocks, Log, Reader
from runvitals.readers.raw.source import stamp_if_there, uncompressed_name
from runvitals.readers.rows.table import Column, Table, runs_in
from runvitals.readers.tabular._blocks import logs_of
from runvitals.readers.tabular.numpy_arrays import ArrayHeader

ID = "sb3-evaluations"

MAX_BYTES = 256 * 2**20
_STEPS = "timesteps"
_AXIS = "step"  # what the table calls it
_NAMES = {  # arrays of the file, and what the callback logs them as
    "results": "eval/mean_reward",
    "ep_lengths": "eval/mean_ep_length",
    "successes": "eval/success_rate",
}
_BROKEN = (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error, RuntimeError,
           NotImplementedError, MemoryError)  # fmt: skip


def sniff(path: Path, head: bytes) -> int:
    """A zip file that holds the callback's arrays."""
    if not head.startswith(b"PK\x03\x04") or not uncompressed_name(path).endswith(".npz"):
        return 0
    try:
        with zipfile.ZipFile(path) as archive:
            names = {info.filename for info in archive.infolist()[:100]}
    except _BROKEN:
        return 95 if uncompressed_name(path) == "evaluations.npz" else 0
    return 97 if {"timesteps.npy", "results.npy"} <= names else 0


def read(path: Path) -> list[Log]:
    """The evaluations over the time steps of training."""
    stamp = stamp_if_there(path)
    warnings: list[str] = []
    table = _table(path, warnings)
    logs, _ = logs_of(path, ID, table, warnings, framework="stable-baselines3", step=_AXIS)
    logs[-1].read_new = _Again(path, stamp, table.rows)
    return logs


@dataclass
class _Again:
    """Reads what was added; the callback replaces the file at each evaluation."""

    path: Path
    stamp: tuple[int, int, int] | None
    rows: int

    def __call__(self) -> Blocks:
        stamp = stamp_if_there(self.path)
        if stamp == self.stamp:
            return []
        try:
            table = _table(self.path, [])
        except ReadError:
            return []  # the callback is at it
        added = table.without_first(self.rows)
        self.stamp, self.rows = stamp, table.rows
        parts = runs_in(added, step=_AXIS, split=False) if added.rows else []
        return [block for part in parts for block in part.blocks]


def _table(path: Path, warnings: list[str]) -> Table:
    try:
        with zipfile.ZipFile(path) as archive:
            steps = _array(path, archive, _STEPS)
            arrays = {name: _array(path, archive, name) for name in _NAMES}
    except ReadError:
        raise
    except _BROKEN as error:
        raise ReadError(
            path, f"this is not a complete .npz file ({error})", hint="was the run killed mid-save?"
        ) from error
    if steps is None or steps.ndim != 1 or arrays["results"] is None:
        raise ReadError(path, "no arrays `timesteps` and `results` in it")
    count = len(steps)
    table = Table(count, {_AXIS: Column(steps.astype(np.float64), np.arange(count))})
    for name, array in arrays.items():
        if array is None or not array.size:
            continue
        if array.ndim < 1 or len(array) != count:
            warnings.append(f"`{name}` has {len(array)} rows, `timesteps` has {count}; left out")
            continue
        with np.errstate(invalid="ignore", over="ignore"):
            means = array.reshape(count, -1).astype(np.float64).mean(axis=1)
        table.columns[_NAMES[name]] = Column(means, np.arange(count))
    return table


def _array(
    path: Path, archive: zipfile.ZipFile, name: str
) -> np.ndarray[Any, np.dtype[Any]] | None:
    """One array; never unpickled, and never larger than the file says and we allow."""
    try:
        info = archive.getinfo(f"{name}.npy")
    except KeyError:
        return None
    if info.file_size > MAX_BYTES:
        raise ReadError(
            path, f"`{name}` claims {info.file_size:,} bytes", hint="this is not a training log"
        )
    with archive.open(info) as file:
        header = ArrayHeader.of(file)
        if header.dtype.hasobject:
            told = f"`{name}` holds Python objects, which are never unpickled"
            hint = "the number of episodes may differ between evaluations"
            raise ReadError(path, told, hint=hint)
        if header.dtype.kind not in "fiub" or header.size > info.file_size:
            raise ReadError(path, f"`{name}` is not an array of numbers, or is cut off")
    with archive.open(info) as file:
        array: np.ndarray[Any, np.dtype[Any]] = npy.read_array(file, allow_pickle=False)
    return array


# eval/mean_reward
READER = Reader(ID, "Stable-Baselines3 evaluations.npz", sniff, read, role="side", names_split=True)
