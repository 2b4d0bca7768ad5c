"""Problems are said once per cause and never raised into the training loop."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from runvitals.model import RunvitalsWarning

MOST = 200


class Complaints:
    """Remembers what was said."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._said: dict[str, str] = {}

    def say(self, cause: str, text: str) -> None:
        """Warn, unless this cause was named before."""
        if cause in self._said or len(self._said) >= MOST:
            return
        self._said[cause] = text
        message = f"runvitals: {text}"
        try:
            warnings.warn(message, RunvitalsWarning, stacklevel=4)
        except Exception:  # noqa: BLE001 - warnings are errors here, or standard error is closed
            tell(message)

    @contextmanager
    def contain(self, what: str) -> Iterator[None]:
        """What is raised inside is said and goes no further."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - a flight recorder must not crash the plane
            self.say(what, f"{what} not recorded: {describe(error)}")

    def forget(self, cause: str) -> None:
        """The problem is over; should it come back, it is said again."""
        self._said.pop(cause, None)

    def texts(self) -> list[str]:
        """Everything that was said."""
        return list(self._said.values())


def describe(error: BaseException) -> str:
    """What the error says, or its kind when it cannot even say that."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - the text of a user's exception is the user's code
        return type(error).__name__


def tell(message: str) -> None:
    """Print on standard error, if there is one."""
    try:
        print(message, file=sys.stderr)
    except (OSError, ValueError, RuntimeError, AttributeError):
        return  # standard error is closed: there is nobody left to tell
