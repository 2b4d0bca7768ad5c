"""Ray Tune: stop a trial when the live judge finds that its training has gone wrong."""

from __future__ import annotations

from typing import Any

from runvitals import api
from runvitals.integrations.rllib_results import numbers_in
from runvitals.integrations.session import needed
from runvitals.recorder.live import LiveRun
from runvitals.recorder.live_judge import StopOn

tune = needed("ray.tune", install="'ray[tune]'")

STEP = "training_iteration"


class RunvitalsStopper(tune.Stopper, tune.Callback):  # type: ignore[name-defined]
    """Records the results of every trial as a run, and stops a trial after such a finding.

    One object is stopper and callback: `RunConfig(stop=stopper, callbacks=[stopper])`; as a callback
    it learns when a trial ends. Runs are recorded where the tuner runs, from what trials report.
    `total`: iterations a trial is planned for; the judge takes more time to be sure without it.
    `options` are those of `runvitals.init`.
    """

    def __init__(
        self, *, stop_on: StopOn = "critical", total: int | None = None, **options: Any
    ) -> None:
        self._stop_on: StopOn = stop_on
        self._total = total
        self._options = {"project": "ray-tune", "console": False, "system": False, **options}
        self._runs: dict[str, LiveRun] = {}
        self.stopped_by: dict[str, str] = {}  # trial to finding

    def __call__(self, trial_id: str, result: dict[str, Any]) -> bool:
        """Record a result; True if the trial should stop."""
        run = self._runs.get(trial_id) or self._begin(trial_id, result.get("config") or {})
        run.log(dict(numbers_in(result)), step=result[STEP])
        if run.should_stop:
            self.stopped_by[trial_id] = run.stop_reason or ""
        return run.should_stop

    def stop_all(self) -> bool:
        """False: the other trials go on."""
        return False

    def on_trial_complete(self, iteration: int, trials: list[Any], trial: Any, **_: Any) -> None:
        """End its run."""
        self._end(trial.trial_id, "finished")

    def on_trial_error(self, iteration: int, trials: list[Any], trial: Any, **_: Any) -> None:
        """End its run as one that crashed."""
        self._end(trial.trial_id, "crashed")

    def on_experiment_end(self, trials: list[Any], **_: Any) -> None:
        """End the runs that are left."""
        for trial_id in list(self._runs):
            self._end(trial_id, "finished")

    def __getstate__(self) -> dict[str, Any]:
        """Ray keeps a copy of the stopper; the runs stay with this one and are resumed by another."""
        return {**self.__dict__, "_runs": {}}

    def _begin(self, trial_id: str, config: dict[str, Any]) -> LiveRun:
        run = api.init(
            id=trial_id, config=config, resume=True, stop_on=self._stop_on, **self._options
        )
        if self._total is not None:
            run.progress(total_steps=self._total)
        self._runs[trial_id] = run
        return run

    def _end(self, trial_id: str, status: str) -> None:
        if (run := self._runs.pop(trial_id, None)) is not None:
            run.finish(status)
