"""The code that `sys.exit` ends this process with: the interpreter keeps it to itself.

Functions that run at the end cannot ask for it, and a call of `sys.exit` may be caught on its way. So
`sys.exit` raises an exception that notices when the interpreter reads its code, which is when nobody
caught it. A `raise SystemExit(3)` passes by unseen.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any, NoReturn


class ProcessEnd:
    """How this process ends, as far as it is known."""

    error: SystemExit | None = None  # that nobody caught


class _Exit(SystemExit):
    def __getattribute__(self, name: str) -> Any:
        if name == "code" and sys._getframe().f_back is None:  # no line of Python asks for it
            ProcessEnd.error = SystemExit(super().__getattribute__("code"))
        return super().__getattribute__(name)


_Exit.__name__ = _Exit.__qualname__ = "SystemExit"
_Exit.__module__ = "builtins"


def listen() -> None:
    """Notice from now on what `sys.exit` is called with in the main thread."""
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
