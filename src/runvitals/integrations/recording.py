"""The run of this process, for whatever records into it: adapters, drop-ins, hooks, `rv.capture()`.

One run per process tree: below `runvitals run`, and below a process that called `rv.capture()`, every
process records into the same run, each rank and each process into files of its own.
"""

from __future__ import annotations

import os
import threading
from typing import Any

from runvitals.api import init
from runvitals.integrations.session import current_run
from runvitals.recorder.child_run import join_run, observed
from runvitals.recorder.live import LiveRun
from runvitals.recorder.start import RunRequest

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
            return init(project, name, config, framework=framework, algorithm=algorithm, **options)
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
        run = init(project, name, **{"console": False, **options})
    hooks.install()
    return run


def _new_lock() -> None:
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)
