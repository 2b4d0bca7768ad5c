"""Joins the logs of each run into one `Run`.

`discover` says which files may belong together; what stands in them decides. Logs whose series agree
are one run, logs of different tools or with other numbers are runs of their own, and a log that goes on
where another stopped is a later life of its run.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from runvitals.model import Event, Histogram, PointTable, ReadError, Run, Sample, Wanted
from runvitals.readers.discovery.files import Found, LogFile, named
from runvitals.readers.joining.combine import Combined, continues, likeness, tool_of, tools_differ
from runvitals.readers.joining.config_files import config_in, progress_in, summary_in
from runvitals.readers.log import Log
from runvitals.readers.raw.source import is_console
from runvitals.readers.registry import guarded, read_files
from runvitals.readers.tabular._blocks import settings

_E = TypeVar("_E")
# whose word counts when two say the same
_ORDER = {"main": 0, "table": 1, "events": 2, "side": 3, "samples": 4}


@dataclass(frozen=True)
class _Source:
    """A log and the file it comes from; `number` tells the runs of one file apart."""

    file: LogFile
    log: Log
    number: str = ""

    @property
    def tool(self) -> str | None:
        return tool_of(self.log, self.file.reader)


@dataclass
class _Life:
    """The logs of one life of a run; mostly it had only one."""

    sources: list[_Source] = field(default_factory=list)
    points: Combined = field(default_factory=Combined)
    warnings: list[str] = field(default_factory=list)

    @property
    def table(self) -> PointTable:
        return self.points.table

    def take(self, source: _Source) -> None:
        if source.log.read_points is not None:
            if self.sources:  # what the model wrote, beside the metrics of the run
                self.sources.append(source)
                return
            source.log.add(source.log.read_points())
        side = source.file.role == "side"
        names = self.points.take(source.log, source.file.prefix, more=not side)
        self.sources.append(source)
        if not side or 2 * len(names) > len(source.log.points.names()):
            # how a mere repetition reads is nobody's concern, and twice the same says no more
            self.warnings += [w for w in source.log.warnings if w not in self.warnings]


def read_found(found: Found, unread: set[Path] | None = None) -> list[Run]:
    """The runs in a group of files: mostly one.

    Files that nothing could be read from (yet) go into `unread`.
    """
    problems: list[ReadError] = []
    chain: list[_Life] = []
    others: list[_Life] = []
    for number in sorted({file.life for file in found.files}):
        files = [file for file in found.files if file.life == number]
        lives = [
            life
            for life in _sorted_out(_read_all(files, problems, unread))
            if not (chain and _told_already(chain[-1], life))
        ]
        if lives and (not chain or continues(chain[-1].table, lives[0].table)):
            chain.append(lives.pop(0))
        others += lives
    if not chain:
        raise problems[0] if problems else ReadError(found.path, "no metrics were logged")
    first = chain[0].sources[0].file
    runs = [_run(found.path, chain, shared=found.shared, crowded=found.crowded)]
    for life in others:
        file = life.sources[0].file
        path = found.path if file is first else _place(file, found.path)
        shared = found.shared or path.is_file()
        runs.append(_run(path, [life], shared=shared, crowded=path != found.path or found.crowded))
    runs[0].warnings += [str(problem) for problem in problems]
    for run in runs:
        run.warnings += [f"the same log lies in {copy}; it is listed once" for copy in found.copies]
    return runs


def _told_already(known: _Life, life: _Life) -> bool:
    """Adds a later life whose numbers another log of the run already holds; False if they differ.

    The Trainer's state holds all of its starts, and each start has event files of its own.
    """
    if likeness(known.table, life.table) != "same":
        return False
    for source in life.sources:
        known.take(source)
    return True


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


def _read_all(
    files: Sequence[LogFile], problems: list[ReadError], unread: set[Path] | None
) -> list[_Source]:
    """The logs in some files, the most trusted first."""
    sources: list[_Source] = []
    for group in together(files):
        paths = [file.path for file in group]
        try:
            logs = read_files(group[0].reader, paths)
        except ReadError as error:
            if len(group) > 1:  # one of them is bad, and costs only itself
                apart = [replace(file, place=file.path) for file in group]
                sources += _read_all(apart, problems, unread)
                continue
            problems.append(error)
            if unread is not None:
                unread.update(paths)
            continue
        for n, log in enumerate(logs):
            number = f"#{n + 1}" if len(logs) > 1 else ""
            sources.append(_Source(group[0], log, number))
    return sources


def together(files: Sequence[LogFile]) -> list[list[LogFile]]:
    """Files that one reader joins itself, such as the event files of one folder."""
    groups: dict[tuple[str, ...], list[LogFile]] = {}
    for file in sorted(files, key=lambda f: (_ORDER.get(f.role, 9), bool(f.proof), str(f.path))):
        place = str((file.place or file.path.parent) if file.joins else file.path)
        groups.setdefault((file.reader.id, place, file.prefix), []).append(file)
    return list(groups.values())


def _sorted_out(sources: list[_Source]) -> list[_Life]:
    """Logs by the run that they tell of."""
    lives: list[_Life] = []
    waiting: list[_Source] = []  # whose numbers may agree with those of a log that comes later
    for n, source in enumerate([*sources, *sources]):
        again = n >= len(sources)
        if again and source not in waiting:
            continue
        last = again or all(other.file is not source.file for other in sources[n + 1 :])
        home = _home(source, lives, is_last=last)
        if home is None and lives and source.file.proof == "numbers" and not again:
            waiting.append(source)
            continue
        if home is None:
            home = _Life()
            lives.append(home)
        home.take(source)
    return lives


def _home(source: _Source, lives: list[_Life], *, is_last: bool) -> _Life | None:
    """The run that a log belongs to; None if it starts a new one.

    Of several runs in one file only the last can be the one that other files tell of, unless its
    numbers say so.
    """
    file, log = source.file, source.log
    if file.role == "samples":
        return lives[-1] if len(lives) == 1 else None
    if lives and not log.points.names():
        return lives[-1]  # settings only, as `add_hparams` writes them
    others = [life for life in lives if all(known.file is not file for known in life.sources)]
    alike = [(likeness(life.table, log.points, file.prefix), life) for life in others]
    # Equal numbers settle it. Without them a log may join only a run that it does not contradict, and
    # only if there is one such run: two runs taken for one is worse than one shown twice.
    for word, life in alike:
        if word == "same":
            return life
    possible = [life for word, life in alike if word == "unknown" or file.role == "side"]
    if len(others) > 1 and not is_console(file.path):
        return None  # it could be any of them
    if not possible or not is_last or file.proof == "numbers":
        return None
    life = possible[-1]
    if file.proof == "steps":
        return life if _among(life.table, log.points) else None
    return None if tools_differ(life.sources[0].tool, source.tool) else life


def _among(mine: PointTable, theirs: PointTable) -> bool:
    """True if a log runs along another one: its steps lie among the other's, to the end."""
    (first, last), (begin, end) = _range(mine), _range(theirs)
    # a fifth (judgement): loggers start at other steps, and flush at other times when a run dies
    room = 0.2 * max(last - first, 1)
    return first - room <= begin and abs(end - last) <= room


def _range(table: PointTable) -> tuple[int, int]:
    clocks = [steps for name in table.names() if len(steps := table.clock(name)[0])]
    ends = [int(step) for steps in clocks for step in (steps[0], steps[-1])] or [0]
    return min(ends), max(ends)


def _place(file: LogFile, top: Path) -> Path:
    """The path of a run that consists of one file: the file, or its folder if nothing else is in it.

    Event files have no names that tell anything: their folder does, and a number.
    """
    folder = file.path.parent
    if file.joins:
        return folder
    return file.path if folder == (top if top.is_dir() else top.parent) else folder


def _run(path: Path, chain: list[_Life], *, shared: bool, crowded: bool) -> Run:
    """The run of logs that belong together, in the lives that it had."""
    for life in chain[1:]:
        life.points.go_on(chain[0].table)
    sources = [source for life in chain for source in life.sources]
    logs = [source.log for source in sources]
    newest = logs[::-1]  # of a resumed run the last life says how it ended, the first what it is
    config = _config(path, logs, shared=shared)
    number = sources[0].number
    name, project = named(path, config, crowded=crowded)
    run = Run(
        id=f"{name}{number}",
        points=chain[0].table,
        name=_first((log.name for log in logs if log.name.strip("./ ")), f"{name}{number}"),
        project=project,
        path=path,
        status=_first((log.status for log in newest if log.status != "unknown"), "unknown"),
        format=" + ".join(dict.fromkeys(source.file.reader.title for source in sources)),
        framework=_first((log.framework for log in logs), None),
        algorithm=_first((log.algorithm for log in logs), None),
        config=config,
        summary={} if shared else summary_in(path if path.is_dir() else path.parent),
        progress={} if shared else progress_in(path if path.is_dir() else path.parent),
        started=min((log.started for log in logs if log.started is not None), default=None),
        ended=max((log.ended for log in logs if log.ended is not None), default=None),
        warnings=[warning for life in chain for warning in life.warnings],
    )
    if ended_with := _first((log.ended_with for log in newest), ""):
        run.provenance = {"ended_with": ended_with}
    run.counted_by = {
        f"{one.file.prefix}{name}": axis
        for one in sources
        for name, axis in one.log.counted_by.items()
    }
    run.read_events = lambda: _events(run, logs)
    if any(log.has_samples for log in logs):
        sampled = [log for log in logs if log.has_samples]
        run.read_samples = lambda: (e for e in _events(run, sampled) if isinstance(e, Sample))
    run.read_histograms = lambda wanted: _histograms(run, logs, wanted)
    if any(source.log.read_new is not None for source in chain[-1].sources):
        run.read_new = lambda target: _follow(target, chain[-1])
    return run


def _first(found: Iterable[_E | None], otherwise: _E) -> _E:
    """The first value that is set."""
    return next((one for one in found if one), otherwise)


def _config(path: Path, logs: Iterable[Log], *, shared: bool) -> dict[str, object]:
    """What the logs say about settings, and beyond that the files beside them."""
    config: dict[str, object] = {}
    for log in logs:
        for key, value in settings(log.config).items():
            config.setdefault(key, value)
    if not shared:
        for key, value in config_in(path if path.is_dir() else path.parent).items():
            config.setdefault(key, value)
    return config


def _events(run: Run, logs: Iterable[Log]) -> Iterator[Event]:
    for log in logs:
        source = log.events
        if source is not None:
            try:
                rest = iter(guarded(log.path, log.format, source))
                while (one := guarded(log.path, log.format, partial(next, rest, None))) is not None:
                    yield one
            except ReadError as error:
                _warn(run, error)


def _histograms(run: Run, logs: Iterable[Log], wanted: Wanted) -> Iterator[Histogram]:
    for log in logs:
        try:
            if log.histograms is not None:
                source = partial(log.histograms, wanted)
                yield from guarded(log.path, log.format, lambda: [*source()])  # noqa: B023
            else:
                for event in _events(run, [log]):
                    if isinstance(event, Histogram) and wanted(event.name):
                        yield event
        except ReadError as error:
            _warn(run, error)


def _follow(run: Run, life: _Life) -> int:
    """Take in what was appended to the logs."""
    before = run.points.count
    read = []
    for log in (source.log for source in life.sources):
        if log.read_new is not None:
            try:
                read.append((log, guarded(log.path, log.format, log.read_new)))
            except ReadError as error:
                _warn(run, error)
    life.points.follow(read)
    return run.points.count - before


def _warn(run: Run, error: ReadError) -> None:
    if str(error) not in run.warnings:
        run.warnings.append(str(error))
