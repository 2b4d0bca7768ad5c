"""Speaks on standard error from a thread of its own: a pipe that nobody reads holds up nobody."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable

from runvitals.model import RunvitalsWarning
from runvitals.recorder.background import Background, Wake, in_background

HEARD_SECONDS = 1.0  # seconds that a thread of the program waits to hear what it caused, once
MAX_WAITING = 1000  # sentences for a standard error that takes none

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class StderrThread:
    """One for each process."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Callable[[], None], Wake]] = deque(maxlen=MAX_WAITING)
        self._bell = Wake()
        self._speaks_since: float | None = None
        self._thread = Background(self._run, "runvitals-voice")
        self._started = False

    def start(self) -> None:
        """Be ready to speak; at the end of the interpreter it is too late for that."""
        if not self._started:
            self._started = self._thread.try_to_start()

    def say(self, speak: Callable[[], None]) -> None:
        """Have this said; a thread of the program hears it before it goes on, unless that blocks."""
        self.start()
        if not self._started:
            speak()
            return
        said = Wake()
        self._waiting.append((speak, said))
        self._bell.set()
        if not in_background() and not self._is_stuck():
            said.wait(HEARD_SECONDS)

    def wait(self) -> None:
        """Until all is said, though not for long."""
        if self._started and not in_background():
            self.say(lambda: None)

    def _is_stuck(self) -> bool:
        since = self._speaks_since
        return since is not None and time.monotonic() - since > HEARD_SECONDS

    def _run(self) -> None:
        while True:
            self._bell.wait(60.0)
            while self._waiting:
                speak, said = self._waiting.popleft()
                self._speaks_since = time.monotonic()
                try:
                    speak()
                except Exception:  # noqa: BLE001 - a standard error of the program's own making
                    continue  # to whom could it be told?
                finally:
                    self._speaks_since = None
                    said.set()


_writer = StderrThread()


def stderr_thread() -> StderrThread:
    """That of this process."""
    return _writer


def _new_thread() -> None:
    global _writer
    _writer = StderrThread()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_thread)


def warn(message: str) -> None:
    """A `RunvitalsWarning` at the line of the program that led to it."""
    filename, line = _line_of_the_program()

    def speak() -> None:
        try:
            warnings.warn_explicit(message, RunvitalsWarning, filename, line)
        except Exception:  # noqa: BLE001 - warnings are errors here, or standard error is closed
            _print(message)

    _writer.say(speak)


def tell(message: str) -> None:
    """Print on standard error, if there is one."""
    _writer.say(lambda: _print(message))


def _print(message: str) -> None:
    try:
        print(message, file=sys.stderr)
    except (OSError, ValueError, RuntimeError, AttributeError):
        return  # standard error is closed: there is nobody left to tell


def _line_of_the_program() -> tuple[str, int]:
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    if in_background():
        return "runvitals", 1
    return frame.f_code.co_filename, frame.f_lineno
