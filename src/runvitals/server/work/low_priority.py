"""How a process that judges begins: before it imports what it needs, and after everybody else."""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing import parent_process

from runvitals.server.work.memory import keep_small

KINDNESS = 5


def begin_humbly() -> None:
    """Let others go first, leave Ctrl-C to the server, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(KINDNESS)
    keep_small()
    threading.Thread(target=_end_with_parent, name="runvitals-parent", daemon=True).start()


def _end_with_parent() -> None:
    """A server that is killed cannot end its processes; they would wait for work forever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
