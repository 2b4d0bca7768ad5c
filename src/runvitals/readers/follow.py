"""Keeps an open run current: names that come later are bound too, and files that appear are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runvitals.model import ReadError, Run
from runvitals.readers.bind import add_logged_settings, bind
from runvitals.readers.discovery.discover import discover, may_be_log
from runvitals.readers.discovery.files import Found
from runvitals.readers.joining.join import read_found
from runvitals.readers.log import one_run
from runvitals.readers.options import ReadOptions

_FAR_SHORTER = 5  # times, than the longest run of a file (judgement)
_SCORES = ("outcome/", "reward/", "eval/", "supervised/", "preference/", "rm/")
_LOSSES = ("lm/", "optim/loss")
_SMALL = 4096  # bytes: too little to tell whether it is a log
_MAX_FOLDERS = 200  # looked at for new files


def opened(found: Found, options: ReadOptions, *, aside: bool = False) -> list[Run]:
    """The runs of some files, with their names bound, now and after each `refresh`.

    `aside`: as in `open_folder`. What goes wrong is a `ReadError`.
    """
    with one_run(found.path):
        if not found.files:
            from runvitals.store.reader import (
                open_folder,
            )  # with pyarrow, which other logs do without

            return [_with_text(_bound(open_folder(found.path, aside=aside), options))]
        unread: set[Path] = set()
        runs = read_found(found, unread)
        watched = len(runs) == 1 and found.path.is_dir()
        watch = _Watch(found, unread) if watched else None
        runs = [_with_text(_bound(run, options, watch)) for run in runs]
        for path in {run.path for run in runs}:
            _set_beside([run for run in runs if run.path == path])
        return runs


def longest_of(runs: Sequence[Run]) -> Run:
    """The run with the most rows, the last of several: the training that a file is about.

    Rows that say nothing about the outcome, such as states of a game, come after those that do.
    """
    return max(reversed(runs), key=lambda run: (_tells_outcome(run), _rows(run)))


def _tells_outcome(run: Run) -> int:
    """2 with a score of any kind, 1 with nothing but a loss, else 0."""
    told = (
        2 * metric.startswith(_SCORES) or int(metric.startswith(_LOSSES))
        for metric in run.metrics()
    )
    return max(told, default=0)


def _rows(run: Run) -> int:
    return max((run.points.size(name) for name in run.names()), default=0)


def _set_beside(runs: Sequence[Run]) -> None:
    """Trials and roll-outs of one file, which are far shorter or tell no outcome, stand beside it."""
    longest = longest_of(runs)
    for run in runs:
        silent = _tells_outcome(longest) > 0 == _tells_outcome(run)
        if silent or _rows(run) * _FAR_SHORTER < _rows(longest):
            run.beside = longest.id


def _with_text(run: Run) -> Run:
    """Adds measures of what the model wrote; for live runs the judge adds them."""
    if run.status == "running" or run.read_samples is None:
        return run
    from runvitals.rollouts.series import with_text

    return with_text(run)


def _bound(run: Run, options: ReadOptions, watch: _Watch | None = None) -> Run:
    told = run.framework, run.algorithm
    bind(run, options)
    read_new = run.read_new
    if read_new is None and watch is None:
        return run

    def refresh(run: Run) -> int:
        with one_run(run.path or Path()):
            return look_again(run)

    def look_again(run: Run) -> int:
        nonlocal read_new, told
        before, names = run.points.count, run.names()
        newer = watch.read_again() if watch is not None else None
        if newer is not None:
            run.points, run.config = newer.points, newer.config
            run.read_events, run.read_histograms = newer.read_events, newer.read_histograms
            run.read_samples, run.digest = newer.read_samples, None
            run.status, run.format, run.warnings = newer.status, newer.format, newer.warnings
            run.started, run.ended = newer.started, newer.ended
            read_new, told = newer.read_new, (newer.framework, newer.algorithm)
        elif read_new is not None:
            read_new(run)
        if newer is not None or len(run.names()) != len(names):
            run.framework, run.algorithm = told
            bind(run, options)
        elif run.points.count != before:
            add_logged_settings(run)
        return max(0, run.points.count - before)

    run.read_new = refresh
    return run


@dataclass
class _Watch:
    """Looks whether files of a run appeared: loggers open theirs one after the other."""

    found: Found
    unread: set[Path]  # files of it that had nothing to read yet
    sizes: dict[Path, int] = field(default_factory=dict)  # of files that are not read

    def __post_init__(self) -> None:
        self._look()

    def _look(self) -> bool:
        """True if a file is new, or has grown enough to be looked at again."""
        known = {file.path for file in self.found.files} - self.unread
        grown = False
        for path in _files(self.found.path):
            if path in known:
                continue
            try:
                size = path.stat().st_size
            except OSError:
                continue
            before = self.sizes.get(path, 0)
            if size > (before if before < _SMALL else 2 * before):
                self.sizes[path] = size
                grown = True
        return grown

    def read_again(self) -> Run | None:
        """Reads the run again if its files have changed."""
        if not self._look():
            return None
        newer = next((f for f in discover(self.found.path) if f.path == self.found.path), None)
        same = newer is not None and newer.files == self.found.files
        if newer is None or (same and not self.unread):
            return None
        unread: set[Path] = set()
        try:
            runs = read_found(newer, unread)
        except ReadError:
            return None
        self.found, self.unread = newer, unread
        return runs[-1]


def _files(top: Path) -> list[Path]:
    """Files that may be logs, down to the folders of a writer's own."""
    files: list[Path] = []
    folders = [(top, 0)]
    for folder, depth in folders:
        try:
            inside = list(folder.iterdir())
        except OSError:
            continue
        for path in inside:
            if path.is_dir():
                if depth < 2 and len(folders) < _MAX_FOLDERS:
                    folders.append((path, depth + 1))
            elif may_be_log(path):
                files.append(path)
    return files
