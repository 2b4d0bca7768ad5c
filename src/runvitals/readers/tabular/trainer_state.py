"""Hugging Face `trainer_state.json`: one JSON object with a `log_history` list, or that list alone.

The history mixes training rows, evaluation rows and a closing summary at the same step; all are kept
under their own names. Every checkpoint holds a prefix of the same history.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from runvitals.model import Gap, ReadError
from runvitals.readers import source
from runvitals.readers.collector import RowCollector
from runvitals.readers.log import Blocks, Log, Reader
from runvitals.readers.table import choose_step, runs_in

ID = "trainer-state"

MAX_BYTES = 128 * 2**20
_HISTORY = re.compile(rb'"log_history"\s{0,8}:\s{0,8}\[')
_LIST = re.compile(rb'\s*\[\s*\{\s*"')
_ROW_KEYS = (b'"epoch"', b'"step"', b'"loss"')
_LEFT_OUT = frozenset({"log_history", "stateful_callbacks", "trial_params"})


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
    data = _load(path, warnings)
    history, state = _parse(path, data, warnings)
    rows = RowCollector()
    rows.add_all(history)
    table = rows.table()
    if not table.columns or all(n.lower() in ("step", "epoch") for n in table.columns):
        raise ReadError(
            path,
            "no metrics were logged",
            hint="the history has no entries: stopped before the first logging_steps?",
        )
    step = "step" if "step" in table.columns else choose_step(table)
    parts = runs_in(table, step=step, split=False)
    # The tool that wrote the history, or what the tool is built on: the names tell.
    log = Log(path, ID, config=_config(state), framework="transformers" if state else None)
    log.warnings = warnings
    for part in parts:
        log.add(part.blocks)
        log.warnings += part.warnings
    last = history[-1] if history else {}
    reached, planned = state.get("global_step"), state.get("max_steps")
    done = isinstance(reached, int) and isinstance(planned, int) and 0 < planned <= reached
    if done or "train_runtime" in last or "train_loss" in last:
        log.status = "finished"
    log.read_new = partial(_read_new, path, log, _Known(history, _stamp(path)))
    return [log]


@dataclass
class _Known:
    """How far a state was read."""

    history: list[dict[str, Any]]
    stamp: tuple[int, int, int]
    segment: int = 1


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        state = path.stat()
    except OSError:
        return 0, 0, 0
    return state.st_ino, state.st_size, state.st_mtime_ns


def _read_new(path: Path, log: Log, known: _Known) -> Blocks:
    """The entries that a newer state adds; the trainer replaces the whole file at each save."""
    stamp = _stamp(path)
    if stamp == known.stamp or not any(stamp):
        return []
    try:
        history, state = _parse(path, _load(path, []), [])
    except ReadError:
        return []  # the trainer is at it
    common = 0
    for old, new in zip(known.history, history, strict=False):
        if old.get("step") != new.get("step"):
            break
        common += 1
    if common < len(known.history):  # resumed from an earlier checkpoint
        if len(history) <= common:
            return []
        known.segment += 1
    rows = RowCollector()
    rows.add_all(history[common:])
    known.history, known.stamp = history, stamp
    log.config.update(_config(state))
    blocks = [b for part in runs_in(rows.table(), step="step", split=False) for b in part.blocks]
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
    return data.removeprefix(b"\xef\xbb\xbf")


def _parse(
    path: Path, data: bytes, warnings: list[str]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The entries of the history, and the other fields of the state."""
    content: Any
    try:
        content = orjson.loads(data)
    except orjson.JSONDecodeError:
        content = _python_json(data)
    if isinstance(content, list):
        return [entry for entry in content if isinstance(entry, dict)], {}
    if isinstance(content, dict):
        history = content.get("log_history")
        if not isinstance(history, list):
            raise ReadError(path, "no `log_history` list", hint="is this a model config?")
        return [entry for entry in history if isinstance(entry, dict)], content
    text = data.decode("utf-8", "replace")
    entries, start, end = _salvage(text)
    if not entries:
        raise ReadError(
            path,
            "not valid JSON, and no complete entry in it",
            hint="was the trainer killed mid-save?",
        )
    warnings.append(
        Gap(
            f"the file is damaged or cut off; {len(entries)} complete entries of the history were read"
        )
    )
    return entries, _fields(text[:start] + text[end:])


def _python_json(data: bytes) -> Any:
    """With Python's tokens NaN, Infinity and -Infinity; None when it is not JSON either."""
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _salvage(text: str) -> tuple[list[dict[str, Any]], int, int]:
    """Complete entries of the history in a damaged file, and where they stand."""
    begin = re.search(r'"log_history"\s{0,8}:\s{0,8}\[', text)
    bare = None if begin else re.match(r"\s*\[", text)
    start = begin or bare
    if start is None:
        return [], 0, 0
    found = list(_entries(text, start.end()))
    end = found[-1][1] if found else start.end()
    return [entry for entry, _ in found], start.start(), end


def _entries(text: str, place: int) -> Iterator[tuple[dict[str, Any], int]]:
    decoder = json.JSONDecoder()
    gap = re.compile(r"[\s,]*")
    while True:
        skipped = gap.match(text, place)
        place = skipped.end() if skipped else place
        if text[place : place + 1] != "{":
            return
        try:
            entry, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            return
        if isinstance(entry, dict):
            yield entry, place


def _fields(text: str) -> dict[str, Any]:
    """Scalar fields of a state that does not parse as a whole."""
    found: dict[str, Any] = {}
    for field in re.finditer(
        r'"(\w{1,60})"\s{0,8}:\s{0,8}("[^"\\\n]{0,500}"|-?\d[\d.eE+-]{0,40}|true|false|null)(?=[\s,}])',
        text,
    ):
        if len(found) < 100:
            try:
                found.setdefault(field[1], json.loads(field[2]))
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
    if isinstance(trial, dict):
        config |= {
            f"trial_params.{k}": v for k, v in trial.items() if not isinstance(v, (dict, list))
        }
    return config


READER = Reader(
    ID,
    "Hugging Face trainer_state.json",
    sniff,
    read,
    role="main",
    tool="transformers",  # or one that is built on it
)
