"""Small files that ask for a lot of memory, each written by one function and named as its format is."""

from __future__ import annotations

import gzip
import io
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import google_crc32c
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

MEBI = 1 << 20
EXPANDED = 1536 * MEBI  # more than a reader may take


def blanks(path: Path) -> None:
    """A compressed table of nothing but blanks."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"step,loss\n")
        for _ in range(EXPANDED // (64 * MEBI)):
            file.write(b" " * (64 * MEBI))


def numbers(path: Path) -> None:
    """A compressed JSON document with hundreds of millions of numbers."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b'{"log_history": [')
        for _ in range(EXPANDED // (64 * MEBI)):
            file.write(b"1," * (32 * MEBI))


def plain_numbers(path: Path) -> None:
    """A whole JSON document of fractions, as long as a reader takes them."""
    path.write_bytes(b'{"log_history": [' + b"0.1," * (127 * MEBI // 4) + b'1], "global_step": 1}')


def many_rows(path: Path) -> None:
    """A whole history of sixteen million rows that nobody can judge."""
    rows = b'{"a":1},' * (127 * MEBI // 8 - 1)
    path.write_bytes(b'{"log_history": [' + rows + b'{"a":1}], "global_step": 1}')


def zeros(path: Path) -> None:
    """An archive of arrays that is all zeros."""
    count = EXPANDED // 8
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (count,)}
    )
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("loss.npy", "w", force_zip64=True) as file,
    ):
        file.write(header.getvalue())
        for _ in range(EXPANDED // (64 * MEBI)):
            file.write(bytes(64 * MEBI))


def deep(path: Path) -> None:
    """Five million brackets."""
    path.write_bytes(b"[" * 5_000_000)


def one_line(path: Path) -> None:
    """A line that does not end."""
    with path.open("wb") as file:
        file.write(b'{"step": 1, "loss": ')
        for _ in range(EXPANDED // (64 * MEBI)):
            file.write(b"1" * (64 * MEBI))


def row_group(path: Path) -> None:
    """Parquet whose one group of rows is kilobytes on disk and gigabytes in memory."""
    count = EXPANDED // 8
    same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int32)), pa.array([1.0]))
    pq.write_table(pa.table({"step": same, "loss": same}), path, row_group_size=count)


def long_record(path: Path) -> None:
    """An event file whose first record says that it has 4 GB, with the right checksum."""
    length = struct.pack("<Q", 0xFFFFFFFF)
    crc = google_crc32c.value(length)
    masked = (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
    path.write_bytes(length + struct.pack("<I", masked) + bytes(1000))


def hole(path: Path) -> None:
    """Two lines, and a hole of a terabyte."""
    path.write_bytes(b"step,loss\n1,2\n")
    os.truncate(path, 1 << 40)


BOMBS: list[tuple[str, Callable[[Path], None]]] = [
    ("events.out.tfevents.1.host", long_record),
    ("trainer_state.json", deep),
    ("checkpoint-1/trainer_state.json", plain_numbers),
    ("checkpoint-2/trainer_state.json", many_rows),
    ("deep.jsonl", deep),
    ("hole.csv", hole),
    ("hole.jsonl", hole),
    ("hole.json", hole),
    ("hole.parquet", hole),
    ("hole.log", hole),
    ("hole.npz", hole),
    ("events.out.tfevents.2.host", hole),
    ("zeros.npz", zeros),
    ("rows.parquet", row_group),
    ("line.jsonl", one_line),
    ("blanks.csv.gz", blanks),
    ("numbers.json.gz", numbers),
]
