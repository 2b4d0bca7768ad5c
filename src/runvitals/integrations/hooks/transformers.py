"""transformers' Trainer, and with it TRL's trainers: what is handed to their callbacks."""

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

NAME = "transformers"


def install_callbacks(module: ModuleType) -> None:
    """Hook what calls the callbacks: all loggers of the Trainer are among them."""
    see_calls(module.CallbackHandler, "on_log", NAME, _log)
    see_calls(module.CallbackHandler, "on_train_begin", NAME, _begin)


def _begin(call: Call) -> None:
    args, state = call.argument(0, "args"), call.argument(1, "state")
    if not _is_first(state):
        return
    from runvitals.integrations.transformers import settings_of, trainer_of

    model = getattr(call.instance, "model", None)
    record_config(call, settings_of(args, model))
    framework, algorithm = trainer_of(args, model)
    run_of_process().describe(framework=framework, algorithm=algorithm)
    steps = getattr(state, "max_steps", 0)
    if steps and steps > 0:
        run_of_process().progress(total_steps=steps)


def _log(call: Call) -> None:
    state, logs = call.argument(1, "state"), call.argument(3, "logs") or {}
    call.given["global_step"] = state.global_step  # loggers add it to what they are given
    if _is_first(state):
        record(call, logs, state.global_step)
    else:
        call.given.update(logs)


def _is_first(state: Any) -> bool:
    return bool(getattr(state, "is_world_process_zero", True))


HOOK = Hook(
    NAME,
    "transformers Trainer, TRL",
    "what the trainer logs, its arguments, framework and algorithm",
    {"transformers.trainer_callback": install_callbacks},
)
