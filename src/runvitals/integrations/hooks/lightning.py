"""Lightning: what the trainer hands to its loggers, and the module's hyperparameters."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from runvitals.integrations.hooks._hook import (
    Call,
    Hook,
    record,
    record_config,
    run_of_process,
    see_calls,
)

NAME = "lightning"
_PLACE = "trainer.connectors.logger_connector.logger_connector"
_recorded: set[int] = set()  # trainers whose settings are recorded


def install(module: ModuleType) -> None:
    """Hook what passes metrics on to all loggers."""
    see_calls(module._LoggerConnector, "log_metrics", NAME, _log)


def _log(call: Call) -> None:
    trainer, metrics = call.instance.trainer, call.argument(0, "metrics") or {}
    step = call.argument(1, "step")
    if not getattr(trainer, "is_global_zero", True):
        call.given.update(metrics)
        return
    _tell_settings(call, trainer)
    if step is None:
        step = metrics.get("step")
    if step is None:
        step = trainer.fit_loop.epoch_loop._batches_that_stepped
    record(call, {key: value for key, value in metrics.items() if key != "step"}, step)


def _tell_settings(call: Call, trainer: Any) -> None:
    if id(trainer) in _recorded:
        return
    _recorded.add(id(trainer))
    module = getattr(trainer, "lightning_module", None)
    hparams = getattr(module, "hparams", None)
    if hparams:
        record_config(call, dict(hparams.items()))
    settings = {"max_epochs": trainer.max_epochs, "max_steps": trainer.max_steps}
    settings["gradient_clip_val"] = trainer.gradient_clip_val
    settings["precision"] = str(trainer.precision)
    record_config(call, {key: value for key, value in settings.items() if value not in (None, -1)})
    run_of_process().describe(framework="pytorch-lightning")


HOOK = Hook(
    NAME,
    "Lightning",
    "what its loggers are given, and the module's hyperparameters",
    {f"lightning.pytorch.{_PLACE}": install, f"pytorch_lightning.{_PLACE}": install},
)
