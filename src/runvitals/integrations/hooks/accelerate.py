"""Accelerate: what is handed to its trackers, and their config."""

from __future__ import annotations

from types import ModuleType

from runvitals.integrations.hooks._hook import Call, Hook, record, record_config, see_calls

NAME = "accelerate"


def install(module: ModuleType) -> None:
    """Hook what passes values on to all trackers."""
    see_calls(module.Accelerator, "log", NAME, _log)
    see_calls(module.Accelerator, "init_trackers", NAME, _began)


def _began(call: Call) -> None:
    if call.instance.is_main_process:
        record_config(call, call.argument(1, "config"))


def _log(call: Call) -> None:
    values = call.argument(0, "values") or {}
    if call.instance.is_main_process:
        record(call, values, call.argument(1, "step"))
    else:
        call.given.update(values)


HOOK = Hook(
    NAME,
    "Accelerate",
    "what its trackers are given, and their config",
    {"accelerate.accelerator": install},
)
