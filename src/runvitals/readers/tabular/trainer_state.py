"""Hugging Face `trainer_state.json`: one JSON object with a `log_history` list, or that list alone.

The history mixes training rows, evaluation rows and a closing summary at the same step; all are kept
under their own names. Every checkpoint holds a prefix of the same history.
"""

from __future__ import annotations

import json
import re
from array import array
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from runvitals.model import Gap, ReadError
from runvitals.readers.log import Blocks, Log, Reader
from runvitals.readers.raw import source
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.rows.table import choose_step, runs_in

ID = "trainer-state"

MAX_BYTES = 128 * 2**20
# bytes that are parsed in one piece: as objects they are thirty times as large
MAX_AT_ONCE = 16 * 2**20
PIECE = 2 * 2**20  # of a longer one
_BATCH = 2048
_BOM = b"\xef\xbb\xbf"
_HISTORY = re.compile(rb'"log_history"\s{0,8}:\s{0,8}\[')
_BARE = re.compile(rb"\s*\[")
_BETWEEN = re.compile(r"[\s,]*")
_NO_TEXT = re.compile("[\udc80-\udcff]")
_LIST = re.compile(rb'\s*\[\s*\{\s*"')
_ROW_KEYS = (b'"epoch"', b'"step"', b'"loss"')
_REACHED = frozenset({"epoch", "global_step", "total_flos", "num_input_tokens_seen"})  # not chosen
_LEFT_OUT = frozenset({"log_history", "stateful_callbacks", "trial_params"}) | _REACHED


def sniff(path: Path, head: bytes) -> int:
    """An object with `log_history`; it mostly stands near the start, after the best metric."""
    start = head.lstrip()[:1]
    if start == b"{":
        if _HISTORY.search(head):
            return 98
        if path.name.startswith("trainer_state") and b'"global_step"' in head:
            return 90
        return 0
    if start == b"[" and _LIST.match(head) and all(key in head[:8192] for key in _ROW_KEYS):
        return 70  # below a reader that knows the list better
    return 0


def read(path: Path) -> list[Log]:
    """The run that the file tells of; of a damaged file all entries that are complete."""
    warnings: list[str] = []
    found = _Gathered()
    state = _parse(path, _load(path, warnings), found, warnings)
    if (cut := found.rows.cut()) is not None:
        warnings.append(cut)
    table = found.rows.table()
    if not table.columns or all(n.lower() in ("step", "epoch") for n in table.columns):
        hint = "the history has no entries: stopped before the first logging_steps?"
        raise ReadError(path, "no metrics were logged", hint=hint)
    step = "step" if "step" in table.columns else choose_step(table)
    parts = runs_in(table, step=step, split=False)
    # The tool that wrote the history, or what the tool is built on: the names tell.
    log = Log(path, ID, config=_config(state), framework="transformers" if state else None)
    log.warnings = warnings
    for part in parts:
        log.add(part.blocks)
        log.warnings += part.warnings
    last = found.last
    reached, planned = state.get("global_step"), state.get("max_steps")
    done = isinstance(reached, int) and isinstance(planned, int) and 0 < planned <= reached
    if done or "train_runtime" in last or "train_loss" in last:
        log.status = "finished"
    log.read_new = partial(_read_new, path, log, _Known(found.steps, source.stamp_if_there(path)))
    return [log]


@dataclass
class _Gathered:
    """Entries of a history: their steps, and the numbers of all that come after the `known` steps."""

    known: array[int] = field(default_factory=lambda: array("q"))
    rows: RowCollector = field(default_factory=RowCollector)
    steps: array[int] = field(default_factory=lambda: array("q"))
    common: int = 0  # entries that are known
    last: dict[str, Any] = field(default_factory=dict)

    def take(self, entries: list[dict[str, Any]]) -> None:
        """Take the next ones in."""
        if not entries:
            return
        before = len(self.steps)
        for entry in entries:  # a number for each step, equal for equal steps
            step = entry.get("step")
            self.steps.append(hash(step) if isinstance(step, (int, float, str)) else -1)
        while self.common < min(len(self.known), len(self.steps)) and (
            self.known[self.common] == self.steps[self.common]
        ):
            self.common += 1
        self.rows.add_all(entries[max(0, self.common - before) :])
        self.last = entries[-1]


@dataclass
class _Known:
    """How far a state was read."""

    steps: array[int]
    stamp: tuple[int, int, int] | None
    segment: int = 1


def _read_new(path: Path, log: Log, known: _Known) -> Blocks:
    """The entries that a newer state adds; the trainer replaces the whole file at each save."""
    stamp = source.stamp_if_there(path)
    if stamp in (known.stamp, None):
        return []
    found = _Gathered(known.steps)
    try:
        state = _parse(path, _load(path, []), found, [])
    except ReadError:
        return []  # the trainer is at it
    if found.common < len(known.steps):  # resumed from an earlier checkpoint
        if len(found.steps) <= found.common:
            return []
        known.segment += 1
    known.steps, known.stamp = found.steps, stamp
    log.config.update(_config(state))
    blocks = [
        b for part in runs_in(found.rows.table(), step="step", split=False) for b in part.blocks
    ]
    return [(known.segment + segment - 1, block) for segment, block in blocks]


def _load(path: Path, warnings: list[str]) -> bytes:
    try:
        if path.stat().st_size == 0:
            raise ReadError(path, "the file is empty", hint="was the trainer killed mid-save?")
        data = source.head(path, MAX_BYTES + 1)
    except OSError as error:
        raise ReadError(path, str(error.strerror or error)) from error
    if len(data) > MAX_BYTES:
        warnings.append(Gap(f"larger than {MAX_BYTES >> 20} MiB; the rest was not read"))
        data = data[:MAX_BYTES]
    return data.removeprefix(_BOM)


def _parse(path: Path, data: bytes, into: _Gathered, warnings: list[str]) -> dict[str, Any]:
    """Hand on the entries of the history; the other fields of the state."""
    if len(data) <= MAX_AT_ONCE:
        content = _document(data)
        if isinstance(content, list):
            into.take([entry for entry in content if isinstance(entry, dict)])
            return {}
        if isinstance(content, dict):
            history = content.get("log_history")
            if not isinstance(history, list):
                raise ReadError(path, "no `log_history` list", hint="is this a model config?")
            into.take([entry for entry in history if isinstance(entry, dict)])
            return content
    start, end = _take_entries(data, into)
    if not into.steps:
        raise ReadError(
            path,
            "not valid JSON, and no complete entry in it"
            if len(data) <= MAX_AT_ONCE
            else "no complete entry at the start of its history",
            hint="was the trainer killed mid-save?",
        )
    rest = b'%b"log_history": [%b' % (data[:start], data[end:])
    state = _document(rest) if start and len(rest) <= MAX_AT_ONCE else None
    if isinstance(state, dict) and not state.get("log_history"):
        return state
    if not start and data[end:].strip() == b"]":
        return {}
    complete = f"{len(into.steps)} complete entries of the history were read"
    warnings.append(Gap(f"the file is damaged or cut off; {complete}"))
    return _fields(rest.decode("utf-8", "replace"))


def _document(data: bytes) -> Any:
    """What a whole document says, with Python's tokens NaN and Infinity; None when it is none."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _take_entries(data: bytes, into: _Gathered) -> tuple[int, int]:
    """Hand on the complete entries of a history that is long or damaged, and say where they stand."""
    listed = _HISTORY.search(data) or _BARE.match(data)
    if listed is None:
        return 0, 0
    end = listed.end()
    while read := (
        _take_plain(data[end : end + PIECE], into)
        or _take_piece(data[end : end + MAX_AT_ONCE], into)
    ):
        end += read
    return listed.start() if listed.re is _HISTORY else 0, end


def _take_plain(piece: bytes, into: _Gathered) -> int:
    """Hand on entries without inner objects, as most are; how many bytes they take, 0 for others."""
    end = piece.rfind(b"},")
    begin = len(piece) - len(piece.lstrip(b" \t\r\n,"))
    if end < begin:
        return 0
    try:
        entries = orjson.loads(b"[%b]" % piece[begin : end + 1])
    except orjson.JSONDecodeError:
        return 0
    if not all(type(entry) is dict for entry in entries):
        return 0
    into.take(entries)
    return end + 1


def _take_piece(piece: bytes, into: _Gathered) -> int:
    """Hand on the complete entries at the start of a piece; how many bytes they take."""
    text = piece.decode("utf-8", "surrogateescape")  # keeps bytes that are not text
    readable = _NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", text)
    decoder = json.JSONDecoder()
    batch: list[dict[str, Any]] = []
    end = 0
    while (begin := _BETWEEN.match(readable, end)) and readable[
        begin.end() : begin.end() + 1
    ] == "{":
        try:
            entry, end = decoder.raw_decode(readable, begin.end())
        except (ValueError, RecursionError):
            break
        batch.append(entry)
        if len(batch) == _BATCH:
            into.take(batch)
            batch = []
    into.take(batch)
    return len(text[:end].encode("utf-8", "surrogateescape"))


def _fields(text: str) -> dict[str, Any]:
    """Scalar fields of a state that does not parse as a whole."""
    found: dict[str, Any] = {}
    for told in re.finditer(
        r'"(\w{1,60})"\s{0,8}:\s{0,8}("[^"\\\n]{0,500}"|-?\d[\d.eE+-]{0,40}|true|false|null)(?=[\s,}])',
        text,
    ):
        if len(found) < 100:
            try:
                found.setdefault(told[1], json.loads(told[2]))
            except ValueError:
                continue
    return found


def _config(state: dict[str, Any]) -> dict[str, Any]:
    """The scalar fields beside the history: planned steps, batch size, best metric, ..."""
    config: dict[str, Any] = {}
    for name, value in state.items():
        if name in _LEFT_OUT or isinstance(value, (dict, list)) or value is None:
            continue
        config[name] = value[:2000] if isinstance(value, str) else value
    trial = state.get("trial_params")
    for name, value in trial.items() if isinstance(trial, dict) else ():
        if not isinstance(value, (dict, list)):
            config[f"trial_params.{name}"] = value
    return config


# transformers, or what is built on it
READER = Reader(
    ID, "Hugging Face trainer_state.json", sniff, read, role="main", tool="transformers"
)
