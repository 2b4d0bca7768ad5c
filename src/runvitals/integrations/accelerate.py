"""Hugging Face Accelerate: `register()`, then `Accelerator(log_with="runvitals")`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runvitals.integrations.session import Adapter, AdapterSession, needed, numbers_of
from runvitals.recorder.live import LiveRun
from runvitals.recorder.live_judge import StopOn

tracking = needed("accelerate.tracking", install="accelerate")


class RunvitalsTracker(Adapter, tracking.GeneralTracker):  # type: ignore[name-defined]
    """The tracker named `runvitals`.

    `accelerator.init_trackers("project", config, init_kwargs={"runvitals": {...}})` passes `stop_on`,
    `run` and all arguments of `runvitals.init`. `accelerator.get_tracker("runvitals").should_stop`
    says whether a finding as bad as `stop_on` was made. Only the main process logs.
    """

    name = "runvitals"
    requires_logging_directory = False

    def __init__(
        self,
        run_name: str = "default",
        *,
        run: LiveRun | None = None,
        stop_on: StopOn | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self._session = AdapterSession(
            None, replaces="accelerate", run=run, stop_on=stop_on, **options
        )
        self._project = run_name

    def start(self) -> None:
        """Begin the run."""
        self._session.begin(defaults={"project": self._project})

    @property
    def tracker(self) -> LiveRun | None:
        """The run, while it is recorded."""
        return self._session.run

    @property
    def should_stop(self) -> bool:
        """Whether a finding says that the training should end."""
        return self._session.should_stop

    def store_init_configuration(self, values: Mapping[str, Any]) -> None:
        """Keep the settings."""
        self._session.begin(values)

    def log(self, values: Mapping[str, Any], step: int | None = None, **_: Any) -> None:
        """Record numbers; texts are kept as texts."""
        run = self._session.run or self._session.begin(again=True)
        run.log(numbers_of(values), step=step)
        for name, value in values.items():
            if isinstance(value, str):
                run.log_text(name, value, step)

    def finish(self) -> None:
        """End the run, if it began here."""
        self._session.end()


def register() -> None:
    """Make `log_with="runvitals"` known to `Accelerator`."""
    if RunvitalsTracker.name not in tracking.LOGGER_TYPE_TO_CLASS:
        tracking.register_tracker_class(RunvitalsTracker)
