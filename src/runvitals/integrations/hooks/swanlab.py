"""SwanLab: what a run is given, through `swanlab.log` or its own `log`, and the config."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from runvitals.integrations.hooks._hook import (
    Call,
    Hook,
    record,
    record_config,
    see_calls,
    see_results,
)

NAME = "swanlab"
_seen: set[type] = set()  # kinds of config whose later settings are recorded
_steps: dict[int, int] = {}  # the last step of each run; without one, SwanLab counts up from there


def install(module: ModuleType) -> None:
    """Hook the run, whose method `swanlab.log` calls, and what begins it."""
    see_results(module, "init", NAME, _began)
    run = getattr(module, "Run", None)
    see_calls(module if run is None else run, "log", NAME, _log)


def _began(call: Call, run: Any) -> None:
    config = getattr(run, "config", None)
    record_config(call, dict(config) if isinstance(config, Mapping) else call.kwargs.get("config"))
    kind = type(config)
    if isinstance(config, Mapping) and kind not in _seen and hasattr(kind, "update"):
        _seen.add(kind)
        see_calls(kind, "update", NAME, _more)


def _more(call: Call) -> None:
    told = call.args[0] if call.args and isinstance(call.args[0], Mapping) else {}
    record_config(call, {**told, **call.kwargs})


def _log(call: Call) -> None:
    run, step = id(call.instance), call.argument(1, "step")
    if step is None:
        step = _steps.get(run, -1) + 1
    _steps[run] = max(_steps.get(run, -1), int(step))
    record(call, call.argument(0, "data") or {}, step)


HOOK = Hook(NAME, "SwanLab", "what is logged, and the config", {"swanlab": install})
