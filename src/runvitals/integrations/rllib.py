"""RLlib, new API stack: `config.callbacks(RunvitalsCallback)`."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from runvitals.catalog import plain_algorithm
from runvitals.integrations.rllib_results import STEP, numbers_in, settings_of
from runvitals.integrations.session import AdapterSession, needed
from runvitals.recorder.live import LiveRun
from runvitals.recorder.live_judge import StopOn

callbacks = needed("ray.rllib.callbacks.callbacks", install="'ray[rllib]'")


class RunvitalsCallback(callbacks.RLlibCallback):  # type: ignore[name-defined]
    """Records each result of an algorithm, with its config; `with_options` gives it arguments.

    With `stop_on`, such a finding sets `result["done"]`: it ends a trial of Ray Tune, and a loop of
    your own can ask it of what `algorithm.train()` gives. The run ends with the process, or with
    `runvitals.finish()`.
    """

    _session: AdapterSession | None = None

    def __init__(
        self, *, run: LiveRun | None = None, stop_on: StopOn | None = None, **options: Any
    ) -> None:
        super().__init__()
        self._told = {"run": run, "stop_on": stop_on, **options}

    @classmethod
    def with_options(cls, **options: Any) -> Any:
        """For `config.callbacks(...)`: the callback with arguments, such as `stop_on="critical"`."""
        return functools.partial(cls, **options)

    @property
    def folder(self) -> Path | None:
        """Where the run is."""
        return None if self._session is None else self._session.folder

    def on_algorithm_init(self, *, algorithm: Any, **_: Any) -> None:
        """Begin the run; only the process of the algorithm does, not those of its workers."""
        self._session = AdapterSession("rllib", replaces="rllib", **self._told)
        kind = type(algorithm).__name__
        settings = settings_of(algorithm.config)
        self._session.begin(
            settings,
            algorithm=plain_algorithm(kind) or kind,
            defaults={"project": str(settings.get("env") or kind.lower()), "name": kind.lower()},
        )

    def on_train_result(self, *, algorithm: Any, result: dict[str, Any], **_: Any) -> None:
        """Record the result of an iteration."""
        run = None if self._session is None else self._session.run
        if run is None:
            return
        values = dict(numbers_in(result))
        run.log(values, step=int(values.get(STEP, values.get("training_iteration", 0))))
        assert self._session is not None
        if self._session.should_stop:
            result["done"] = True
