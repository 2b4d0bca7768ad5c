"""Lightning: `Trainer(logger=RunvitalsLogger(), callbacks=[RunvitalsCallback(stop_on="critical")])`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runvitals.integrations.session import AdapterSession, current_run, needed, watched
from runvitals.recorder.live import LiveRun
from runvitals.recorder.live_judge import StopOn

# Two packages hold the same classes; those of the one that the script imported are the right ones.
_old_name = "lightning" not in sys.modules and "pytorch_lightning" in sys.modules
pl = needed("pytorch_lightning" if _old_name else "lightning.pytorch", install="lightning")


class RunvitalsLogger(pl.loggers.Logger):  # type: ignore[name-defined]
    """Records what `self.log` logs, with the hyperparameters of the module.

    `run` and everything else: where to record, see `runvitals.init`. Only rank 0 logs.
    """

    def __init__(self, *, run: LiveRun | None = None, **options: Any) -> None:
        super().__init__()
        self._session = AdapterSession(
            "pytorch-lightning", replaces="lightning", run=run, **options
        )
        self._named = options.get("project") or "lightning"

    @property
    def name(self) -> str:
        """The project."""
        return str(self._named)

    @property
    def version(self) -> str:
        """The run's id."""
        folder = self._session.folder
        return folder.name if folder is not None else self.experiment.id

    @property
    def save_dir(self) -> str:
        """Where Lightning puts checkpoints: below the run's folder."""
        return str(self.folder)

    @property
    def folder(self) -> Path:
        """Where the run is, also when the training is over."""
        return self._session.folder or self.experiment.folder

    @property
    def experiment(self) -> LiveRun:
        """The run; begun, or gone on with, when it is first needed."""
        return self._session.run or self._session.begin(
            defaults={"project": self._named}, again=True
        )

    def log_hyperparams(self, params: Any, *_: Any, **__: Any) -> None:
        """Keep the settings."""
        if _is_first_rank():
            self.experiment.update_config(params)

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Record numbers at Lightning's step."""
        if _is_first_rank():
            self.experiment.log(metrics, step=step)

    def finalize(self, status: str) -> None:
        """End the run, if it began here."""
        self._session.end("finished" if status == "success" else "crashed")


class RunvitalsCallback(pl.Callback):  # type: ignore[name-defined]
    """Keeps the settings of trainer and optimizers, and ends the training on findings.

    `stop_on`: "critical" or "warning". `watch`: gradients, updates and weights as well, as `rv.watch`
    does. Needs a `RunvitalsLogger` among the loggers, or a run begun with `rv.init`.
    """

    def __init__(self, *, stop_on: StopOn | None = None, watch: bool = False) -> None:
        self._stop_on: StopOn | None = stop_on
        self._watch = watch
        self._run: LiveRun | None = None
        self._watched: Any = None

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Find the run and describe the training."""
        ours = [one for one in trainer.loggers if isinstance(one, RunvitalsLogger)]
        run = self._run = ours[0].experiment if ours and _is_first_rank() else current_run()
        if run is None:
            return
        if self._stop_on is not None:
            run.stop_on(self._stop_on)
        run.update_config(settings_of(trainer))
        steps = trainer.estimated_stepping_batches
        if steps != float("inf"):
            run.progress(total_steps=int(steps))
        if self._watch:
            self._watched = watched(pl_module, list(trainer.optimizers), run)

    def on_train_batch_end(self, trainer: Any, *_: Any, **__: Any) -> None:
        """End the training if a finding says so."""
        if self._stop_on is not None and self._run is not None and self._run.should_stop:
            trainer.should_stop = True

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Take the hooks away."""
        if self._watched is not None:
            self._watched.close()
            self._watched = None


def settings_of(trainer: Any) -> dict[str, Any]:
    """What the trainer and its optimizers were told."""
    settings = {
        "max_epochs": trainer.max_epochs,
        "max_steps": trainer.max_steps if trainer.max_steps > 0 else None,
        "max_grad_norm": trainer.gradient_clip_val,
        "gradient_accumulation_steps": trainer.accumulate_grad_batches,
        "precision": trainer.precision,
        "devices": trainer.num_devices,
    }
    for optimizer in trainer.optimizers[:1]:
        settings["optimizer"] = type(optimizer).__name__
        settings["learning_rate"] = optimizer.param_groups[0]["lr"]
        settings["weight_decay"] = optimizer.param_groups[0].get("weight_decay")
    return {key: value for key, value in settings.items() if value is not None}


def _is_first_rank() -> bool:
    return int(getattr(pl.utilities.rank_zero_only, "rank", 0) or 0) == 0
