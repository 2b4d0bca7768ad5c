"""Makes a `Run` of the logs that tell of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from runvitals.model import PointTable, ReadError, Run
from runvitals.readers._tabular import settings
from runvitals.readers.config_files import config_in
from runvitals.readers.discover import Found, LogFile
from runvitals.readers.log import Log

_ORDER = {"main": 0, "table": 1, "events": 2, "side": 3}  # whose word counts when two say the same


def read_found(found: Found, unread: set[Path] | None = None) -> list[Run]:
    """The runs in a group of files: one, unless a single file holds several.

    Files that nothing could be read from (yet) go into `unread`.
    """
    read: list[tuple[LogFile, list[Log]]] = []
    problems: list[ReadError] = []
    for files in _together(found.files):
        file = files[0]
        try:
            logs = _read(files)
        except ReadError as error:
            problems.append(error)
            if unread is not None:
                unread.update(file.path for file in files)
            continue
        if logs:
            read.append((file, logs))
    if not read:
        raise problems[0] if problems else ReadError(found.path, "no metrics were logged")
    if len(read) == 1:
        [(file, logs)] = read
        return [
            _run(found.path, [(file, log)], _numbered(n, len(logs)), [])
            for n, log in enumerate(logs)
        ]
    chosen = [(file, logs[-1]) for file, logs in read]
    return [_run(found.path, chosen, "", [str(problem) for problem in problems])]


def run_of(log: Log) -> Run:
    """A run of a single log that did not come from a file."""
    run = Run(
        id=log.name or "stdin", points=log.points, name=log.name or "stdin", format=log.format
    )
    run.status, run.framework, run.algorithm = log.status, log.framework, log.algorithm
    run.config, run.warnings = settings(log.config), list(log.warnings)
    if log.ended_with:
        run.provenance = {"ended_with": log.ended_with}
    return run


def _together(files: Sequence[LogFile]) -> list[list[LogFile]]:
    """Files that one reader joins itself, such as the event files of one folder."""
    groups: dict[tuple[str, ...], list[LogFile]] = {}
    for file in sorted(files, key=lambda f: (_ORDER.get(f.role, 9), str(f.path))):
        place = str((file.place or file.path.parent) if file.joins else file.path)
        groups.setdefault((file.reader.ID, place, file.prefix), []).append(file)
    return list(groups.values())


def _read(files: list[LogFile]) -> list[Log]:
    reader = files[0].reader
    if len(files) == 1:
        return reader.read(files[0].path)
    together: Callable[[list[Path]], list[Log]] = reader.read_together  # type: ignore[attr-defined]
    return together([file.path for file in files])


def _numbered(index: int, count: int) -> str:
    return f"#{index + 1}" if count > 1 else ""


def _run(path: Path, logs: list[tuple[LogFile, Log]], number: str, warnings: list[str]) -> Run:
    run = Run(
        id=f"{path.name}{number}",
        points=PointTable(),
        name=next((log.name for _, log in logs if log.name), f"{path.name}{number}"),
        project=path.resolve().parent.name,
        path=path,
        status=next((log.status for _, log in logs if log.status != "unknown"), "unknown"),
        format=" + ".join(dict.fromkeys(file.reader.TITLE for file, _ in logs)),
        framework=next((log.framework for _, log in logs if log.framework), None),
        algorithm=next((log.algorithm for _, log in logs if log.algorithm), None),
        started=min((log.started for _, log in logs if log.started is not None), default=None),
        ended=max((log.ended for _, log in logs if log.ended is not None), default=None),
        warnings=warnings,
    )
    config: dict[str, object] = {}
    owned: list[tuple[Log, str, set[str]]] = []
    for file, log in logs:
        taken = set(run.points.adopt(log.points, file.prefix))
        owned.append((log, file.prefix, taken))
        if file.role != "side" or 2 * len(taken) > len(log.points.names()):
            run.warnings += log.warnings  # how a mere repetition reads is nobody's concern
        for key, value in settings(log.config).items():
            config.setdefault(key, value)
    if path.is_dir():
        for key, value in config_in(path).items():
            config.setdefault(key, value)
    run.config = config
    ended_with = next((log.ended_with for _, log in logs if log.ended_with), "")
    if ended_with:
        run.provenance = {"ended_with": ended_with}
    sources = [log.events for _, log in logs if log.events is not None]
    run.read_events = lambda: [event for source in sources for event in source()]
    if any(log.read_new is not None for log, _, _ in owned):
        run.read_new = lambda target: _follow(target, owned)
    return run


def _follow(run: Run, owned: list[tuple[Log, str, set[str]]]) -> int:
    """Take in what was appended to the sources; each name stays with the source it came from."""
    before = run.points.count
    for log, prefix, names in owned:
        if log.read_new is None:
            continue
        for segment, block in log.read_new():
            fresh = {f"{prefix}{name}" for name in block.names} - set(run.points.names())
            names |= fresh
            kept = [i for i, name in enumerate(block.names) if f"{prefix}{name}" in names]
            if kept:
                run.points.add(block.select(kept, prefix), segment)
    return run.points.count - before
