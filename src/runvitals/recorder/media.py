"""Images, sounds and videos on their way to the flusher, which encodes them in the background."""

from __future__ import annotations

import io
import struct
import wave
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from runvitals.model.row import MAX_MEDIA_BYTES, Media, file_name
from runvitals.recorder.config import encodable
from runvitals.recorder.values import is_jax

MAX_ARRAY_BYTES = 8 * MAX_MEDIA_BYTES  # before it is encoded: doubles of an image that still fits
MAX_CAPTION = 2_000
_PNG_COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}  # grey, grey with alpha, RGB, RGBA


@dataclass(frozen=True, slots=True)
class LazyMedia:
    """What becomes a file in the background."""

    kind: Literal["image", "audio", "video"]
    name: str
    step: int
    time: float
    values: Any  # bytes, a path, or an array
    caption: str
    rate: int

    @classmethod
    def snapshot(
        cls,
        kind: Literal["image", "audio", "video"],
        name: str,
        step: int,
        time: float,
        content: Any,
        *,
        caption: str = "",
        rate: int = 0,
    ) -> LazyMedia:
        """Copy what may change later; raises `ValueError` for what is too large or no such thing."""
        # a figure of Matplotlib is drawn now, since it may be closed later
        if hasattr(content, "savefig"):
            drawn = io.BytesIO()
            content.savefig(drawn, format="png")
            content = drawn.getvalue()
        elif isinstance(content, str):
            content = Path(content)
        elif hasattr(content, "detach"):
            content = content.detach().clone()
        elif hasattr(content, "getbands"):  # a Pillow image
            content = np.array(content.convert("RGBA" if "A" in content.getbands() else "RGB"))
        elif isinstance(content, bytearray | memoryview):
            content = bytes(content)
        elif not isinstance(content, bytes | Path) and not is_jax(content):
            content = np.array(content)
        limit = MAX_MEDIA_BYTES if isinstance(content, bytes) else MAX_ARRAY_BYTES
        if (size := byte_count(content)) > limit:
            raise ValueError(f"it has {size:,} bytes, and the limit is {limit:,}")
        if kind == "video" and not isinstance(content, bytes | Path):
            raise ValueError("give a video as encoded bytes or as the path of a file")
        return cls(
            kind,
            encodable(str(name)),
            step,
            time,
            content,
            encodable(str(caption)[:MAX_CAPTION]),
            rate,
        )

    def make(self) -> Media:
        """Read or encode it; raises `ValueError` for what no browser shows."""
        data = self._encoded()
        if len(data) > MAX_MEDIA_BYTES:
            raise ValueError(f"it has {len(data):,} bytes, and the limit is {MAX_MEDIA_BYTES:,}")
        file = file_name(data)
        if file is None:
            raise ValueError(
                "its format is none of PNG, JPEG, GIF, WebP, WAV, MP3, Ogg, FLAC, MP4, WebM"
            )
        return Media(self.name, self.step, self.time, file, self.caption, data)

    def _encoded(self) -> bytes:
        content = self.values
        if isinstance(content, bytes):
            return content
        if isinstance(content, Path):
            with open(content, "rb") as file:
                return file.read(MAX_MEDIA_BYTES + 1)
        if hasattr(content, "detach"):
            content = (
                content.float().cpu().numpy()
                if content.is_floating_point()
                else content.cpu().numpy()
            )
        array = np.asarray(content)
        return png(array) if self.kind == "image" else wav(array, self.rate)


def byte_count(content: Any) -> int:
    """About how many bytes it keeps in memory."""
    return len(content) if isinstance(content, bytes) else int(getattr(content, "nbytes", 0))


def png(pixels: NDArray[Any]) -> bytes:
    """A picture of height × width, with or without channels, which may also come first.

    Floats are shares of full brightness, or go up to 255 if one is above 1.
    """
    if pixels.ndim == 2:
        pixels = pixels[..., None]
    if pixels.ndim == 3 and pixels.shape[2] not in _PNG_COLOURS:
        pixels = np.moveaxis(pixels, 0, 2)
    if pixels.ndim != 3 or pixels.shape[2] not in _PNG_COLOURS or not pixels.size:
        raise ValueError(f"an array of shape {pixels.shape} is not a picture")
    if pixels.dtype == np.bool_:
        pixels = pixels.astype(np.uint8) * 255
    elif pixels.dtype.kind == "f":
        pixels = np.nan_to_num(pixels, posinf=255.0)
        pixels = np.rint(pixels * (255.0 if pixels.max() <= 1.0 else 1.0))
    height, width, channels = pixels.shape
    rows = np.clip(pixels, 0, 255).astype(np.uint8).reshape(height, width * channels)
    unfiltered = np.zeros((height, 1), np.uint8)
    header = struct.pack(">IIBBBBB", width, height, 8, _PNG_COLOURS[channels], 0, 0, 0)
    image = zlib.compress(np.hstack([unfiltered, rows]).tobytes(), 6)
    parts = ((b"IHDR", header), (b"IDAT", image), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def wav(sound: NDArray[Any], rate: int) -> bytes:
    """A sound of n samples, or n × channels (which may also come first); floats lie in -1 to 1."""
    if sound.ndim == 1:
        sound = sound[:, None]
    if sound.ndim == 2 and sound.shape[0] < sound.shape[1]:
        sound = sound.T
    if sound.ndim != 2 or not 1 <= sound.shape[1] <= 8 or not 1 <= rate <= 1_000_000:
        raise ValueError(f"an array of shape {sound.shape} at rate {rate} is not a sound")
    if sound.dtype.kind == "f":
        sound = np.rint(np.clip(np.nan_to_num(sound), -1, 1) * 32767)
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setnchannels(sound.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.clip(sound, -32768, 32767).astype("<i2").tobytes())
    return content.getvalue()
