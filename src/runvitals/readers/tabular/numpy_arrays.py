"""Curves that were saved with `numpy.save` or `numpy.savez`: one array each, under a telling name.

Arrays without such a name are data, and so are rewards beside the observations of the same steps. A
file called after an algorithm and an environment, as the authors of TD3 save theirs, holds evaluations.
"""

from __future__ import annotations

import math
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from runvitals.catalog.definitions.algorithms import named_in
from runvitals.model import FloatArray, ReadError
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.source import uncompressed_name
from runvitals.readers.rows.column_names import ends_in_counter, is_step_name
from runvitals.readers.rows.evidence import (
    beside_measure,
    is_metric_name,
    is_training_name,
    measured_in,
)
from runvitals.readers.tabular._json_documents import Document, document_of_lists
from runvitals.readers.tabular.json_history import logs_of_document

ID = "numpy-arrays"

MAX_BYTES = 256 * 2**20  # of all arrays together
_MAX_ARRAYS = 200
_MIN_VALUES = 10
_MAX_SIDE_BY_SIDE = 16  # curves in one array, one for each seed
_ARRAY, _ARCHIVE = b"\x93NUMPY", b"PK\x03\x04"
# What lies beside the rewards of single steps, in the data of a replay or of experts.
_OF_STEPS = frozenset(
    "obs observation observations next_observations state states next_states action actions done "
    "dones terminal terminals terminated truncated timeouts mask masks".split()
)
_ENVIRONMENT = re.compile(r"[A-Z]\w*-v\d+(?=$|_)")  # as Gymnasium names them
_EVALUATIONS = "eval_returns"
BROKEN = (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error, RuntimeError,
          NotImplementedError, MemoryError, TypeError, SyntaxError)  # fmt: skip


@dataclass
class ArrayHeader:
    """What an array holds, before it is read."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, file: IO[bytes]) -> ArrayHeader:
        """The header that a file in NumPy's format begins with."""
        version = npy.read_magic(file)
        read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read_header(file)
        return cls(shape, dtype)

    @property
    def size(self) -> int:
        """Its bytes, as the file claims."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def is_curve(self) -> bool:
        """True if these may be values that were measured again and again, once or for each seed."""
        if self.dtype.hasobject or self.dtype.kind not in "fiub" or not 0 < self.size <= MAX_BYTES:
            return False
        long = [length for length in self.shape if length > 1]
        if len(long) == 1:
            return long[0] >= _MIN_VALUES
        if len(self.shape) != 2:
            return False
        curves, values = self.shape
        return curves <= _MAX_SIDE_BY_SIDE < values and values >= 2 * curves


def sniff(path: Path, head: bytes) -> int:
    """By names that only a training has, over arrays that may be curves."""
    if not head.startswith((_ARRAY, _ARCHIVE)):
        return 0
    if not uncompressed_name(path).endswith((".npy", ".npz")):
        return 0
    try:
        return 30 if any(map(_tells_training, _curves(path))) else 0
    except BROKEN:
        return 0


def _title(path: Path) -> str:
    """What the array of a file is called; numbers behind that are of the run: `scores-15`."""
    if _ENVIRONMENT.search(path.stem) is not None and named_in(path.stem):
        return _EVALUATIONS
    measured, rest = measured_in(path.stem), beside_measure(path.stem)
    numbered = measured is not None and rest and re.fullmatch(r"[\d ]+", rest)
    return measured if measured is not None and numbered else path.stem


def _tells_training(name: str) -> bool:
    return is_training_name(name) or (bool(measured_in(name)) and beside_measure(name) == "")


def _curves(path: Path) -> list[str]:
    """The names of the arrays that are curves or count the steps of some."""
    if path.suffix.lower() == ".npy":
        beside = {one.stem.lower() for one in path.parent.glob("*.npy")}
        with open(path, "rb") as file:
            good = ArrayHeader.of(file).is_curve and beside.isdisjoint(_OF_STEPS)
        return [_title(path)] if good else []
    with zipfile.ZipFile(path) as archive:
        headers = dict(_headers(archive))
    of_steps = {
        header.shape[0]
        for name, header in headers.items()
        if name.lower() in _OF_STEPS and header.shape
    }
    curves = {
        name: header
        for name, header in headers.items()
        if header.is_curve and header.shape[0] not in of_steps
    }
    lengths = {max(header.shape) for name, header in curves.items() if is_training_name(name)}
    found, size = [], 0
    for name, header in curves.items():
        size += header.size
        named = is_metric_name(name) or is_step_name(name) or ends_in_counter(name)
        if size <= MAX_BYTES and (max(header.shape) in lengths or named):
            found.append(name)
    return found


def _headers(archive: zipfile.ZipFile) -> Iterator[tuple[str, ArrayHeader]]:
    for info in archive.infolist()[:_MAX_ARRAYS]:
        if info.filename.endswith(".npy") and "/" not in info.filename:
            with archive.open(info) as file:
                yield info.filename.removesuffix(".npy"), ArrayHeader.of(file)


def read(path: Path) -> list[Log]:
    """The curves as series of one run."""
    return read_together([path])


def read_together(paths: Sequence[Path]) -> list[Log]:
    """The curves of several files as series of one run."""
    arrays: dict[str, np.ndarray[Any, np.dtype[Any]]] = {}
    for path in paths:
        try:
            arrays |= _arrays(path)
        except BROKEN as error:
            told = f"this is not a complete NumPy file ({error})"
            raise ReadError(path, told, hint="was the run killed mid-save?") from error
    document = _document(arrays)
    if not document.pieces:
        raise ReadError(paths[0], "it holds no curves", hint="expected arrays of numbers")
    return logs_of_document(paths[0], document, ID)


def _arrays(path: Path) -> dict[str, np.ndarray[Any, np.dtype[Any]]]:
    """The curves; nothing is ever unpickled."""
    names = _curves(path)
    if path.suffix.lower() == ".npy":
        with open(path, "rb") as file:
            return {name: npy.read_array(file, allow_pickle=False) for name in names}
    found = {}
    with zipfile.ZipFile(path) as archive:
        for name in names:
            with archive.open(f"{name}.npy") as file:
                found[name] = npy.read_array(file, allow_pickle=False)
    return found


def _document(arrays: dict[str, np.ndarray[Any, np.dtype[Any]]]) -> Document:
    lists: dict[str, FloatArray] = {}
    for name, array in arrays.items():
        plain = array.squeeze().astype(np.float64)
        if plain.ndim == 1:
            lists[name] = plain
        else:
            lists |= {f"{name}/{index}": row.copy() for index, row in enumerate(plain)}
    return document_of_lists(lists)


READER = Reader(
    ID,
    "NumPy arrays of a training's curves (.npy, .npz)",
    sniff,
    read,
    read_together=read_together,
    joins_by_name=True,
)
