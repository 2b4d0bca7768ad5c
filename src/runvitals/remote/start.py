"""Starts the shipper beside a run that is being recorded, and waits for it at the end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from runvitals.model import ConfigError, Event, ReadError, RowBlock, RunInfo
from runvitals.objects.url import parse
from runvitals.remote.shipping_file import SHIPPING_FILE
from runvitals.store.files import read_json

SHIPPER = "runvitals.remote.shipper"
DRAIN_SECONDS = 20.0  # that `finish` waits; the shipper goes on afterwards


def checked_remote(url: str) -> str:
    """The address as given, if runs can be kept there."""
    address = parse(url)
    if address.scheme != "file":
        try:
            import obstore  # noqa: F401
        except ImportError:
            raise ConfigError(
                f"remote={url!r} needs the package obstore",
                hint='pip install "runvitals[remote]"',
            ) from None
    return str(address)


class ShippingSink:
    """A sink that writes nothing: it starts the shipper, which reads the run's own files.

    It is closed after the others, when everything is on the disk.
    """

    closes_last = True

    def __init__(self, url: str) -> None:
        self._url = url
        self._process: subprocess.Popen[bytes] | None = None

    def open(self, info: RunInfo) -> None:
        """Start the process; it belongs to a session of its own, so that Ctrl-C spares it."""
        self._folder = info.folder
        self._complain = info.complain
        with open(info.folder / ".shipper.err", "ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", SHIPPER, str(info.folder), self._url],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                env=module_environment(),
            )

    def write(self, blocks: Sequence[RowBlock], events: Sequence[Event]) -> None:  # noqa: ARG002
        """Nothing: the store has it. Say once when shipping fails."""
        problem = shipping_problem(self._folder)
        if problem:
            self._complain("remote", f"not shipped to {self._url} so far: {problem}")

    def close(self, status: str) -> None:
        """Nothing here: the folder is still locked. `wait_for_shipper` comes after that."""


def module_environment() -> dict[str, str]:
    """What a process of ours starts with: this very runvitals on its path."""
    here = str(Path(__file__).parents[2])
    paths = [*filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)), here]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}


def wait_for_shipper(folder: Path, seconds: float = DRAIN_SECONDS) -> str | None:
    """Wait until all was shipped; after a while say what is missing."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        state = _state(folder)
        if state.get("complete"):
            return None
        time.sleep(0.1)
    return shipping_problem(folder) or "it takes long; the shipper continues in the background"


def shipping_problem(folder: Path) -> str | None:
    """What stands in the way of shipping, if anything does."""
    problem = _state(folder).get("problem")
    return str(problem) if problem else None


def _state(folder: Path) -> dict[str, object]:
    try:
        return read_json(folder / SHIPPING_FILE)
    except ReadError:
        return {}
