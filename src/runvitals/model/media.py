"""Images, sounds and videos: files in a run's folder `media`, named by what is in them."""

from __future__ import annotations

import hashlib
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path

MAX_MEDIA_BYTES = 32 * 2**20  # of one file
FOLDER = "media"
TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "flac": "audio/flac",
    "mp4": "video/mp4",
    "webm": "video/webm",
}
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
