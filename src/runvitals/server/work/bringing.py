"""Runs of which only the list is here: brought when somebody wants to read them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from runvitals.model import ReadError, RunvitalsError
from runvitals.store.layout import only_listed
from runvitals.view.places import Place

Bring = Callable[[Path], None]  # fetches the run of a folder that holds only what a list says


class Bringer:
    """Fetches runs, each once; without a way to fetch there is nothing to do."""

    def __init__(self, bring: Bring | None = None) -> None:
        self._bring = bring
        self._locks: dict[Path, threading.Lock] = {}

    def ensure(self, place: Place) -> None:
        """Have a run here as a whole. Raises `ReadError`."""
        path = place.path
        if self._bring is None or not only_listed(path):
            return
        with self._locks.setdefault(path, threading.Lock()):
            try:
                self._bring(path)
            except RunvitalsError as error:
                raise ReadError(path, error.what, hint=error.hint) from error
