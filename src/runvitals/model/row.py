"""Rows: what `log()` makes and every reader yields, singly or in blocks of equal shape."""

from __future__ import annotations

import hashlib
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

MAX_MEDIA_BYTES = 32 * 2**20  # of one file
FOLDER = "media"
TYPES = {
    "png": "image/png", "jpg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "wav": "audio/wav", "mp3": "audio/mpeg", "ogg": "audio/ogg", "flac": "audio/flac",
    "mp4": "video/mp4", "webm": "video/webm",
}  # fmt: skip
# What the bytes of each begin with, behind an offset; no format that can hold a script (SVG).
_SIGNS = (
    ("png", 0, b"\x89PNG\r\n\x1a\n"),
    ("jpg", 0, b"\xff\xd8\xff"),
    ("gif", 0, b"GIF8"),
    ("webp", 8, b"WEBP"),
    ("wav", 8, b"WAVE"),
    ("mp3", 0, b"ID3"),
    ("mp3", 0, b"\xff\xfb"),
    ("ogg", 0, b"OggS"),
    ("flac", 0, b"fLaC"),
    ("mp4", 4, b"ftyp"),
    ("webm", 0, b"\x1a\x45\xdf\xa3"),
)
_FILE = re.compile(rf"[0-9a-f]{{20}}\.({'|'.join(TYPES)})")


@dataclass(frozen=True, slots=True)
class Media:
    """An image, a sound or a video at one step.

    `source` is its bytes while it is on the way to the store, and its path afterwards.
    """

    name: str
    step: int
    time: float
    file: str  # in the folder `media` of the run
    caption: str = ""
    source: bytes | Path = field(default=b"", repr=False, compare=False)

    @property
    def type(self) -> str:
        """Its media type, such as `image/png`."""
        return TYPES[self.file.rpartition(".")[2]]

    @property
    def kind(self) -> str:
        """`image`, `audio` or `video`."""
        return self.type.partition("/")[0]

    def read(self) -> bytes:
        """Its bytes. Raises `OSError` if the file is gone, `ValueError` if it is damaged."""
        data = self.source if isinstance(self.source, bytes) else _content(self.source)
        if file_name(data) != self.file:
            raise ValueError(f"{self.file} is damaged")
        return data


def _content(path: Path) -> bytes:
    status = path.lstat()  # no links, which may lead anywhere
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_MEDIA_BYTES:
        raise ValueError(f"{path.name} is not a file of a run")
    return path.read_bytes()


def file_name(data: bytes) -> str | None:
    """The name of a file with these bytes; None if they are of no kind that a browser shows.

    >>> file_name(b"GIF89a...")
    '76b9a065d45409413fb0.gif'
    """
    for ending, offset, sign in _SIGNS:
        if data.startswith(sign, offset):
            return f"{hashlib.sha256(data).hexdigest()[:20]}.{ending}"
    return None


def is_media_file(name: str) -> bool:
    """True if a file of the folder `media` may have this name."""
    return _FILE.fullmatch(name) is not None


FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Row:
    """The values logged together at one step. `time` is Unix seconds, None when unknown."""

    step: int
    values: Mapping[str, float]
    time: float | None = None
    rank: int = 0


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Many rows that hold the same names: one column per name, in log order.

    `steps` and `times` have length n, `values` has shape (n, len(names)). Times are Unix seconds,
    NaN when unknown.
    """

    names: tuple[str, ...]
    steps: IntArray
    times: FloatArray
    values: FloatArray
    rank: int = 0

    def __len__(self) -> int:
        return len(self.steps)

    def column(self, name: str) -> FloatArray:
        """The values of one name."""
        return self.values[:, self.names.index(name)]

    def select(self, columns: list[int], prefix: str = "") -> RowBlock:
        """Some of the columns, their names with a prefix."""
        names = tuple(f"{prefix}{self.names[i]}" for i in columns)
        return RowBlock(names, self.steps, self.times, self.values[:, columns], self.rank)

    def part(self, rows: slice | NDArray[Any]) -> RowBlock:
        """Some of the rows."""
        steps, times, values = self.steps[rows], self.times[rows], self.values[rows]
        return RowBlock(self.names, steps, times, values, self.rank)

    def rows(self) -> Iterator[Row]:
        """The same data row by row; slow, for code where a handful of rows passes."""
        for i in range(len(self.steps)):
            yield Row(
                step=int(self.steps[i]),
                time=float(self.times[i]),
                values=dict(zip(self.names, self.values[i].tolist(), strict=True)),
                rank=self.rank,
            )


@dataclass(frozen=True, slots=True)
class Histogram:
    """A distribution at one step: `counts[i]` values lie in `edges[i] <= x < edges[i + 1]`."""

    name: str
    step: int
    time: float
    edges: FloatArray
    counts: FloatArray
    total: float = 0.0
    total_of_squares: float = 0.0


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text at one step; that of a table is Markdown."""

    name: str
    step: int
    time: float
    text: str
    is_table: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """One model output with whatever belongs to it: prompt, completion, reward, ..."""

    step: int
    time: float
    fields: Mapping[str, object] = field(default_factory=dict)


Event = Histogram | Text | Sample | Media


def gathered(blocks: Iterable[RowBlock]) -> Iterator[RowBlock]:
    """The same rows: those of one rank and the same names in one block, in the order they were logged.

    A stream holds a block for each second; a series in thousands of pieces is slow to put together.
    """
    alike: dict[tuple[tuple[str, ...], int], list[RowBlock]] = {}
    for block in blocks:
        if block.values.size:
            alike.setdefault((block.names, block.rank), []).append(block)
    for (names, rank), parts in alike.items():
        if len(parts) == 1 and parts[0].values.flags.f_contiguous:
            yield parts[0]
            continue
        values = np.empty((sum(map(len, parts)), len(names)), order="F")
        np.concatenate([part.values for part in parts], out=values)
        steps = np.concatenate([part.steps for part in parts])
        times = np.concatenate([part.times for part in parts])
        yield RowBlock(names, steps, times, values, rank)


def in_groups(items: Iterable[T], size: Callable[[T], int], enough: int) -> Iterator[list[T]]:
    """The items in order, as many at a time as reach a size together; the last group may be small.

    >>> list(in_groups([3, 1, 4, 1], lambda item: item, 4))
    [[3, 1], [4], [1]]
    """
    group: list[T] = []
    total = 0
    for item in items:
        group.append(item)
        total += size(item)
        if total >= enough:
            yield group
            group, total = [], 0
    if group:
        yield group
