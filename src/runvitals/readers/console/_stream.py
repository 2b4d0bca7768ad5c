"""Console output as it arrives: `some_training | runvitals check -`.

All console parsers read along until one of them has found rows; then it alone goes on.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import orjson

from runvitals.model import ReadError
from runvitals.readers.console import (
    hf_console,
    key_value_text,
    ml_agents_console,
    rl_consoles,
    sb3_tables,
    verl_console,
)
from runvitals.readers.console._end import LastLines, Torn
from runvitals.readers.console._lines import (
    Found,
    LineParser,
    ParserSession,
    make_logs,
    nothing_logged,
)
from runvitals.readers.log import Blocks, Log
from runvitals.readers.raw.source import LineSplitter

_CHUNK = 2**16
_PATIENCE = 50  # rows of "key: value" before a reader that knows its format better is given up


class _JsonLines(LineParser):
    """Rows as JSON objects, one a line."""

    ID = "json-lines"

    def feed(self, line: str) -> Iterable[Found]:
        """The object on this line."""
        text = line.strip()
        if not (text.startswith('{"') and text.endswith("}")):
            return ()
        try:
            row = orjson.loads(text)
        except orjson.JSONDecodeError:
            return ()
        return [("", row)] if isinstance(row, dict) else ()


# The surest first; a parser with `needed` rows is believed.
PARSERS: tuple[tuple[type[LineParser], int], ...] = (
    (verl_console.VerlParser, 1),
    (sb3_tables.Sb3TableParser, 1),
    (rl_consoles.RlConsoleParser, 2),
    (ml_agents_console.MlAgentsParser, 1),
    (_JsonLines, 2),
    (hf_console.HfParser, 2),
    (key_value_text.KeyValueParser, 3),
)


class ConsoleStream:
    """Takes bytes as they come; `log` is there as soon as a format is recognised.

    >>> stream = ConsoleStream("stdin")
    >>> stream.feed(b"step:1 - actor/pg_loss:0.5\\nstep:2 - actor/pg_")
    >>> stream.log.format, stream.log.points.count
    ('verl-console', 1)
    >>> stream.feed(b"loss:0.4\\n")
    >>> stream.close().points.column("actor/pg_loss")[2].tolist()
    [0.5, 0.4]
    """

    def __init__(self, name: str = "stdin") -> None:
        self.log: Log | None = None
        self._name = name
        self._splitter = LineSplitter()
        self._sessions = [(ParserSession(make()), needed) for make, needed in PARSERS]
        self._chosen: ParserSession | None = None
        self._lines = 0
        self._last_lines = LastLines()

    def feed(self, data: bytes) -> None:
        """Take in what came; complete lines are read, and the log grows."""
        for line in self._splitter.split(data):
            self._line(line)
        self._grow()

    def _line(self, line: bytes) -> None:
        self._lines += 1
        self._last_lines.add(line)
        if self._chosen is not None:
            self._chosen.feed(line)
            return
        for session, _ in self._sessions:
            session.feed(line)

    def _choose(self, last: bool) -> None:
        for session, needed in self._sessions:
            vague = isinstance(session.parser, key_value_text.KeyValueParser)
            if vague and not last and session.count < _PATIENCE:
                continue
            if session.count >= (needed if vague or not last else 1):
                self._chosen = session
                self._sessions = []
                return

    def _grow(self, last: bool = False) -> Blocks:
        if self._chosen is None:
            self._choose(last)
            if self._chosen is None:
                return []
        if self.log is None:
            logs = make_logs(Path(self._name), self._chosen, [])
            if not logs:
                return []
            self.log = logs[-1]
            return []
        fresh = [pair for blocks in self._chosen.new_blocks().values() for pair in blocks]
        self.log.add(fresh)
        self.log.warnings += [w for w in self._chosen.parser.warnings if w not in self.log.warnings]
        return fresh

    def close(self) -> Log:
        """The stream has ended: the log with everything in it; `ReadError` when there is nothing."""
        torn = Torn(True)
        if rest := self._splitter.take_rest():
            torn = self._last_lines.judge(rest)
            if torn.read:
                self._line(rest)
        sessions = [self._chosen] if self._chosen else [session for session, _ in self._sessions]
        for session in sessions:
            session.end()
        self._grow(last=True)
        if self.log is None:
            if not self._lines:
                raise ReadError(
                    self._name, "nothing came", hint="did the command before the pipe start?"
                )
            raise nothing_logged(self._name, sessions[0])
        if torn.warning:
            self.log.warnings.append(torn.warning)
        session = sessions[0] if self._chosen is None else self._chosen
        if session.parser.finished:
            self.log.status = "finished"
        elif session.ending.line:
            self.log.fail(session.ending.text)
        self.log.framework = session.parser.framework
        self.log.config = dict(session.config)
        return self.log


def read_stream(file: BinaryIO, name: str = "stdin") -> Log:
    """Read a stream of console output to its end."""
    stream = ConsoleStream(name)
    read = getattr(file, "read1", file.read)
    while data := read(_CHUNK):
        stream.feed(data)
    return stream.close()
