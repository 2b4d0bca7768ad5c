"""How a console ended: what stopped the training, and whether its last line is whole."""

import os
import re
from collections import deque
from pathlib import Path
from typing import NamedTuple

from runvitals.readers.raw import source
from runvitals.readers.raw.numbers import BEFORE, wholeness

_MAX_LENGTH = 300
_TAIL = 64 * 2**10
_TRACEBACK = "Traceback (most recent call last)"
_FRAME = re.compile(r'\s*File "([^"\n]{1,400})", line (\d{1,9})(?:, in ([^\n]{1,120}))?')
_ERROR = re.compile(
    r"(?:[\w.]{1,120}\.)?[A-Z]\w{0,80}(?:Error|Exception|Interrupt|Exit|Timeout|Iteration)\b(?:\([\w.]{0,80}\))?(?::\s.*)?"
)
_BARE = frozenset(
    {"KeyboardInterrupt", "MemoryError", "StopIteration", "AssertionError", "SystemExit"}
)
_FATAL = re.compile(
    r"No space left on device|[Oo]ut of memory|^Killed\b|\bKilled$|got signal: |Segmentation fault|"
    r"core dumped|CANCELLED AT|DUE TO TIME LIMIT|DUE TO PREEMPTION|oom[-_]kill|Bus error|"
    r"Exceeded job memory limit|Watchdog caught collective operation timeout|NCCL (?:timeout|error)|"
    r"ncclInternalError|ncclUnhandledCudaError|actor died unexpectedly|worker died or was killed|"
    r"was killed due to the node running low on memory|illegal memory access|"
    r"exited with exit code [1-9]|^Aborted\b|terminate called after throwing"
)
# The cheap question before the dear one.
_MAY_BE_FATAL = (
    "memory", "illed", "signal", "fault", "dumped", "CANCELLED", "oom", "Bus error", "NCCL", "nccl",
    "died", "exit code", "Aborted", "terminate called", "No space",
)  # fmt: skip
_MEMORY = re.compile(
    r"[Oo]ut ?[Oo]f ?[Mm]emory|oom[-_]kill|memory limit|low on memory|\bMemoryError"
)
# They only pass on that another process failed; what it said before is the reason.
_MESSENGERS = re.compile(
    r"(?:[\w.]{1,120}\.)?(?:ChildFailedError|CalledProcessError|SignalException|ProcessRaisedException|"
    r"ProcessExitedException|RayTaskError|BrokenPipeError|ConnectionResetError|EOFError)\b|"
    r".{0,200}(?:exited with exit code|got signal: )"
)
_LIBRARY = re.compile(r"site-packages|dist-packages|[/\\]lib[/\\]python\d|<frozen |<string>")


class Ending:
    """Remembers the last error among the lines it is given, and where it came from."""

    def __init__(self) -> None:
        self.line = ""  # the message itself
        self._where = ""  # the deepest frame
        self._own = ""  # the deepest frame outside of libraries
        self._frames = False  # a traceback is being read
        self._lasting = False  # whether the message is a cause rather than a consequence

    def clear(self) -> None:
        """Forgets the error: the training continued after it."""
        self.line = self._where = self._own = ""
        self._frames = self._lasting = False

    def feed(self, text: str) -> None:
        """Take in a line without metrics."""
        stripped = text.strip()
        if not stripped or len(stripped) > 2000:
            return
        if _TRACEBACK in stripped:
            self._frames = True
            if not self._lasting:
                self._where = self._own = ""
            return
        if self._frames and (frame := _FRAME.match(text)):
            file = frame[1].replace("\\", "/").rpartition("/")[2]
            place = f"{file}:{frame[2]}"
            place += f" in {frame[3]}" if frame[3] and frame[3] != "<module>" else ""
            self._where = place
            if not _LIBRARY.search(frame[1]):
                self._own = place
            return
        if stripped[:1].isalpha() and (stripped in _BARE or _ERROR.match(stripped)):
            self._note(stripped[:_MAX_LENGTH], self._frames)
            self._frames = False
        elif any(word in stripped for word in _MAY_BE_FATAL) and (fatal := _FATAL.search(stripped)):
            self._note(stripped[max(0, fatal.start() - 150) : fatal.end() + 150], self._frames)

    def _note(self, line: str, traced: bool) -> None:
        messenger = _MESSENGERS.match(line) is not None
        if messenger and self._lasting:
            return  # the reason was said before
        self.line, self._lasting = line, not messenger
        if not traced:
            self._where = self._own = ""

    @property
    def text(self) -> str:
        """What ended it, in one line: `out of memory in train.py:12 in step: ...`.

        >>> end = Ending()
        >>> for line in (
        ...     "Traceback (most recent call last):",
        ...     '  File "/home/me/train.py", line 12, in step',
        ...     "torch.OutOfMemoryError: CUDA out of memory.",
        ... ):
        ...     end.feed(line)
        >>> end.text
        'out of memory (train.py:12 in step): torch.OutOfMemoryError: CUDA out of memory.'
        """
        if not self.line:
            return ""
        where = self._own or self._where
        place = f" ({where})" if where else ""
        if _MEMORY.search(self.line):
            return f"out of memory{place}: {self.line}"
        if "DUE TO TIME LIMIT" in self.line:
            return f"the time limit of the job: {self.line}"
        return f"{self.line}{place}"


def ending_of(path: Path) -> str:
    """The error at the end of a text file; "" if there is none."""
    end = Ending()
    for line in _last_lines(path):
        end.feed(line)
    return end.text


def last_line(path: Path) -> str:
    """The last line of a text file that is not blank."""
    return next((line.strip() for line in reversed(_last_lines(path)) if line.strip()), "")[
        :_MAX_LENGTH
    ]


def _last_lines(path: Path) -> list[str]:
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            if (
                size <= source.HEAD_BYTES
                or file.seek(0)
                or file.read(2)[:2] in (b"\x1f\x8b", *source.UTF16)
            ):
                data = source.head(path, 4 * 2**20)[-_TAIL:]
            else:
                file.seek(max(0, size - _TAIL))
                data = file.read()
    except OSError:
        return []
    return data.decode("utf-8", "replace").replace("\r", "\n").split("\n")


INCOMPLETE = "the last line is not complete; it was kept out"
_MAX_COMPARED = 2**16  # bytes of a line that is kept to compare with
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d[\d.]*|\.\d+)(?:[eE][-+]?\d*)?")
_BLANKS = re.compile(r"\s+")


class Torn(NamedTuple):
    """Whether a last line without a line break can be used, and a warning about it."""

    read: bool
    warning: str = ""


class LastLines:
    """The most recent complete lines, to compare a last line without a line break with.

    >>> lines = LastLines()
    >>> for i in range(9):
    ...     lines.add(f"step: {i} loss: {1 / (i + 1):.4f} kl: 0.0125".encode())
    >>> lines.judge(b"step: 9 loss: 0.1000 kl: 0.0125").read
    True
    >>> lines.judge(b"step: 9 loss: 0.1")
    Torn(read=False, warning='the last line is not complete; it was kept out')
    """

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque(maxlen=BEFORE)

    def add(self, line: bytes) -> None:
        """Take in a line that has its end."""
        if len(line) <= _MAX_COMPARED:
            self._lines.append(line)

    def judge(self, last: bytes) -> Torn:
        """Whether a line without its end is whole. One that no line before it resembles may be."""
        shape, number = _shape(last)
        if not number and not shape.strip():
            return Torn(True)
        shapes = list(map(_shape, self._lines))
        alike = [ending for other, ending in shapes if other == shape]
        if not alike:
            cut = any(other.startswith(shape) for other, _ in shapes) and "#" in shape
            return Torn(False, INCOMPLETE) if cut else Torn(True)
        found = wholeness(number, alike) if number else "whole"
        if found == "cut":
            return Torn(False, INCOMPLETE)
        doubt = f"the last line has no line break; its last number ({number}) may be cut off"
        return Torn(True, doubt if found == "unknown" else "")


def _shape(line: bytes) -> tuple[str, str]:
    """A line with a mark for each number, and the number at its very end.

    >>> _shape(b"step 7,  loss=0.25")
    ('step #, loss=#', '0.25')
    """
    text = _BLANKS.sub(" ", line.decode("utf-8", "replace").strip("\r\n"))
    *_, last = (None, *_NUMBER.finditer(text))
    at_end = last is not None and last.end() == len(text)
    return _NUMBER.sub("#", text), last[0] if last is not None and at_end else ""
