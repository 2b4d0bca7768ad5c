"""The exit code of this process, which the interpreter does not tell anyone.

Functions that run at the end cannot ask for it, and a call of `sys.exit` may be caught on its way. So
`sys.exit` raises an exception that notices when the interpreter reads its code, which is when nobody
caught it. Of a `raise SystemExit(3)` only that it happened can be known: the outermost frame of the
main thread did not return, and no exception was reported.
"""

from __future__ import annotations

import os
import sys
import threading
from types import FrameType
from typing import Any, NoReturn

UNKNOWN = (
    "the script ended by `raise SystemExit(...)` without run.finish(): the exit code is not known, and "
    "'finished' may be wrong; use `with rv.init(...)`, or sys.exit(code)"
)


class ProcessEnd:
    """How this process ends, as far as it is known."""

    error: SystemExit | None = None  # that nobody caught
    outermost: FrameType | None = None  # frame of the main thread

    @classmethod
    def was_raised(cls) -> bool:
        """Whether a `SystemExit` that was not made by `sys.exit` ended the main thread."""
        frame = cls.outermost
        if cls.error is not None or frame is None or hasattr(sys, "last_type"):
            return False
        from opcode import opname

        stopped_at = frame.f_code.co_code[frame.f_lasti] if frame.f_lasti >= 0 else 0
        return not opname[stopped_at].startswith("RETURN_")


class _Exit(SystemExit):
    def __getattribute__(self, name: str) -> Any:
        if name == "code" and sys._getframe().f_back is None:  # no line of Python asks for it
            ProcessEnd.error = SystemExit(super().__getattribute__("code"))
        return super().__getattribute__(name)


_Exit.__name__ = _Exit.__qualname__ = "SystemExit"
_Exit.__module__ = "builtins"


def listen() -> None:
    """Notice from now on what `sys.exit` is called with in the main thread."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None:
        ProcessEnd.outermost, frame = frame, frame.f_back
    if getattr(sys.exit, "notes_its_code", False):
        return
    before = sys.exit

    def exit(status: Any = None, /) -> NoReturn:
        # threads pass over SystemExit itself, not over what is derived from it
        if threading.current_thread() is threading.main_thread():
            raise _Exit(status)
        before(status)

    exit.__doc__ = before.__doc__
    exit.notes_its_code = True  # type: ignore[attr-defined]
    sys.exit = exit


def code_of(error: SystemExit) -> int:
    """The exit code that the system gets to see.

    >>> [code_of(SystemExit(code)) for code in (None, 0, 3, -1, "no data")]
    [0, 0, 3, 255, 1]
    """
    if error.code is None:
        return 0
    if not isinstance(error.code, int):
        return 1
    return int(error.code) & 0xFF if os.name == "posix" else int(error.code)
