"""A run in a notebook, live: `rv.show(run)` draws it and draws it anew while it goes on."""

import os
import threading
import time
from typing import Any

from runvitals.display import html_of
from runvitals.model import ConfigError, Run
from runvitals.model.run import ENDED
from runvitals.readers.open import open_run
from runvitals.recorder.live import LiveRun

EVERY = 2.0  # seconds
BREATHE = 20  # times as long as drawing took pass before the next: the training needs the processor
TICK = 0.2  # seconds in which an end is noticed


class LiveDisplay:
    """The output of a cell that follows a run; `stop()` draws it for the last time."""

    def __init__(self, run: LiveRun | Run, every: float) -> None:
        self._run = run
        self._every = every
        self._stop = threading.Event()
        self._handle = _display(self._html())
        self._thread = threading.Thread(target=self._follow, name="runvitals-show", daemon=True)
        if run.status not in ENDED:
            self._thread.start()

    def stop(self) -> None:
        """Draw once more, as it is now, and follow no longer."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _follow(self) -> None:
        cost = 0.0
        drawn = time.monotonic()
        while not self._stop.wait(TICK) and self._run.status not in ENDED:
            if time.monotonic() - drawn >= max(self._every, BREATHE * cost):
                cost = self._draw()
                drawn = time.monotonic()
        self._draw()

    def _draw(self) -> float:
        """How many seconds it took."""
        begun = time.monotonic()
        if isinstance(self._run, Run):
            self._run.refresh()
        self._handle.update(_Html(self._html()))
        return time.monotonic() - begun

    def _html(self) -> str:
        return html_of(self._run) or f"<pre>{self._run.name}</pre>"

    def __repr__(self) -> str:
        going = "live" if self._thread.is_alive() and not self._stop.is_set() else self._run.status
        return f"<LiveDisplay of {self._run.name}: {going}>"


def show(run: LiveRun | Run | str | os.PathLike[str], *, every: float = EVERY) -> LiveDisplay:
    """Draw a run in a notebook, and anew every few seconds until it ends.

    Takes a run that is being recorded here, an open one, or a path, such as the log of a training that
    runs elsewhere. Drawing takes at most a twentieth of the time. In a terminal: `runvitals watch`.
    """
    if not every > 0:
        raise ConfigError(f"`every` must be a number of seconds, got {every!r}")
    if not isinstance(run, LiveRun | Run):
        run = open_run(run)
    return LiveDisplay(run, every)


class _Html:
    """What IPython asks for its HTML."""

    def __init__(self, text: str) -> None:
        self._text = text

    def _repr_html_(self) -> str:
        return self._text


def _display(text: str) -> Any:
    """A handle by which the output can be replaced."""
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ModuleNotFoundError as error:
        raise ConfigError(
            "rv.show draws in a notebook, and IPython is not installed",
            hint="pip install notebook, or use `runvitals watch` in a terminal",
        ) from error
    if get_ipython() is None:
        raise ConfigError(
            "rv.show draws in a notebook, and this is not one",
            hint="use `runvitals watch` or `runvitals serve`",
        )
    return display(_Html(text), display_id=True)  # type: ignore[no-untyped-call]
