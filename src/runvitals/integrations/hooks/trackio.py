"""Trackio: `trackio.log` and the config."""

from __future__ import annotations

from types import ModuleType

from runvitals.integrations.hooks._hook import Call, Hook, record, record_config, see_calls

NAME = "trackio"


def install(module: ModuleType) -> None:
    """Hook the run: `trackio.log` calls its method."""
    see_calls(module.Run, "log", NAME, _log)
    see_calls(module.Run, "__init__", NAME, _began)


def _began(call: Call) -> None:
    config = call.argument(6, "config") or {}
    record_config(call, {k: v for k, v in config.items() if not str(k).startswith("_")})


def _log(call: Call) -> None:
    record(call, call.argument(0, "metrics") or {}, call.argument(1, "step"))


HOOK = Hook(NAME, "Trackio", "what is logged, and the config", {"trackio.run": install})
