"""Files and folders that may hold the later lives of a run: their names and first steps say so.

`metrics_part2.jsonl` beside `metrics_part1.jsonl`, `continued/` in a run's folder, `run_2` beside
`run_1`. Whether one really goes on where the other stopped is seen when they are read.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

from runvitals.model import ReadError
from runvitals.readers.discovery.files import Found, LogFile
from runvitals.readers.log import Reader
from runvitals.readers.raw.memory import recalled
from runvitals.readers.raw.source import head, uncompressed_name
from runvitals.readers.registry import guarded
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.rows.table import choose_step
from runvitals.readers.tabular import json_lines
from runvitals.readers.tabular._table_head import sample
from runvitals.tfevents.decode import MalformedError, layout
from runvitals.tfevents.framing import HEAD, head_length

_WORDS = frozenset(
    "part parts resume resumed restart restarted continue continued continuation cont chunk phase "
    "stage again".split()
)
_TOKENS = re.compile(r"[a-z]+|\d+")
_AHEAD = 4  # what goes on begins at least this many times as far as what it goes on from
T = TypeVar("T")
_ORDER = ("main", "table", "events")

Below = dict[str, list[Found]]


def part_key(name: str) -> str:
    """The name without numbers and words such as "part", equal for all parts of one log.

    >>> part_key("metrics_part1.jsonl"), part_key("log.2.jsonl"), part_key("PPO_1-resumed")
    ('metrics jsonl', 'log jsonl', 'ppo')
    """
    tokens = _TOKENS.findall(name.lower())
    return " ".join(token for token in tokens if not token.isdigit() and token not in _WORDS)


def later_files(files: Sequence[LogFile]) -> dict[Path, tuple[Path, int]]:
    """Of the files of a folder those that may go on where another stopped: the first one of each,
    and how many lives it had before."""
    alike: dict[tuple[str, str], list[LogFile]] = {}
    for file in files:
        if not file.joins:
            alike.setdefault((file.reader.id, part_key(uncompressed_name(file.path))), []).append(
                file
            )
    found: dict[Path, tuple[Path, int]] = {}
    for group in alike.values():
        if len(group) > 1:
            chain = _rising((file, first_step(file.path, file.reader)) for file in group)
            found |= {file.path: (chain[0].path, n) for n, file in enumerate(chain) if n}
    return found


def lives_beside(folder: Path, own: list[Found], below: Below) -> tuple[list[Found], Below]:
    """Chains folders that continue the run of this folder or of a sibling."""
    own, below = _lives_inside(folder, own, below)
    alike: dict[str, list[str]] = {}
    for name, runs in below.items():
        if _single(runs) and runs[0].files and part_key(name):
            alike.setdefault(part_key(name), []).append(name)
    for names in (several for several in alike.values() if len(several) > 1):
        chain = _rising((below[name][0], _begin(below[name][0])) for name in names)
        if len(chain) > 1:
            below = _without(below, chain[1:])
            first = next(n for n, r in below.items() if r and r[0] is chain[0])
            below[first] = [_chained(chain)]
    return own, below


def _lives_inside(folder: Path, own: list[Found], below: Below) -> tuple[list[Found], Below]:
    """Chains folders inside this one that continue its own run."""
    main = next((run for run in own if run.path == folder), own[0] if len(own) == 1 else None)
    inner = [runs[0] for name, runs in below.items() if not part_key(name) and _single(runs)]
    if main is None or not inner:
        return own, below
    chain = _rising((run, _begin(run)) for run in [main, *inner])
    if len(chain) < 2 or chain[0] is not main:
        return own, below
    return [_chained(chain) if run is main else run for run in own], _without(below, chain[1:])


def _without(below: Below, gone: Sequence[Found]) -> Below:
    return {name: runs for name, runs in below.items() if not (runs and runs[0] in gone)}


def _single(runs: list[Found]) -> bool:
    return len(runs) == 1 and not any(file.life for file in runs[0].files)


def _chained(chain: Sequence[Found]) -> Found:
    files = [replace(f, life=n) for n, run in enumerate(chain) for f in run.files]
    return replace(chain[0], files=tuple(files))


def _begin(run: Found) -> int | None:
    """The first step of the file that tells most of a run."""
    files = sorted(
        (file for file in run.files if file.role in _ORDER),
        key=lambda file: (_ORDER.index(file.role), str(file.path)),
    )
    steps = (first_step(file.path, file.reader) for file in files)
    return next((step for step in steps if step is not None), None)


def _rising(starts: Iterable[tuple[T, int | None]]) -> list[T]:
    """Ordered by first step, if each begins well after the one before; else empty.

    Runs that lie side by side begin alike; one of them that begins far behind is a resumption only if
    there is just one that it can have resumed. So no further ones are looked at once two begin alike.
    """
    known: dict[int, T] = {}
    for one, step in starts:
        if step in known:
            return []
        if step is not None:
            known[step] = one
    if len(known) < 2:
        return []
    first, second, *_ = steps = sorted(known)
    far = second > max(_AHEAD * first, first + _AHEAD)
    return [known[step] for step in steps] if far else []


_TRAILER = 4  # bytes of the checksum behind a record
_MAX_RECORDS = 500
_MAX_ROWS = 40  # enough to tell which column counts the steps


def first_step(path: Path, reader: Reader) -> int | None:
    """The step of the first row; None if only reading the whole file can tell."""
    if reader.id not in _PEEKS:
        return None
    return recalled(path, f"first step by {reader.id}", lambda: _peeked(path, reader))


def _peeked(path: Path, reader: Reader) -> int | None:
    peek = _PEEKS[reader.id]
    try:
        return guarded(path, reader.title, lambda: peek(head(path)))
    except ReadError:
        return None  # reading it will say what is wrong with it


def _of_events(start: bytes) -> int | None:
    at = 0
    for _ in range(_MAX_RECORDS):
        length = head_length(start, at) if len(start) >= at + HEAD else None
        if length is None or at + HEAD + length > len(start):
            return None
        data = start[at + HEAD : at + HEAD + length]
        try:
            found = layout(data)
        except MalformedError:
            return None
        if found.scalars:
            return found.step(data)
        at += HEAD + length + _TRAILER
    return None


def _of_delimited(start: bytes) -> int | None:
    found = sample(start)
    if found is None or not found.header:
        return None
    rows = RowCollector()
    rows.add_cells(found.names, found.rows[:_MAX_ROWS])
    return _first(rows)


def _of_json_lines(start: bytes) -> int | None:
    rows = RowCollector()
    for row in islice(json_lines.objects(start), _MAX_ROWS):
        rows.add(row)
    return _first(rows)


def _first(rows: RowCollector) -> int | None:
    table = rows.table()
    step = choose_step(table)
    return None if step is None else int(table.columns[step].values[0])


_PEEKS = {"tensorboard": _of_events, "csv": _of_delimited, "jsonl": _of_json_lines}
