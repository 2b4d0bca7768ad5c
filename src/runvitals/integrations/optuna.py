"""Optuna: prune a trial when the live judge finds that its training has gone wrong."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runvitals import api
from runvitals.integrations.session import needed
from runvitals.recorder.live import LiveRun
from runvitals.recorder.live_judge import StopOn

optuna = needed("optuna", install="optuna")

STOPPED_BY = "runvitals_stopped_by"  # attribute of a pruned trial: the finding
# of trials that are being recorded in this process, also in several threads
_RUNS: weakref.WeakValueDictionary[tuple[str, int], LiveRun] = weakref.WeakValueDictionary()


class RunvitalsPruner(optuna.pruners.BasePruner):  # type: ignore[name-defined]
    """Prunes a trial recorded with `trial_run` once a finding says that it should stop.

    `otherwise`: another pruner, asked about trials that are well, such as `MedianPruner()`.
    """

    def __init__(self, otherwise: Any = None) -> None:
        self._otherwise = otherwise

    def prune(self, study: Any, trial: Any) -> bool:
        """True if a finding was made, or if the other pruner says so."""
        run = _RUNS.get((study.study_name, trial.number))
        if run is not None and run.should_stop:
            return True
        return self._otherwise is not None and bool(self._otherwise.prune(study, trial))


@contextmanager
def trial_run(trial: Any, *, stop_on: StopOn = "critical", **options: Any) -> Iterator[LiveRun]:
    """Record a trial as a run, with its parameters as settings.

    `options` are those of `runvitals.init`; the project is the study's name unless given. A pruned
    trial ends as `stopped`, and the finding is its attribute `runvitals_stopped_by`.
    """
    study = trial.study.study_name
    named = {"project": study, "name": f"trial-{trial.number}", **options}
    with api.init(stop_on=stop_on, **named) as run:
        key = study, trial.number
        _RUNS[key] = run
        try:
            yield run
            run.update_config(trial.params)  # those that were suggested on the way too
        except optuna.TrialPruned:
            run.update_config(trial.params)
            if run.should_stop:
                trial.set_user_attr(STOPPED_BY, run.stop_reason)
            run.finish("stopped")
            raise
        finally:
            del _RUNS[key]
