"""Warns once about each problem, and never raises into the training loop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from runvitals.model.secrets import redacted
from runvitals.recorder.stderr import warn

MAX_COUNT = 200


class Complaints:
    """Remembers which problems the user was warned about."""

    def __init__(self) -> None:
        self._said: dict[str, str] = {}
        self.count = 0  # of causes so far, those that are over included

    def say(self, cause: str, text: str) -> None:
        """Warn, unless this cause was named before."""
        if cause in self._said or len(self._said) >= MAX_COUNT:
            return
        text = redacted(text)
        self._said[cause] = text
        self.count += 1
        warn(f"runvitals: {text}")

    @contextmanager
    def contain(self, what: str) -> Iterator[None]:
        """Turn anything raised inside the block into a warning."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - a flight recorder must not crash the plane
            self.say(what, f"{what} not recorded: {describe(error)}")

    def forget(self, cause: str) -> None:
        """Forget a problem that is over, so that the user is warned again if it comes back."""
        self._said.pop(cause, None)

    def texts(self) -> list[str]:
        """All warnings so far."""
        return list(self._said.values())


def describe(error: BaseException) -> str:
    """What the error says, or its kind when it cannot even say that."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - the text of a user's exception is the user's code
        return type(error).__name__
