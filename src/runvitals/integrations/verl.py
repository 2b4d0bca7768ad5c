"""veRL: `trainer.logger=[console,runvitals]`; the plugin loads by itself where runvitals is installed.

veRL imports every entry point of the group `verl.plugins`, this module among them. It adds a backend to
veRL's `Tracking` once that is imported, and nothing else. `+trainer.runvitals.stop_on=critical` and
other arguments of `runvitals.init` come with veRL's own config.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from wrapt import register_post_import_hook

BACKEND = "runvitals"


class _Backend:
    """What `Tracking` logs to."""

    def __init__(self, project: str, experiment: str, config: Any) -> None:
        from runvitals.integrations.session import AdapterSession

        settings, options = _apart(config)
        self._session = AdapterSession("verl", **options)
        self._session.begin(settings, defaults={"project": project, "name": experiment})

    def log(self, data: Mapping[str, Any], step: int) -> None:
        """Record a row; veRL's trainers know no other way to be stopped than an exception."""
        run = self._session.run
        if run is None:
            return
        run.log(data, step=step)
        if self._session.should_stop:
            from runvitals.model import StopTraining

            reason = run.stop_reason or "a finding asked for it"
            self._session.end()
            raise StopTraining(reason)

    def finish(self, exit_code: int = 0) -> None:
        self._session.end("crashed" if exit_code else "finished")


def _apart(config: Any) -> tuple[Any, dict[str, Any]]:
    """The settings to record, and what `trainer.runvitals` asks of us."""
    trainer = config.get("trainer") if isinstance(config, Mapping) else None
    if not isinstance(trainer, Mapping) or BACKEND not in trainer:
        return config, {}
    others = {key: value for key, value in trainer.items() if key != BACKEND}
    return {**config, "trainer": others}, dict(trainer[BACKEND] or {})


def extend(tracking: ModuleType) -> None:
    """Teach `Tracking` of this module the backend; a second call changes nothing."""
    kind = tracking.Tracking
    if BACKEND in kind.supported_backend:
        return
    begin, end = kind.__init__, kind.finish

    def __init__(  # noqa: N807
        self: Any,
        project_name: str,
        experiment_name: str,
        default_backend: str | list[str] = "console",
        config: Any = None,
        **more: Any,
    ) -> None:
        begin(self, project_name, experiment_name, default_backend, config, **more)
        if BACKEND in default_backend:
            self.logger[BACKEND] = _Backend(project_name, experiment_name, config)

    def finish(self: Any, exit_code: int = 0) -> None:
        ended = getattr(self, "_finished", False)
        end(self, exit_code)
        backend = getattr(self, "logger", {}).get(BACKEND)
        if backend is not None and not ended:
            backend.finish(exit_code)

    kind.__init__, kind.finish = __init__, finish
    kind.supported_backend = [*kind.supported_backend, BACKEND]


register_post_import_hook(extend, "verl.utils.tracking")
