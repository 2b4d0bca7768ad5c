"""Stable-Baselines3 and sb3-contrib: everything that goes to their logger, and the model's settings."""

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

NAME = "stable-baselines3"


def install_logger(module: ModuleType) -> None:
    """Hook the logger; all of its values leave it through `dump`."""
    see_calls(module.Logger, "dump", NAME, _dump)


def install_model(module: ModuleType) -> None:
    """Hook the start of the training."""
    see_calls(module.BaseAlgorithm, "_setup_learn", NAME, _begin)


def _dump(call: Call) -> None:
    record(call, dict(call.instance.name_to_value), call.argument(0, "step"))


def _begin(call: Call) -> None:
    from runvitals.catalog import plain_algorithm
    from runvitals.integrations.sb3 import settings_of

    model = call.instance
    record_config(
        call, {**settings_of(model), "total_timesteps": call.argument(0, "total_timesteps")}
    )
    kind = type(model).__name__
    run_of_process().describe(framework=NAME, algorithm=plain_algorithm(kind) or kind)


HOOK = Hook(
    NAME,
    "Stable-Baselines3",
    "all that its logger is given, and the model's settings",
    {
        "stable_baselines3.common.logger": install_logger,
        "stable_baselines3.common.base_class": install_model,
    },
)
