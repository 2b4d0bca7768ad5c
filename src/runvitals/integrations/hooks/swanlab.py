"""SwanLab: `swanlab.log` and the config."""

from __future__ import annotations

from types import ModuleType

from runvitals.integrations.hooks._hook import Call, Hook, record, record_config, see_calls

NAME = "swanlab"


def install(module: ModuleType) -> None:
    """Hook the functions of the package."""
    see_calls(module, "init", NAME, _began)
    see_calls(module, "log", NAME, _log)


def _began(call: Call) -> None:
    record_config(call, call.kwargs.get("config"))


def _log(call: Call) -> None:
    record(call, call.argument(0, "data") or {}, call.argument(1, "step"))


HOOK = Hook(NAME, "SwanLab", "what is logged, and the config", {"swanlab": install})
