"""What the command prints: its last words, and metrics where nobody else records them."""

from __future__ import annotations

import threading
from collections import deque

from runvitals.model import PointTable
from runvitals.model.secrets import redacted
from runvitals.readers.console._end import Ending
from runvitals.readers.console._lines import clean
from runvitals.readers.console._stream import ConsoleStream

MAX_WAITING = 32 * 2**20  # bytes that wait to be read
MAX_LINES = 400
LAST_LINES = 40
MAX_LINE = 2_000
_TRACEBACK = "Traceback (most recent call last)"


class ConsoleCapture:
    """Takes bytes in from one thread and reads them in another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._rest = b""
        self._stream: ConsoleStream | None = ConsoleStream("console")
        self._ending = Ending()
        self._lines: deque[str] = deque(maxlen=MAX_LINES)
        self.missed = 0  # bytes that came faster than they could be read

    def hear(self, data: bytes) -> None:
        """Take in output; in the thread that passes it on, so it does next to nothing."""
        with self._lock:
            self._waiting.append(data)
            self._size += len(data)
            while self._size > MAX_WAITING:
                gone = self._waiting.popleft()
                self._size -= len(gone)
                self.missed += len(gone)

    def read(self, *, last: bool = False) -> None:
        """Read what came."""
        with self._lock:
            data = b"".join(self._waiting)
            self._waiting.clear()
            self._size = 0
        if self._stream is not None:
            self._stream.feed(data)
            if last:
                self._close()
        lines = (self._rest + data).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = lines.pop()[-MAX_WAITING:] if not last else b""
        for line in lines:
            text, _ = clean(line)
            if text.strip():
                self._lines.append(text[:MAX_LINE])
                self._ending.feed(text)

    def _close(self) -> None:
        from runvitals.model import ReadError

        assert self._stream is not None
        try:
            self._stream.close()
        except ReadError:
            return  # it printed no metrics

    def ignore_metrics(self) -> None:
        """Others record them: only the last words are wanted from here on."""
        self._stream = None

    @property
    def points(self) -> PointTable | None:
        """The metrics that were printed; None if there are none."""
        if self._stream is None or self._stream.log is None:
            return None
        return self._stream.log.points

    @property
    def config(self) -> dict[str, object]:
        """The settings that were printed."""
        log = None if self._stream is None else self._stream.log
        return {} if log is None else dict(log.config)

    @property
    def ended_with(self) -> str:
        """The error among the last lines, with its place in the code."""
        return str(redacted(self._ending.text))

    @property
    def last_lines(self) -> list[str]:
        """The end of the output."""
        return [redacted(line) for line in list(self._lines)[-LAST_LINES:]]

    @property
    def traceback(self) -> list[str]:
        """The last traceback, if it is not too far back."""
        lines = list(self._lines)
        begins = [i for i, line in enumerate(lines) if _TRACEBACK in line]
        if not begins:
            return []
        ends = begins[-1] + 1
        while ends < len(lines) and lines[ends][:1] in (" ", "\t"):
            ends += 1
        return [redacted(line) for line in lines[begins[-1] : ends + 1]]
