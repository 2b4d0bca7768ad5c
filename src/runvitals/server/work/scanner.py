"""A thread that finds runs: told by the operating system where it can be, else by looking."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from runvitals.server.work.library import Library

SHARE = 20  # looking may take a twentieth of a core
MIN_PAUSE = 2.0  # seconds between two looks that nothing called for
MAX_PAUSE = 30.0  # seconds, however long a look took: folders on a network disk tell of nothing
SETTLE = 0.4  # seconds: a new folder is filled before it is looked at
LOOK_AGAIN = 1.5  # seconds after a notice: what is written into a new folder may not be noticed


class Scanner:
    """Looks for runs that came or went until it is stopped.

    `looked` is called after each look, on this thread, which serves nothing else.
    """

    def __init__(self, library: Library, looked: Callable[[], None]) -> None:
        self._library, self._looked = library, looked
        self._stop = threading.Event()
        self._wanted = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, name="runvitals-scan", daemon=True),
            threading.Thread(target=self._listen, name="runvitals-notices", daemon=True),
        ]

    def start(self) -> None:
        """Begin to look."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End."""
        self._stop.set()
        self._wanted.set()
        for thread in self._threads:
            thread.join(timeout=10)

    def look_now(self) -> None:
        """Look without waiting for the next time."""
        self._wanted.set()

    def _run(self) -> None:
        again = False
        while not self._stop.is_set():
            pause = self._look()
            told = self._wanted.wait(LOOK_AGAIN if again else pause)
            self._wanted.clear()
            again = told and not self._stop.wait(SETTLE)

    def _look(self) -> float:
        """Look once; gives the seconds until the next look that nothing calls for."""
        began, worked = time.monotonic(), time.thread_time()
        try:
            self._library.scan()
            self._looked()
        except Exception as error:  # noqa: BLE001  one odd file must not blind it for the others
            self._library.note(f"looking for runs failed: {type(error).__name__}: {error}")
        return pause_after(time.thread_time() - worked, time.monotonic() - began)

    def _listen(self) -> None:
        """Have the operating system say when something comes or goes; roots may appear later."""
        while not self._stop.is_set():
            roots = [root for root in self._library.roots if root.exists()]
            try:
                for _ in _changes(roots, self._stop):
                    self._wanted.set()
                    if len(roots) != sum(root.exists() for root in self._library.roots):
                        break
            except OSError:
                return  # it cannot tell here: too many folders, or an odd file system
            except RuntimeError:
                self._wanted.set()  # the name of what came or went is not text
            self._stop.wait(MIN_PAUSE)


def pause_after(worked: float, taken: float) -> float:
    """Seconds to wait after a look that cost some CPU time and took some time by the clock.

    What a busy machine adds to the clock does not count twice, so that runs stay visible there.
    """
    return min(MAX_PAUSE, max(MIN_PAUSE, SHARE * worked, taken))


def _changes(roots: Sequence[Path], stop: threading.Event) -> Iterable[object]:
    """Something each time that a file or folder comes or goes below the roots."""
    if not roots:
        return ()
    from watchfiles import Change, watch

    return watch(
        *roots,
        watch_filter=lambda change, _: change != Change.modified,
        stop_event=stop,
        rust_timeout=1_000,
        raise_interrupt=False,
        ignore_permission_denied=True,
    )
