"""Weights & Biases: `wandb.log` and the config."""

from __future__ import annotations

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

NAME = "wandb"


def install(module: ModuleType) -> None:
    """Hook `init`, which gives the run its config."""
    see_results(module, "init", NAME, _began)


def install_run(module: ModuleType) -> None:
    """Hook the run: `wandb.log` is its method."""
    see_calls(module.Run, "log", NAME, _log)


def install_config(module: ModuleType) -> None:
    """Hook settings that come later."""
    see_calls(module.Config, "update", NAME, _config)


def _began(call: Call, run: Any) -> None:
    config = getattr(run, "config", None)
    settings = dict(config.items()) if config is not None else {}
    record_config(call, settings or call.kwargs.get("config"))


def _config(call: Call) -> None:
    record_config(call, call.argument(0, "d"))


def _log(call: Call) -> None:
    step = call.argument(1, "step")
    if step is None:
        step = getattr(call.instance, "step", None)
    record(call, call.argument(0, "data") or {}, step)


HOOK = Hook(
    NAME,
    "Weights & Biases",
    "what is logged, and the config",
    {
        "wandb": install,
        "wandb.sdk.wandb_run": install_run,
        "wandb.sdk.wandb_config": install_config,
    },
)
