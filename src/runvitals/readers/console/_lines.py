"""What all console readers share: clean lines, rows from a line parser, blocks, following, sniffing.

A format is a `LineParser`: it takes one line after the other and gives rows as they become complete.
`read_console` runs it over a file, `sniff_console` over its beginning, `ParserSession` over what comes.
"""

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from runvitals.model import EmptyLogError, ReadError, RowBlock
from runvitals.readers.console._config import ConfigHarvester
from runvitals.readers.console._end import Ending, LastLines, ending_of
from runvitals.readers.log import Blocks, Log
from runvitals.readers.raw import source
from runvitals.readers.raw.source import LineFollower
from runvitals.readers.rows.collector import RowCollector, too_large
from runvitals.readers.rows.columns import MAX_CELLS
from runvitals.readers.rows.table import Column, Table, TableRun, choose_step, runs_in
from runvitals.readers.rows.turns import Turns

Axis = str
Found = tuple[Axis, Mapping[str, Any]]

HIDDEN = "\0"  # begins the names of columns that serve to place rows and are not metrics
ROW = HIDDEN + "row"
MAX_LENGTH = 2**18  # characters of a line that are looked at; metric lines are a few thousand long
_SETTLED = 3.0  # seconds without a write after which a last line without an end counts as complete
_ROWS_BETWEEN_LOOKS = 1024  # at what all rows take
_UNCOUNTED = "no step was found; rows are counted from 0"

# Escape sequences: colours and cursor moves, titles and links, two-character ones.
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_=>])")
_PREFIX = re.compile(
    r"\s*(?:"
    r"\([\w.:<>,\[\] -]{1,80}? pid=\d+(?:, ip=[\w.:-]+)?(?:, actor_id=\w+)?\)"  # Ray
    r"|\[(?:rank|default|node)[ _]?\d+\]:"  # torchrun
    r"|\[\d+,\d+\]<std(?:out|err)>:"  # mpirun
    # srun -l; but `12: loss=0.3` counts, if nothing else on the line does
    r"|\d{1,4}: (?=\S)(?!(?!.*\b(?:step|epoch|iter|iteration|episode|update)s?\W{0,3}\d)"
    r".*[=:] ?[-+]?\d)"
    r")\s?"
)
_OMEN = re.compile(r"is over \d{2,3}% full|No GPU|[Cc]onnection refused")


class LineParser(ABC):
    """A console format. Subclasses fill in `feed`; the rest has defaults that fit most."""

    ID = ""
    framework: str | None = None
    algorithm: str | None = None
    axes_are_runs = False  # each axis (ML-Agents: behaviour) is a run of its own
    fewest_rows = 1  # per axis: an axis with fewer is noise
    step_names: tuple[str, ...] = ()  # looked for before the usual names
    cells_of_row = 8  # of 8 bytes: what is noted of a row besides its numbers

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.config: dict[str, Any] = {}  # filled from outside; the parser may look things up
        self.finished = False  # the log itself says that training ended as planned

    @abstractmethod
    def feed(self, line: str) -> Iterable[Found]:
        """The rows that this line completes; a line may be blank."""

    def end(self) -> Iterable[Found]:
        """The row that is still open when the text ends."""
        return ()

    def few(self, axis: Axis) -> int:  # noqa: ARG002
        """The fewest rows for which an axis beside others is kept."""
        return self.fewest_rows

    def keeps(self, axis: Axis, table: Table) -> bool:  # noqa: ARG002
        """True if the rows of an axis beside others are rows of a training."""
        return True

    def settle(self, axis: Axis, table: Table) -> str | Sequence[float] | None:  # noqa: ARG002
        """The name of the step column, or the steps of all rows that came since the last call."""
        return choose_step(table, self.step_names) or choose_step(table)


def clean(raw: bytes) -> tuple[str, str]:
    """A line as text without colours, and the prefix that Ray, torchrun, ... put before it.

    >>> clean(b"\\x1b[36m(TaskRunner pid=7)\\x1b[0m step:1 - a:2")
    ('step:1 - a:2', '(TaskRunner pid=7)')
    """
    text = raw[: MAX_LENGTH * 2].decode("utf-8", "replace")[:MAX_LENGTH]
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\x08" in text:
        text = text[text.rfind("\x08") + 1 :]  # what is left of a line that was drawn over
    if text[:1] == "\0":
        text = text.lstrip("\0")
    if text and text[0] in " \t([0123456789" and (prefix := _PREFIX.match(text)):
        return text[prefix.end() :], prefix[0].strip()
    return text, ""


class ParserSession:
    """A parser at work: takes lines in, gives blocks out, remembers where it stands."""

    def __init__(self, parser: LineParser) -> None:
        self.parser = parser
        self.count = 0
        self.ending = Ending()  # the last error met after the last row
        self.omen = ""  # a message that may explain why no row came
        self.too_many = False  # lines came when there was no more room
        self._full = False
        self._harvest = ConfigHarvester()
        parser.config = self._harvest.config
        self._rows: dict[Axis, RowCollector] = {}
        self._steps: dict[Axis, str] = {}
        self._turns: dict[Axis, Turns] = {}
        self._last: dict[Axis, int] = {}
        self._segment: dict[Axis, int] = {}
        self._counted: dict[Axis, int] = {}

    def feed(self, raw: bytes) -> None:
        """Take in one line."""
        if self._full:  # its parser must not count rows that nobody keeps
            self.too_many = self.too_many or not raw.isspace()
            return
        if not raw or raw.isspace():
            self._take(self.parser.feed(raw[:MAX_LENGTH].decode("ascii")))
            return
        text, prefix = clean(raw)
        before = self.count
        self._take(self.parser.feed(text))
        if self.count == before:
            self._harvest.feed(text, prefix, self.count > 0)
            self.ending.feed(text)
            if not self.count and len(text) < 2000 and _OMEN.search(text):
                self.omen = text.strip()[:300]
        else:
            self.ending.clear()

    def end(self) -> None:
        """The text ends here: close what is open."""
        self._take(self.parser.end())

    def _take(self, found: Iterable[Found]) -> None:
        for axis, row in found:
            collector = self._rows.get(axis)
            if collector is None:
                if len(self._rows) >= 64:
                    continue
                collector = self._rows[axis] = RowCollector()
            collector.add(row)
            self.count += 1
            self._full = self._full or collector.full
            if self.count % _ROWS_BETWEEN_LOOKS == 0 and not self._full:
                taken = sum(rows.cells for rows in self._rows.values())
                self._full = taken + self.parser.cells_of_row * self.count >= MAX_CELLS

    def restart(self) -> None:
        """The source begins anew: what comes is another life of the run."""
        for axis in self._segment:
            self._last[axis] = 2**62

    def runs(self) -> dict[Axis, list[TableRun]]:
        """The runs in what came so far, by axis. Call once; later rows come from `blocks`."""
        found: dict[Axis, list[TableRun]] = {}
        for axis, table in self._tables(first=True):
            parts = _parts(table, self._steps[axis], split=True)
            if parts:
                found[axis] = parts
                if (turns := parts[-1].turns) is not None:
                    self._turns[axis] = turns
                self._remember(axis, parts[-1].blocks)
        return found

    def new_blocks(self) -> dict[Axis, Blocks]:
        """What came since the last call, by axis, as blocks that continue the last run."""
        fresh: dict[Axis, Blocks] = {}
        for axis, table in self._tables(first=False):
            if axis in self._turns:
                table = self._turns[axis].apply(table)
            for part in _parts(table, self._steps[axis], split=False):
                begin = min((int(b.steps.min()) for _, b in part.blocks), default=0)
                ahead = self._segment.get(axis, 1) - 1
                ahead += axis in self._last and begin < self._last[axis]
                moved = [(segment + ahead, block) for segment, block in part.blocks]
                self._remember(axis, moved)
                fresh.setdefault(axis, []).extend(moved)
        return fresh

    def _tables(self, first: bool) -> Iterable[tuple[Axis, Table]]:
        rows, self._rows = self._rows, {}
        for axis, collector in rows.items():
            if first and collector.rows < self.parser.few(axis) and len(rows) > 1:
                continue
            table = collector.table()
            if first and len(rows) > 1 and not self.parser.keeps(axis, table):
                continue
            steps = self.parser.settle(axis, table)
            known = self._steps.get(axis, "")
            if isinstance(steps, Sequence) and not isinstance(steps, str):
                self._steps[axis] = ROW
                table.columns[ROW] = _column(steps)
            elif known == ROW or (steps is None and not known):
                begin = self._counted.get(axis, 0)
                self._counted[axis] = begin + table.rows
                self._steps[axis] = ROW
                table.columns[ROW] = _column(range(begin, begin + table.rows))
                if _UNCOUNTED not in self.parser.warnings:
                    self.parser.warnings.append(_UNCOUNTED)
            else:
                self._steps[axis] = known or str(steps)
                if self._steps[axis] not in table.columns:  # these rows hold no step
                    last = float(self._last.get(axis, 0))
                    table.columns[self._steps[axis]] = _column([last] * table.rows)
            yield axis, table

    def _remember(self, axis: Axis, blocks: Blocks) -> None:
        if blocks:
            self._segment[axis] = max(segment for segment, _ in blocks)
            newest = [b for segment, b in blocks if segment == self._segment[axis]]
            self._last[axis] = max(int(b.steps[-1]) for b in newest if len(b))

    @property
    def config(self) -> dict[str, Any]:
        """The settings found so far."""
        return self._harvest.config


def _column(values: Iterable[float]) -> Column:
    steps = np.fromiter(values, np.float64)
    return Column(steps, np.arange(len(steps)))


def _parts(table: Table, step: str | None, split: bool) -> list[TableRun]:
    """The runs of a table without its hidden columns."""
    if not any(not name.startswith(HIDDEN) for name in table.columns):
        return []
    parts = runs_in(table, step=step, split=split)
    for part in parts:
        part.blocks = [
            (segment, shown)
            for segment, block in part.blocks
            if (shown := _shown(block)) is not None
        ]
    return [part for part in parts if part.blocks]


def _shown(block: RowBlock) -> RowBlock | None:
    keep = [i for i, name in enumerate(block.names) if not name.startswith(HIDDEN)]
    if len(keep) == len(block.names):
        return block
    if not keep:
        return None
    names = tuple(block.names[i] for i in keep)
    return RowBlock(names, block.steps, block.times, block.values[:, keep], block.rank)


def read_console(path: Path, make: Callable[[], LineParser]) -> list[Log]:
    """The runs in a console log; `read_new` of the last one follows the file as it grows."""
    session = ParserSession(make())
    warnings: list[str] = []
    follower: LineFollower | None = None
    try:
        size = path.stat().st_size
        if size == 0:
            raise EmptyLogError(
                path, "the file is empty", hint="the run may have died before it printed"
            )
        with open(path, "rb") as file:
            encoded = file.read(6).startswith(source.ENCODED)
        if encoded:
            for line in source.read_lines(path, warnings):
                session.feed(line)
            session.end()
        else:
            follower = LineFollower(path)
            lines = LastLines()
            for line in follower.iter_lines():
                session.feed(line)
                lines.add(line)
            if not session.count or time.time() - path.stat().st_mtime > _SETTLED:
                torn = lines.judge(follower.rest)
                if torn.read:
                    session.feed(follower.take_rest())
                if torn.warning:
                    warnings.append(torn.warning)
            session.end()
            if follower.passed_over:
                warnings.append(
                    f"{follower.passed_over} lines longer than {source.MAX_LINE >> 20} MiB "
                    "were passed over"
                )
    except OSError as error:
        raise ReadError(path, str(error.strerror or error)) from error
    logs = make_logs(path, session, warnings)
    if not logs:
        raise nothing_logged(path, session)
    _ask_stderr(path, logs[-1])
    if follower is not None:
        _follow(logs, session, follower)
    return logs


def _ask_stderr(path: Path, log: Log) -> None:
    """What went to stderr may lie in a file beside: `job.err` beside `job.out`."""
    beside = path.with_suffix(".err")
    if log.status == "unknown" and path.suffix in (".out", ".log", ".txt") and beside.is_file():
        ending = ending_of(beside)
        if ending:
            log.fail(ending)


def make_logs(path: Path, session: ParserSession, warnings: list[str]) -> list[Log]:
    """The runs that a session has found, with their settings."""
    parser = session.parser
    found = session.runs()
    if session.too_many:
        warnings.append(too_large(session.count))
    warnings = warnings + [w for w in parser.warnings if w not in warnings]
    logs: list[Log] = []
    if parser.axes_are_runs:
        groups = [(axis, {axis: [part]}) for axis, parts in found.items() for part in parts]
    else:
        groups = [("", group) for group in _side_by_side(found)]
    for number, (name, group) in enumerate(groups, 1):
        log = Log(path, parser.ID, config=dict(session.config), name=name)
        log.framework, log.algorithm = parser.framework, parser.algorithm
        log.warnings = list(warnings)
        parts = [part for several in group.values() for part in several]
        for part in parts:
            log.add(part.blocks)
            log.counted_by |= part.counted_apart(parts[0].step_name)
            log.warnings += [w for w in part.warnings if w not in log.warnings]
        if number == len(groups):
            if parser.finished:
                log.status = "finished"
            elif session.ending.line:
                log.fail(session.ending.text)
        if log.points.count:
            logs.append(log)
    return logs


def _side_by_side(found: dict[Axis, list[TableRun]]) -> list[dict[Axis, list[TableRun]]]:
    """The axes of one run together: the first run of each, the second of each, ..."""
    if not found:
        return []
    runs = max(len(parts) for parts in found.values())
    if any(len(parts) != runs for parts in found.values()):
        runs = len(max(found.values(), key=lambda parts: sum(len(p.blocks) for p in parts)))
    groups: list[dict[Axis, list[TableRun]]] = [{} for _ in range(runs)]
    for axis, parts in found.items():
        for number, part in enumerate(parts):
            groups[min(number, runs - 1)].setdefault(axis, []).append(part)
    return groups


def nothing_logged(path: Path | str, session: ParserSession) -> ReadError:
    """The error for a console log without any metrics."""
    if session.ending.line:
        return died(path, session.ending.text)
    if session.omen:
        hint = f"the run died before its first step; the log warns: {session.omen}"
    else:
        hint = (
            "the run died before its first step, or its metrics went elsewhere (W&B, TensorBoard)"
        )
    return ReadError(path, "no metrics were logged", hint=hint)


def died(path: Path | str, ending: str) -> ReadError:
    """The error for a console log that ends in an exception before any metrics."""
    return ReadError(
        path,
        f"no metrics were logged; it ended with: {ending}",
        hint="the run died before its first step, or its metrics went elsewhere",
    )


def _follow(logs: list[Log], session: ParserSession, follower: LineFollower) -> None:
    """Give the logs a `read_new`; the axes of one run go to its last log."""
    apart = session.parser.axes_are_runs
    own = {log.name if apart else "": log for log in logs}
    waiting: dict[str, Blocks] = {name: [] for name in own}

    def read_new(name: str, log: Log) -> Blocks:
        restarts, passed = follower.restarts, follower.passed_over
        for line in follower.iter_lines():
            if follower.restarts != restarts:
                restarts = follower.restarts
                session.restart()
                log.warnings.append("the file was truncated or replaced while it was followed")
            session.feed(line)
        if follower.passed_over != passed:
            log.warnings.append("a line too long to be a log line was passed over")
        for axis, blocks in session.new_blocks().items():
            waiting.get(axis if apart else "", []).extend(blocks)
        fresh, waiting[name] = waiting[name], []
        if session.parser.finished:
            log.status = "finished"
        log.config.update({k: v for k, v in session.config.items() if k not in log.config})
        return fresh

    for name, log in own.items():
        log.read_new = partial(read_new, name, log)
