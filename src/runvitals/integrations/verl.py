"""veRL: `trainer.logger=[console,runvitals]`; the plugin loads by itself where runvitals is installed.

veRL imports every entry point of the group `verl.plugins`, this module among them. It adds a backend to
veRL's `Tracking` once that is imported, and nothing else. `+trainer.runvitals.stop_on=critical` and
other arguments of `runvitals.init` come with veRL's own config. Where `trainer.rollout_data_dir` or
`trainer.validation_data_dir` is set, the first texts of each step become samples of the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from wrapt import register_post_import_hook

BACKEND = "runvitals"
MAX_SAMPLES = 32  # of a step
MAX_WAITING = 64  # files that do not appear: validation runs only now and then


class _Backend:
    """What `Tracking` logs to."""

    def __init__(self, project: str, experiment: str, config: Any) -> None:
        from runvitals.integrations.session import AdapterSession

        settings, options = _apart(config)
        self._session = AdapterSession("verl", **options)
        self._session.begin(settings, defaults={"project": project, "name": experiment})
        trainer = settings.get("trainer") if isinstance(settings, Mapping) else None
        folders = trainer if isinstance(trainer, Mapping) else {}
        self._texts = {
            split: Path(str(folder))
            for split, folder in (
                ("train", folders.get("rollout_data_dir")),
                ("validation", folders.get("validation_data_dir")),
            )
            if folder
        }
        self._waiting: dict[Path, tuple[str, int]] = {}

    def _log_samples(self, run: Any, step: int | None = None) -> None:
        """veRL writes the texts of a step in a thread: each file is taken with the next row."""
        from runvitals.readers.samples.jsonl_rollouts import json_rows

        for file, (split, written) in list(self._waiting.items()):
            if file.is_file():
                del self._waiting[file]
                rows = islice(json_rows(file), MAX_SAMPLES)
                run.log_samples(({**row, "split": split} for row in rows), written)
        if step is not None:
            for split, folder in self._texts.items():
                self._waiting[folder / f"{step}.jsonl"] = (split, step)
        while len(self._waiting) > MAX_WAITING:
            self._waiting.pop(next(iter(self._waiting)))

    def log(self, data: Mapping[str, Any], step: int) -> None:
        """Record a row; veRL's trainers know no other way to be stopped than an exception."""
        run = self._session.run
        if run is None:
            return
        run.log(data, step=step)
        self._log_samples(run, step)
        if self._session.should_stop:
            from runvitals.model import StopTraining

            reason = run.stop_reason or "a finding asked for it"
            self._session.end()
            raise StopTraining(reason)

    def finish(self, exit_code: int = 0) -> None:
        """Take the last texts, and end the run."""
        if self._session.run is not None:
            self._log_samples(self._session.run)
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
