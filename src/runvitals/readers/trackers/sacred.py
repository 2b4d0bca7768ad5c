"""Sacred's `info.json` and `metrics.json`, as PyMARL and EPyMARL write them, with `config.json` and
`run.json` beside them. Values are plain numbers or NumPy's; pickled tensors are left out.

`info.json` is whatever an experiment put into `_run.info`. PyMARL keeps a list of values under each
name and the environment steps under `<name>_T`. `metrics.json` is what `_run.log_scalar` logged: under
each name the steps, timestamps and values. Sacred writes both whole at each heartbeat, with jsonpickle.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runvitals.model import Gap, ReadError
from runvitals.readers.log import Blocks, Log, Reader
from runvitals.readers.raw.numbers import as_number, parse_time
from runvitals.readers.raw.source import DAMAGED, open_binary, stamp_if_there, uncompressed_name
from runvitals.readers.rows.table import MAX_COLUMNS, MAX_DEPTH, MAX_POINTS
from runvitals.readers.tabular._blocks import is_binary, utf8
from runvitals.readers.tabular._json import config_beside, document_text, parse
from runvitals.readers.trackers._series import NamedPoints, some_of

ID = "sacred"

MAX_BYTES = 256 * 2**20
_INFO, _METRICS = "info.json", "metrics.json"
_MAX_SNIFFED = 8 * 2**20
_MAX_ENDING = 300  # characters of an error that are kept
_STEPS = "_T"  # what PyMARL's logger adds to a name
# sacred/observers/file_storage.py; the statuses of interrupts are in sacred/utils.py
_STATUS = {
    "QUEUED": "running", "RUNNING": "running", "COMPLETED": "finished", "INTERRUPTED": "killed",
    "TIMEOUT": "killed", "FAILED": "crashed",
}  # fmt: skip
_NAME = rb'"([^"\\]{1,200})"\s{0,40}:\s{0,40}'
_LIST = re.compile(_NAME + rb"\[")
_METRIC = re.compile(
    rb"\{\s{0,40}" + _NAME + rb"\{\s{0,40}(?:"
    rb'"steps"\s{0,40}:\s{0,40}\[[^\]]*(?:\]\s{0,40},\s{0,40}"timestamps"|$)|'
    rb'"(?:timestamps|values)"\s{0,40}:\s{0,40}\[[^\]]*\]\s{0,40},\s{0,40}"steps")'
)
_ENTRY = re.compile(r'[\s,]*("(?:[^"\\]|\\.){0,400}")\s*:\s*')


def sniff(path: Path, head: bytes) -> int:
    """By `<name>` and `<name>_T`, by steps beside timestamps, or by its place beside `run.json`."""
    text = utf8(head).lstrip()
    if is_binary(head) or text[:1] != b"{":
        return 0
    if _METRIC.match(text):
        return 97
    lists = set(_LIST.findall(text))
    if any(name.endswith(b"_T") and name[:-2] in lists for name in lists):
        return 97
    if uncompressed_name(path) != _INFO or not (b'"py/' in text or _run_beside(path)):
        return 0
    try:  # its first bytes do not tell whether there are lists of numbers in it
        with open_binary(path) as file:
            text = file.read(_MAX_SNIFFED + 1)
        return 90 if len(text) > _MAX_SNIFFED or _Found.of(parse(utf8(text))).series else 0
    except DAMAGED:
        return 0


def read(path: Path) -> list[Log]:
    """The run that the file tells of; of a damaged file all lists that are complete."""
    stamp = stamp_if_there(path)
    warnings: list[str] = []
    found = _Found.of(_load(path, warnings))
    if not found.series:
        raise ReadError(
            path,
            "no series of numbers in it",
            hint="the values are pickled objects: log numbers, such as loss.item()"
            if found.pickled
            else "the experiment has put no lists into _run.info yet",
        )
    log = Log(path, ID, warnings=warnings)
    follower = _Again(path, stamp)
    log.add(follower.blocks(found))
    log.warnings += [*follower.points.tails.warnings(), *found.warnings()]
    log.read_new = follower
    if uncompressed_name(path) in (_INFO, _METRICS):  # else it was moved away from them
        log.config = config_beside(path, "config.json")
        _tell_of_run(log, _run_beside(path))
    return [log]


def _run_beside(path: Path) -> dict[str, Any]:
    """What `run.json` says, if it is Sacred's."""
    run = config_beside(path, "run.json")
    return run if "status" in run and ("heartbeat" in run or "start_time" in run) else {}


def _tell_of_run(log: Log, run: Mapping[str, Any]) -> None:
    log.status = _STATUS.get(str(run.get("status")), "unknown")
    log.started = parse_time(str(run.get("start_time") or ""))
    log.ended = parse_time(str(run.get("stop_time") or ""))
    trace = run.get("fail_trace")
    lines = str(trace[-1] if isinstance(trace, list) and trace else trace or "").split("\n")
    if ending := next((line.strip() for line in reversed(lines) if line.strip()), ""):
        log.fail(ending[:_MAX_ENDING])


@dataclass
class _Found:
    """The series of a file: steps, times and values of each. `None` is anything but a number."""

    series: dict[str, tuple[list[Any], list[Any], list[float | None]]] = field(default_factory=dict)
    pickled: dict[str, int] = field(default_factory=dict)  # values of a name that are objects
    numbers: int = 0

    @classmethod
    def of(cls, content: Any) -> _Found:
        """All series of a document, those of nested mappings under slashed names."""
        found = cls()
        if isinstance(content, dict):
            found._take_all(content)
        return found

    def _take_all(self, content: Mapping[str, Any], prefix: str = "", depth: int = 0) -> None:
        for name, value in content.items():
            if len(self.series) >= MAX_COLUMNS or self.numbers >= MAX_POINTS:
                return
            if name.endswith(_STEPS) and _listed(content.get(name[:-2])) is not None:
                continue
            values = _listed(value)
            if values is not None:
                self._take(f"{prefix}{name}", _listed(content.get(f"{name}{_STEPS}")), None, values)
            elif isinstance(value, dict):
                steps, times = _listed(value.get("steps")), _listed(value.get("timestamps"))
                if steps is not None and (values := _listed(value.get("values"))) is not None:
                    self._take(f"{prefix}{name}", steps, times, values)
                elif depth < MAX_DEPTH and not _is_object(value):
                    self._take_all(value, f"{prefix}{name}/", depth + 1)

    def _take(
        self, name: str, steps: list[Any] | None, times: list[Any] | None, values: list[Any]
    ) -> None:
        numbers = [_number(value) for value in values]
        objects = sum(
            number is None and isinstance(value, dict) and _is_object(value)
            for number, value in zip(numbers, values, strict=True)
        )
        if objects:
            self.pickled[name] = objects
        if any(number is not None for number in numbers):
            self.numbers += len(numbers)
            # Points without steps all stand at 0, and are counted by `NamedPoints`.
            self.series[name] = (
                [0] * len(numbers) if steps is None else steps,
                [*(times or ()), *[None] * (len(numbers) - len(times or ()))],
                numbers,
            )

    def warnings(self) -> list[str]:
        """What could not be read."""
        told: list[str] = []
        gone = [name for name in self.pickled if name not in self.series]
        if gone:
            several = "1 series was" if len(gone) == 1 else f"{len(gone)} series were"
            told.append(f"{several} left out, pickled instead of numbers: {some_of(gone)}")
        partly = [name for name in self.pickled if name in self.series]
        if partly:
            lost = sum(self.pickled[name] for name in partly)
            values = "1 value was" if lost == 1 else f"{lost} values were"
            told.append(Gap(f"{values} left out, pickled instead of numbers: {some_of(partly)}"))
        if self.numbers >= MAX_POINTS or len(self.series) >= MAX_COLUMNS:
            told.append(Gap("too many series or points; the rest was not read"))
        return told


def _listed(value: Any) -> list[Any] | None:
    """A list, or an array of NumPy's, as jsonpickle writes them."""
    if isinstance(value, dict) and str(value.get("py/object")).startswith("numpy.ndarray"):
        value = value.get("values", value.get("value"))
    return value if isinstance(value, list) else None


def _is_object(value: Mapping[str, Any]) -> bool:
    """True if jsonpickle made a mapping of an object."""
    return any(key.startswith("py/") for key in value)


def _number(value: Any) -> float | None:
    """A number, plain or of NumPy; None for anything else.

    >>> _number({"dtype": "float64", "py/object": "numpy.float64", "value": 6.25})
    6.25
    """
    if isinstance(value, dict) and str(value.get("py/object")).startswith("numpy."):
        value = value.get("value")
    return None if isinstance(value, str) else as_number(value)


@dataclass
class _Again:
    """Reads what was added; Sacred writes the whole file at each heartbeat."""

    path: Path
    stamp: tuple[int, int, int] | None
    points: NamedPoints = field(default_factory=NamedPoints)
    _known: dict[str, int] = field(default_factory=dict)  # points of each name

    def __call__(self) -> Blocks:
        stamp = stamp_if_there(self.path)
        if stamp == self.stamp:
            return []
        try:
            found = _Found.of(_parsed(self.path))
        except (ReadError, *DAMAGED):
            return []  # Sacred is at it
        self.stamp = stamp
        return self.blocks(found)

    def blocks(self, found: _Found) -> Blocks:
        """The points that are new."""
        for name, columns in found.series.items():
            known = self._known.get(name, 0)
            self._known[name] = max(known, min(map(len, columns)))
            # up to where the shortest list ends
            for at, stamp, number in zip(*(column[known:] for column in columns), strict=False):
                step = _number(at)
                if number is not None and step is not None:
                    time = parse_time(stamp) if isinstance(stamp, str) else None
                    self.points.put(name, step, time, number)
        return self.points.blocks()


def _load(path: Path, warnings: list[str]) -> Any:
    """The document; of one that is damaged, what is whole in it."""
    try:
        return _parsed(path)
    except _DamagedError as damaged:
        if not (whole := _entries(damaged.text)):
            hint = "was the run killed while Sacred wrote the file?"
            raise ReadError(path, f"this is not valid JSON ({damaged})", hint=hint) from damaged
        warnings.append(
            Gap(f"the file is damaged or cut off; {len(whole)} complete entries were read")
        )
        return whole


class _DamagedError(ValueError):
    """No valid JSON."""

    def __init__(self, text: bytes, problem: str) -> None:
        super().__init__(problem)
        self.text = text


def _parsed(path: Path) -> Any:
    text = document_text(path, MAX_BYTES, empty="has the run had a heartbeat yet?")
    try:
        return parse(text)
    except ValueError as error:
        raise _DamagedError(text, str(error)) from error


def _entries(data: bytes) -> dict[str, Any]:
    """The complete entries at the start of an object that is cut off."""
    text = data.decode("utf-8", "replace")
    decoder = json.JSONDecoder()
    found: dict[str, Any] = {}
    at = text.find("{") + 1
    while entry := _ENTRY.match(text, at):
        try:
            found[json.loads(entry[1])], at = decoder.raw_decode(text, entry.end())
        except (ValueError, RecursionError):
            break
    # a list whose steps are lost is no series
    if any(f"{name}{_STEPS}" in found for name in found):
        found = {n: v for n, v in found.items() if f"{n}{_STEPS}" in found or n.endswith(_STEPS)}
    return found


READER = Reader(ID, "Sacred info.json and metrics.json", sniff, read, role="main")
