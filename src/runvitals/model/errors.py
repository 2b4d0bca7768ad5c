"""What runvitals raises: each error says what happened, where, and what to do next."""

from __future__ import annotations

from os import PathLike

from runvitals.model.text import terminal_safe


class RunvitalsError(Exception):
    """Base of all errors that a user can do something about.

    >>> print(RunvitalsError("no such run", where="runs/ppo", hint="list them with: runvitals runs"))
    no such run
      at runs/ppo
      hint: list them with: runvitals runs
    """

    def __init__(
        self, what: str, *, where: str | PathLike[str] | None = None, hint: str | None = None
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = None if where is None else str(where)
        self.hint = hint

    def __str__(self) -> str:
        lines = self.what.splitlines()
        if self.where is not None:
            lines.append(f"  at {self.where}")
        if self.hint is not None:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(map(terminal_safe, lines))  # paths and names may hold anything


class ReadError(RunvitalsError):
    """A log could not be read at all. What could be read with gaps is a warning instead."""

    def __init__(self, path: str | PathLike[str], problem: str, *, hint: str | None = None) -> None:
        super().__init__(f"cannot read {terminal_safe(str(path))}: {problem}", hint=hint)
        self.path = str(path)
        self.problem = problem

    def __reduce__(self) -> tuple[object, ...]:
        """Worker processes send it back; by default that calls the class with the message alone."""
        return type(self), (self.path, self.problem), self.__dict__


class EmptyLogError(ReadError):
    """The log holds no rows: nothing was logged to it yet, or ever."""


class DamagedError(ReadError):
    """What is there is not what was written: bits have flipped, or parts are gone or do not fit."""


class StoreError(RunvitalsError):
    """A run folder could not be created or written."""


class RunBusyError(StoreError):
    """Another live process writes this run."""


class RunExistsError(StoreError):
    """The run id is taken, and resuming was not asked for."""


class ConfigError(RunvitalsError):
    """An option or argument is wrong."""


class StopTraining(RunvitalsError):  # noqa: N818  it asks for an end, nothing is broken
    """Raised by `run.log()` after a finding, if `init(stop_on=..., stop_raises=True)` asked for it."""


class RunvitalsWarning(UserWarning):
    """Something the recorder or a reader could not do, said once per cause."""


class RemoteError(RunvitalsError):
    """A bucket or shared folder could not be reached, read or written."""


class RunTakenError(RemoteError):
    """A bucket or shared folder holds another run of this project and id."""


class IndexFailure(RunvitalsError):  # noqa: N818  IndexError is Python's own
    """An index in ClickHouse could not be reached, filled or read."""
