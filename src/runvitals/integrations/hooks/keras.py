"""Keras: the logs of each epoch, and the settings of the fit."""

from __future__ import annotations

from types import ModuleType

from runvitals.integrations.hooks._hook import (
    Call,
    Hook,
    record,
    record_config,
    run_of_process,
    see_calls,
)

NAME = "keras"


def install(module: ModuleType) -> None:
    """Hook what calls the callbacks."""
    see_calls(module.CallbackList, "on_train_begin", NAME, _begin)
    see_calls(module.CallbackList, "on_epoch_end", NAME, _epoch)


def _begin(call: Call) -> None:
    settings = {k: v for k, v in (call.instance.params or {}).items() if v is not None}
    optimizer = getattr(getattr(call.instance, "_model", None), "optimizer", None)
    if optimizer is not None and hasattr(optimizer, "get_config"):
        chosen = optimizer.get_config()
        settings["optimizer"] = {k: v for k, v in chosen.items() if not isinstance(v, dict)}
        if isinstance(chosen.get("learning_rate"), float):
            settings["learning_rate"] = chosen["learning_rate"]
    record_config(call, settings)
    run_of_process().describe(framework="keras")


def _epoch(call: Call) -> None:
    record(call, call.argument(1, "logs") or {}, call.argument(0, "epoch"))


HOOK = Hook(
    NAME,
    "Keras",
    "the logs of each epoch, and the settings of fit",
    {
        "keras.src.callbacks.callback_list": install,
        "tf_keras.src.callbacks": install,
    },
)
