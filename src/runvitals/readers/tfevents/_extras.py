"""The rarer contents of event files: histograms, texts, hyperparameters."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import orjson

from runvitals.model import Event, Histogram, Text, Wanted
from runvitals.readers.raw.literals import parse_dict
from runvitals.readers.raw.numbers import parse_number
from runvitals.readers.tfevents._columns import text_name
from runvitals.tfevents import decode as proto

MAX_SETTINGS = 5_000
MAX_CONFIG_LENGTH = 2**20
_DEEPEST = 12
_PLAIN = frozenset({"args", "hyperparameters", "config", "hparams", "parameters", "params"})
_STATUS = {1: "finished", 2: "crashed", 3: "running"}


def decode(
    data: bytes, plugins: dict[bytes, bytes], wanted: Wanted | None = None
) -> Iterator[Event]:
    """The histograms and texts of one event. `plugins` remembers what each tag was first said to be."""
    try:
        found = proto.layout(data)
        step, time = found.step(data), found.time(data)
        for other in found.others:
            if wanted is not None and not wanted(other.tag.decode("utf-8", "replace")):
                continue
            plugin = plugins.setdefault(other.tag, other.plugin) if len(plugins) < 20_000 else b""
            name = other.tag.decode("utf-8", "replace")
            if other.kind == "text" and plugin in (b"", b"text"):
                texts = proto.Tensor.parse(data, other.start, other.stop).texts(data)
                if texts:
                    yield Text(name, step, time, "\n".join(texts))
            elif other.kind == "histo":
                yield _legacy(data, other, name, step, time)
            elif other.kind == "tensor" and plugin == b"histograms":
                tensor = proto.Tensor.parse(data, other.start, other.stop)
                buckets = np.array(tensor.numbers(data), np.float64)
                if len(tensor.shape) == 2 and tensor.shape[1] == 3 and len(buckets) % 3 == 0:
                    yield _buckets(buckets.reshape(-1, 3), name, step, time)
    except (proto.MalformedError, struct.error):
        return


def _legacy(data: bytes, other: proto.Other, name: str, step: int, time: float) -> Histogram:
    single = dict.fromkeys(range(1, 6), 0.0)
    packed: dict[int, list[float]] = {6: [], 7: []}
    for number, kind, low, high in proto.fields(data, other.start, other.stop):
        if number in single and kind == proto.FIXED64:
            single[number] = struct.unpack_from("<d", data, low)[0]
        elif number in packed and kind in (proto.BYTES, proto.FIXED64):
            whole = high - (high - low) % 8
            packed[number] += struct.unpack(f"<{(whole - low) // 8}d", data[low:whole])
    count = min(len(packed[6]), len(packed[7]))
    counts = np.array(packed[7][:count], np.float64)
    # buckets are told by their right ends; the outermost reach to minimum and maximum
    edges = np.array([single[1], *packed[6][: max(0, count - 1)], single[2]], np.float64)
    if count and single[1] <= single[2]:
        edges = np.clip(edges, single[1], single[2])
    return Histogram(name, step, time, edges[: count + 1], counts, single[4], single[5])


def _buckets(table: np.ndarray[Any, Any], name: str, step: int, time: float) -> Histogram:
    left, right, counts = table.T
    edges = np.append(left, right[-1:])
    with np.errstate(all="ignore"):
        middle = (left + right) / 2
        total, squares = float((middle * counts).sum()), float((middle**2 * counts).sum())
    return Histogram(name, step, time, edges, counts.copy(), total, squares)


class EventFileSettings:
    """What event files tell about the run as a whole."""

    def __init__(self) -> None:
        self.config: dict[str, Any] = {}
        self.status: str | None = None
        self.started: float | None = None
        self.ended: float | None = None

    def take(self, data: bytes, found: proto.Layout) -> None:
        """Take in an event with hyperparameters, or with a text that holds them."""
        for other in found.others:
            try:
                if other.kind == "hparams":
                    self._plugin(data, other)
                elif other.kind == "text" and other.stop - other.start <= MAX_CONFIG_LENGTH:
                    name = text_name(other.tag.decode("utf-8", "replace"))
                    tensor = proto.Tensor.parse(data, other.start, other.stop)
                    texts = tensor.texts(data)
                    if tensor.shape[1:] == [2]:
                        self._pairs(texts)
                    else:
                        for text in texts[:4]:
                            self.take_text(name, text)
            except (proto.MalformedError, struct.error):
                continue

    def absorb(self, later: EventFileSettings) -> None:
        """Take over what later files say; what was said first counts."""
        for name, value in later.config.items():
            self._set(name, value)
        self.started = later.started if self.started is None else self.started
        self.status = later.status or self.status
        self.ended = self.ended if later.ended is None else later.ended

    def _set(self, name: str, value: Any) -> None:
        if name and len(self.config) < MAX_SETTINGS:
            self.config.setdefault(name, value)

    def _plugin(self, data: bytes, other: proto.Other) -> None:
        for number, kind, low, high in proto.fields(data, other.start, other.stop):
            if number == 3 and kind == proto.BYTES:
                for inner, inner_kind, a, b in proto.fields(data, low, high):
                    if inner == 1 and inner_kind == proto.BYTES:
                        self._setting(data, a, b)
                    elif inner == 5 and inner_kind == proto.FIXED64:
                        self.started = _time(data, a)
            elif number == 4 and kind == proto.BYTES:
                status, ended = 0, None
                for inner, inner_kind, a, b in proto.fields(data, low, high):
                    if inner == 1 and inner_kind == proto.VARINT:
                        status = proto.varint(data, a, b)[0]
                    elif inner == 2 and inner_kind == proto.FIXED64:
                        ended = _time(data, a)
                if ended is not None:  # torch writes "success" at the start, without a time
                    self.status, self.ended = _STATUS.get(status, self.status), ended

    def _setting(self, data: bytes, low: int, high: int) -> None:
        name, value = "", None
        for number, kind, a, b in proto.fields(data, low, high):
            if number == 1 and kind == proto.BYTES:
                name = data[a:b].decode("utf-8", "replace")
            elif number == 2 and kind == proto.BYTES:
                value = _protobuf_value(data, a, b, 0)
        self._flat(value, name, 0)

    def take_text(self, name: str, text: str) -> None:
        """Take in a text that holds settings."""
        prefix = "" if name in _PLAIN else name
        shown = text.strip()
        if shown.startswith("{"):
            try:
                self._flat(orjson.loads(shown), prefix, 0)
            except orjson.JSONDecodeError:
                return
        elif shown.startswith("|"):
            for line in shown.splitlines():
                cells = line.strip().strip("|").split("|", 1)
                if len(cells) == 2 and set(line) - set("|-: ") and cells != ["param", "value"]:
                    self._set(cells[0].strip(), plain_value(cells[1]))
        else:
            self._indented(text)

    def _pairs(self, texts: list[str]) -> None:
        """A table of names and values, as older ML-Agents write it; values may be dicts in print."""
        for name, value in zip(texts[::2], texts[1::2], strict=False):
            found = parse_dict(value) if value.startswith("{") else None
            if found is None:
                self._set(name, plain_value(value))
            else:
                self._flat(found[0], name, 0)

    def _indented(self, text: str) -> None:
        """Lines like `  batch_size:<tab>64`, nested by their indentation."""
        path: list[tuple[int, str]] = []
        for line in text.splitlines()[:MAX_SETTINGS]:
            name, colon, value = line.lstrip("\t").partition(":")
            if not colon:
                continue
            depth = len(name) - len(name.lstrip())
            while path and path[-1][0] >= depth:
                path.pop()
            path.append((depth, name.strip()))
            if value.strip() and len(path) <= _DEEPEST:
                self._set(".".join(part for _, part in path), plain_value(value))

    def _flat(self, value: Any, name: str, depth: int) -> None:
        if isinstance(value, Mapping) and depth < _DEEPEST:
            for key, inner in value.items():
                self._flat(inner, f"{name}.{key}" if name else str(key), depth + 1)
        elif not isinstance(value, Mapping):
            self._set(name, value)


def plain_value(text: str) -> Any:
    """A setting as a number, a truth value, None or the text itself.

    >>> [plain_value(text) for text in (" 64 ", "True", "None", "0.5", "adam")]
    [64, True, None, 0.5, 'adam']
    """
    text = text.strip()
    if text in ("True", "true", "False", "false"):
        return text.lower() == "true"
    if text in ("None", "null"):
        return None
    number = parse_number(text)
    if number is None:
        return text
    return int(text) if text.lstrip("+-").isdecimal() and len(text) < 20 else number


def _time(data: bytes, at: int) -> float | None:
    seconds: float = struct.unpack_from("<d", data, at)[0]
    return seconds if math.isfinite(seconds) and seconds > 0 else None


def _protobuf_value(data: bytes, low: int, high: int, depth: int) -> Any:
    """A `google.protobuf.Value`."""
    value: Any = None
    for number, kind, a, b in proto.fields(data, low, high):
        if number == 2 and kind == proto.FIXED64:
            real: float = struct.unpack_from("<d", data, a)[0]
            value = int(real) if abs(real) < 2**53 and real.is_integer() else real
        elif number == 3 and kind == proto.BYTES:
            value = data[a:b].decode("utf-8", "replace")
        elif number == 4 and kind == proto.VARINT:
            value = bool(proto.varint(data, a, b)[0])
        elif number == 5 and kind == proto.BYTES and depth < _DEEPEST:
            value = dict(
                _protobuf_entry(data, x, y, depth + 1)
                for n, k, x, y in proto.fields(data, a, b)
                if n == 1 and k == proto.BYTES
            )
        elif number == 6 and kind == proto.BYTES and depth < _DEEPEST:
            value = [
                _protobuf_value(data, x, y, depth + 1)
                for n, k, x, y in proto.fields(data, a, b)
                if n == 1 and k == proto.BYTES
            ]
    return value


def _protobuf_entry(data: bytes, low: int, high: int, depth: int) -> tuple[str, Any]:
    """One name of a `google.protobuf.Struct`, and its value."""
    name, value = "", None
    for number, kind, a, b in proto.fields(data, low, high):
        if number == 1 and kind == proto.BYTES:
            name = data[a:b].decode("utf-8", "replace")
        elif number == 2 and kind == proto.BYTES:
            value = _protobuf_value(data, a, b, depth)
    return name, value


def settings_in_text(tag: str, text: str) -> dict[str, Any]:
    """The settings in a text whose name says that it holds some; nothing in other texts.

    >>> settings_in_text("hyperparameters", "|param|value|\\n|-|-|\\n|gamma|0.99|\\n|env_id|Hopper-v5|")
    {'gamma': 0.99, 'env_id': 'Hopper-v5'}
    >>> settings_in_text("sample", "|gamma|0.99|")
    {}
    """
    name = text_name(tag)
    if name not in proto.CONFIG_TEXTS or len(text) > MAX_CONFIG_LENGTH:
        return {}
    found = EventFileSettings()
    found.take_text(name, text)
    return found.config
