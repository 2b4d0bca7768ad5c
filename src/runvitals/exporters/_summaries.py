"""TensorBoard's rarer summaries: histograms, texts, samples, media and hyperparameters.

Each function returns one `Summary.Value` message as bytes.
"""

from __future__ import annotations

import io
import math
import struct
import wave
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from runvitals.model import Histogram, Media, Sample
from runvitals.tfevents import encode, framing

MAX_CELL = 500
MAX_SAMPLES = 8
MAX_FIELDS = 12

_DT_FLOAT, _DT_STRING = 1, 7
_UNKNOWN, _SUCCESS, _FAILURE = 0, 1, 2
# `stopped` may be an early stop or a rule's verdict; only the run's owner knows whether that is bad
_STATUS = {
    "finished": _SUCCESS,
    "failed": _FAILURE,
    "crashed": _FAILURE,
    "killed": _FAILURE,
    "stopped": _UNKNOWN,
}


def event(time: float, step: int, values: Sequence[bytes]) -> bytes:
    """One record that holds these values."""
    summary = b"".join(encode.block(1, value) for value in values)
    return framing.record(
        encode.double(1, time) + encode.integer(2, step) + encode.block(5, summary)
    )


def file_version(time: float) -> bytes:
    """The record that every event file starts with."""
    return framing.record(encode.double(1, time) + encode.text(3, "brain.Event:2"))


def session_start(time: float, step: int) -> bytes:
    """A record that says that the run goes on at a step: what was written from there on is void."""
    start = encode.block(7, encode.integer(1, 1))
    return framing.record(encode.double(1, time) + encode.integer(2, step) + start)


def histogram(tag: str, histogram: Histogram) -> bytes:
    """A distribution in the legacy `histo` form, which all readers and pages understand."""
    edges = np.nan_to_num(np.asarray(histogram.edges, dtype=np.float64))
    counts = np.nan_to_num(np.asarray(histogram.counts, dtype=np.float64))
    if not len(counts):
        edges, counts = np.zeros(2), np.zeros(1)
    proto = (
        encode.double(1, float(edges[0]))
        + encode.double(2, float(edges[-1]))
        + encode.double(3, float(counts.sum()))
        + encode.double(4, histogram.total)
        + encode.double(5, histogram.total_of_squares)
        + encode.doubles(6, edges[1:].tolist())
        + encode.doubles(7, counts.tolist())
    )
    return encode.text(1, tag) + encode.block(5, proto)


def text(tag: str, content: str) -> bytes:
    """A text for the Text page, where it is read as Markdown."""
    scalar = encode.block(2, b"")  # a list, even of one, would be shown as a table
    tensor = encode.integer(1, _DT_STRING) + scalar + encode.text(8, content)
    return encode.text(1, tag) + encode.block(8, tensor) + _metadata("text", b"")


def media(tag: str, item: Media) -> bytes | None:
    """A PNG or GIF image or a WAV sound in the legacy form; None for anything else."""
    if item.type == "audio/wav":
        data = item.read()
        with wave.open(io.BytesIO(data)) as sound:
            facts = encode.integer(2, sound.getnchannels()) + encode.integer(3, sound.getnframes())
            rate = encode.key(1, encode.FIXED32) + struct.pack("<f", sound.getframerate())
        return encode.text(1, tag) + encode.block(
            6, rate + facts + encode.block(4, data) + encode.text(5, item.type)
        )
    if item.type not in ("image/png", "image/gif"):
        return None
    data = item.read()
    is_png = item.type == "image/png"
    width, height = (
        struct.unpack(">II", data[16:24]) if is_png else struct.unpack("<HH", data[6:10])
    )
    size = encode.integer(1, height) + encode.integer(2, width) + encode.integer(3, 3)
    return encode.text(1, tag) + encode.block(4, size + encode.block(4, data))


def hparams(config: Mapping[str, object], group: str, started: float) -> bytes:
    """The run's settings, for the HParams page.

    There is no experiment record: TensorBoard would take the first run's for all runs of a log
    folder, and hide the settings which only other runs have. Without it, it collects them all.
    """
    entries = b"".join(
        encode.block(1, encode.text(1, name) + encode.block(2, value))
        for name, value in _settings(config)
    )
    start = entries + encode.text(4, group) + encode.double(5, started)
    return _hparams_value("_hparams_/session_start_info", encode.block(3, start))


def session_end(status: str, time: float) -> bytes:
    """How the run ended, for the HParams page."""
    end = encode.integer(1, _STATUS.get(status, _UNKNOWN)) + encode.double(2, time)
    return _hparams_value("_hparams_/session_end_info", encode.block(4, end))


def samples_table(samples: Sequence[Sample]) -> str:
    """Samples as a Markdown table, the longest texts cut.

    >>> print(samples_table([Sample(5, 0.0, {"prompt": "1+1=", "reward": 1.0})]))
    | step | prompt | reward |
    |---|---|---|
    | 5 | 1+1= | 1 |
    """
    names = list(dict.fromkeys(name for sample in samples for name in sample.fields))[:MAX_FIELDS]
    lines = [["step", *(_cell(name) for name in names)]]
    for sample in samples:
        cells = [_cell(sample.fields[name]) if name in sample.fields else "" for name in names]
        lines.append([str(sample.step), *cells])
    table = ["| " + " | ".join(cells) + " |" for cells in lines]
    return "\n".join([table[0], "|---" * len(lines[0]) + "|", *table[1:]])


def _cell(content: object) -> str:
    shown = f"{content:.6g}" if isinstance(content, float) else str(content)
    if len(shown) > MAX_CELL:
        shown = f"{shown[:MAX_CELL]}… ({len(shown):,} characters)"
    for raw, safe in (("\\", "\\\\"), ("|", "\\|"), ("<", "&lt;"), ("\r", ""), ("\n", "<br>")):
        shown = shown.replace(raw, safe)
    return shown


def _metadata(plugin: str, content: bytes) -> bytes:
    plugin_data = encode.text(1, plugin) + (encode.block(2, content) if content else b"")
    return encode.block(9, encode.block(1, plugin_data))


def _hparams_value(tag: str, content: bytes) -> bytes:
    # all information sits in the metadata; the tensor is empty
    nothing = encode.integer(1, _DT_FLOAT) + encode.block(2, encode.block(2, b""))
    return encode.text(1, tag) + encode.block(8, nothing) + _metadata("hparams", content)


def _settings(config: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """Names and `google.protobuf.Value` messages; nested mappings get dotted names."""
    for name, value in config.items():
        full = f"{prefix}{name}"
        if isinstance(value, Mapping):
            yield from _settings(value, f"{full}.")
        elif isinstance(value, (bool, np.bool_)):
            yield full, encode.integer(4, int(value))
        elif isinstance(value, (int, float, np.number)) and math.isfinite(number := _real(value)):
            yield full, encode.double(2, number)
        else:
            yield full, encode.text(3, str(value)[:MAX_CELL])


def _real(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan
