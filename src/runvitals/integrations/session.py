"""Where an adapter writes: into the run that this process records already, or into one of its own.

One run per process tree: below `runvitals run`, and below a process that called `rv.capture()`, every
process records into the same run, each rank and each process into files of its own.
"""

from __future__ import annotations

import functools
import importlib
import os
import threading
import weakref
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from runvitals import api
from runvitals.model import RunvitalsError
from runvitals.recorder.child_run import join_run, observed
from runvitals.recorder.live import LiveRun
from runvitals.recorder.live_judge import StopOn
from runvitals.recorder.live_runs import live_runs
from runvitals.recorder.start import RunRequest
from runvitals.recorder.stderr import tell, warn

_PLACE = ("dir", "folder", "id", "resume")
REPLACED_HOOKS: set[str] = set()  # libraries that an adapter records in this process
# runs that adapters began, not the user, and of which library
_STARTED_HERE: weakref.WeakKeyDictionary[LiveRun, str | None] = weakref.WeakKeyDictionary()


class MissingPackageError(RunvitalsError, ImportError):
    """The framework of an adapter is not installed."""


def watched(model: Any, optimizer: Any, run: LiveRun) -> Any:
    """`rv.watch` for an adapter: what goes wrong with it is reported, and the training continues."""
    try:
        return api.watch(model, optimizer, run=run)
    except Exception as error:  # noqa: BLE001  a network that cannot be watched still trains
        warn(f"the network is not watched: {error}; training continues")
        return None


def needed(module: str, *, install: str) -> ModuleType:
    """Import what an adapter adapts to, or say how to get it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise  # it is there, and something that it needs is not
        raise MissingPackageError(
            f"{module.partition('.')[0]} is not installed", hint=f"pip install {install}"
        ) from error


def current_run(*, of_adapters: bool = True, not_of: str | None = None) -> LiveRun | None:
    """The run that this process began last; without `of_adapters`, only one that the user began.

    `not_of`: leave out those that an adapter of this library began.
    """

    def counts(run: LiveRun) -> bool:
        if run not in _STARTED_HERE:
            return True
        return of_adapters and (not_of is None or _STARTED_HERE[run] != not_of)

    runs = [run for run in live_runs() if counts(run)]
    return max(runs, key=lambda run: run.began, default=None)


class AdapterSession:
    """The run of one adapter, from the beginning of a training to its end.

    `run`: write there. Without it, into the run that this process records already (`rv.init`,
    `runvitals run`), and if there is none, into a new one, which takes the other arguments: those of
    `runvitals.init`. A run that was begun here ends with the training; others go on. One that another
    adapter of the same library began and never ended is not joined: its training raised, or is another.
    `replaces`: the hook that would record the same values (`runvitals run`, `rv.capture`); it falls
    silent.
    """

    def __init__(
        self,
        framework: str | None,
        *,
        run: LiveRun | None = None,
        stop_on: StopOn | None = None,
        joins_adapters: bool = True,
        replaces: str | None = None,
        **options: Any,
    ) -> None:
        self.framework = framework
        self._given = run
        self._stop_on: StopOn | None = stop_on
        self._joins_adapters = joins_adapters
        self._replaces = replaces
        self._library = replaces or framework
        self._options = options
        self._run: LiveRun | None = None
        self._is_ours = False
        self._folder: Path | None = None  # of a run that was begun here
        self._watched: Any = None

    @property
    def run(self) -> LiveRun | None:
        """The run, while it is recorded; None before the training and after it."""
        return self._run

    @property
    def folder(self) -> Path | None:
        """Where the run is, also after it has ended."""
        return self._folder

    def begin(
        self,
        config: Any = None,
        *,
        algorithm: str | None = None,
        defaults: Mapping[str, Any] | None = None,
        again: bool = False,
    ) -> LiveRun:
        """Join or start a run and say what trains in it.

        `defaults`: arguments of `init` that the user's own override. `again`: go on in the run that
        ended here before.
        """
        if self._replaces is not None:
            REPLACED_HOOKS.add(self._replaces)
        if self._run is None or self._run.status != "running":
            self._run = self._found() or self._started(algorithm, defaults or {}, again)
            self._folder = self._run.folder
        if config is not None:
            self._run.update_config(config)
        self._run.describe(framework=self.framework, algorithm=algorithm)
        return self._run

    def end(self, status: str = "finished") -> None:
        """The training is over."""
        if self._watched is not None:
            self._watched.close()
            self._watched = None
        run, self._run = self._run, None
        if run is not None and self._is_ours:
            run.finish(status)

    def watch(self, model: Any, optimizer: Any) -> None:
        """Watch a network as `rv.watch` does, until the training is over."""
        assert self._run is not None
        self._watched = watched(model, optimizer, self._run)

    @property
    def should_stop(self) -> bool:
        """Whether a finding as bad as `stop_on` was made."""
        return self._run is not None and self._run.should_stop

    def _found(self) -> LiveRun | None:
        found = self._given or current_run(of_adapters=self._joins_adapters, not_of=self._library)
        if found is None:
            return None
        self._is_ours = False
        if self._stop_on is not None:
            found.stop_on(self._stop_on)
        ignored = sorted(self._options) if self._given is None else []
        if ignored:
            warn(
                f"runvitals: this process records {found.id!r} already, so this goes there too; "
                f"not used: {', '.join(ignored)}"
            )
        return found

    def _started(self, algorithm: str | None, defaults: Mapping[str, Any], again: bool) -> LiveRun:
        chosen = {"project": "RUNVITALS_PROJECT", "name": "RUNVITALS_NAME"}
        unset = {k: v for k, v in defaults.items() if not os.environ.get(chosen.get(k, ""))}
        options = {**unset, **self._options}
        if again and self._folder is not None:
            named = ("project", "name", *_PLACE)
            options = {key: value for key, value in options.items() if key not in named}
            options |= {"folder": self._folder, "resume": True}
        elif observed() is not None:  # `runvitals run` says where
            options = {k: v for k, v in options.items() if k in self._options or k not in _PLACE}
        run = api.init(
            framework=self.framework, algorithm=algorithm, stop_on=self._stop_on, **options
        )
        self._is_ours = True
        _STARTED_HERE[run] = self._library
        return run


class Adapter:
    """What callbacks of all frameworks offer of their session."""

    _session: AdapterSession

    @property
    def run(self) -> LiveRun | None:
        """The run, while it is recorded."""
        return self._session.run

    @property
    def folder(self) -> Path | None:
        """Where the run is, also when the training is over."""
        return self._session.folder


@functools.cache
def tell_once(message: str) -> None:
    """Print it on standard error, the first time."""
    tell(message)


def numbers_of(logs: Mapping[str, Any]) -> dict[str, Any]:
    """Without None, texts and containers; TRL logs None for a reward that no sample of a batch got."""
    return {
        name: value
        for name, value in logs.items()
        if value is not None and not isinstance(value, str | Mapping | list)
    }


# the run of this process, for whatever records into it: adapters, hooks, `rv.capture()`

_lock = threading.RLock()  # hooks of several threads may come first at once


def recording(
    *,
    project: str | None = None,
    name: str | None = None,
    config: Any = None,
    framework: str | None = None,
    algorithm: str | None = None,
    **options: Any,
) -> LiveRun:
    """The run to record into: the one there is, the observed one, or else a new one.

    `config`, `framework` and `algorithm` are added to a run that is there already; `options` are those
    of `rv.init`, for a new one.
    """
    with _lock:
        run, to = current_run(), observed()
        if run is None and to is None:
            options = {"console": False, **options}
            return api.init(
                project, name, config, framework=framework, algorithm=algorithm, **options
            )
        if run is None:
            assert to is not None
            run = join_run(to, RunRequest(name=name))
        if config is not None:
            run.update_config(config)
        run.describe(framework=framework, algorithm=algorithm)
        return run


def capture(project: str | None = None, name: str | None = None, **options: Any) -> LiveRun:
    """Record what the libraries of this process log: TensorBoard, W&B, MLflow, SB3, the Trainer, ...

    Call it once, at the top of the script or anywhere before the training. Gives the run: the one that
    this process records already, or a new one. `options` are those of `rv.init`. Your own calls work as
    before, and a value that passes through several libraries is recorded once.
    """
    from runvitals.integrations import hooks

    run = current_run()
    if run is None:
        run = api.init(project, name, **{"console": False, **options})
    hooks.install()
    return run


def _new_lock() -> None:
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)
