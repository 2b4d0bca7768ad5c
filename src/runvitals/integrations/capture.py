"""`rv.capture()`: the hooks of `runvitals run` from inside a script, with one line."""

from __future__ import annotations

from typing import Any

from runvitals import api
from runvitals.integrations.session import current_run
from runvitals.recorder.live import LiveRun


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
