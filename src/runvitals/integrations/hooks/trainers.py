"""Trainers: what Accelerate, Keras, Lightning, RLlib, SB3 and transformers hand to their loggers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runvitals.integrations.hooks._hook import (
    Call,
    Hook,
    record,
    record_config,
    rows,
    run_of_process,
)

_recorded: set[int] = set()  # trainers and algorithms whose settings are recorded

# Accelerate: what passes values on to all trackers


def _accelerate_began(call: Call) -> None:
    if call.instance.is_main_process:
        record_config(call, call.argument(1, "config"))


def _accelerate_log(call: Call) -> None:
    values = call.argument(0, "values") or {}
    if call.instance.is_main_process:
        record(call, values, call.argument(1, "step"))
    else:
        call.given.update(values)


# Keras: what calls the callbacks


def _keras_begin(call: Call) -> None:
    settings = {k: v for k, v in (call.instance.params or {}).items() if v is not None}
    optimizer = getattr(getattr(call.instance, "_model", None), "optimizer", None)
    if optimizer is not None and hasattr(optimizer, "get_config"):
        chosen = optimizer.get_config()
        settings["optimizer"] = {k: v for k, v in chosen.items() if not isinstance(v, dict)}
        if isinstance(chosen.get("learning_rate"), float):
            settings["learning_rate"] = chosen["learning_rate"]
    record_config(call, settings)
    run_of_process().describe(framework="keras")


# Lightning: what passes metrics on to all loggers


def _lightning_log(call: Call) -> None:
    trainer, metrics = call.instance.trainer, call.argument(0, "metrics") or {}
    step = call.argument(1, "step")
    if not getattr(trainer, "is_global_zero", True):
        call.given.update(metrics)
        return
    if id(trainer) not in _recorded:
        _recorded.add(id(trainer))
        _lightning_settings(call, trainer)
    if step is None:
        step = metrics.get("step")
    if step is None:
        step = trainer.fit_loop.epoch_loop._batches_that_stepped
    record(call, {key: value for key, value in metrics.items() if key != "step"}, step)


def _lightning_settings(call: Call, trainer: Any) -> None:
    module = getattr(trainer, "lightning_module", None)
    hparams = getattr(module, "hparams", None)
    if hparams:
        record_config(call, dict(hparams.items()))
    settings = {"max_epochs": trainer.max_epochs, "max_steps": trainer.max_steps}
    settings["gradient_clip_val"] = trainer.gradient_clip_val
    settings["precision"] = str(trainer.precision)
    record_config(call, {key: value for key, value in settings.items() if value not in (None, -1)})
    run_of_process().describe(framework="pytorch-lightning")


# RLlib: the result of each iteration

RLLIB_STEPS = ("num_env_steps_sampled_lifetime", "timesteps_total", "num_env_steps_sampled")
_OF_OLD_STACK = ("hist_stats", "sampler_results", "perf")  # told twice, or of the machine


def _rllib_result(call: Call, result: Mapping[str, Any]) -> None:
    from runvitals.catalog import plain_algorithm
    from runvitals.integrations.rllib_results import numbers_in, settings_of

    algorithm = call.instance
    if id(algorithm) not in _recorded:
        _recorded.add(id(algorithm))
        config, kind = algorithm.config, type(algorithm).__name__
        record_config(call, settings_of(config) if hasattr(config, "to_dict") else config)
        run_of_process().describe(framework="rllib", algorithm=plain_algorithm(kind) or kind)
    told = {key: value for key, value in result.items() if key not in _OF_OLD_STACK}
    step = next((result[key] for key in RLLIB_STEPS if result.get(key) is not None), None)
    record(call, dict(numbers_in(told)), algorithm.iteration if step is None else step)


# Stable-Baselines3 and sb3-contrib: all values leave their logger through `dump`


def _sb3_dump(call: Call) -> None:
    record(call, dict(call.instance.name_to_value), call.argument(0, "step"))


def _sb3_begin(call: Call) -> None:
    from runvitals.catalog import plain_algorithm
    from runvitals.integrations.sb3 import settings_of

    model, planned = call.instance, call.argument(0, "total_timesteps")
    record_config(call, {**settings_of(model), "total_timesteps": planned})
    kind = type(model).__name__
    run_of_process().describe(
        framework="stable-baselines3", algorithm=plain_algorithm(kind) or kind
    )


# transformers' Trainer, and with it TRL's: all its loggers are among its callbacks


def _trainer_begin(call: Call) -> None:
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


def _trainer_log(call: Call) -> None:
    state, logs = call.argument(1, "state"), call.argument(3, "logs") or {}
    call.given["global_step"] = state.global_step  # loggers add it to what they are given
    if _is_first(state):
        record(call, logs, state.global_step)
    else:
        call.given.update(logs)


def _is_first(state: Any) -> bool:
    return bool(getattr(state, "is_world_process_zero", True))


_KERAS = ("keras.src.callbacks.callback_list", "tf_keras.src.callbacks")
_LIGHTNING = tuple(
    f"{package}.trainer.connectors.logger_connector.logger_connector"
    for package in ("lightning.pytorch", "pytorch_lightning")
)
HOOKS = (
    Hook(
        "accelerate",
        "Accelerate",
        "what its trackers are given, and their config",
        {
            "accelerate.accelerator:Accelerator.log": _accelerate_log,
            "accelerate.accelerator:Accelerator.init_trackers": _accelerate_began,
        },
    ),
    Hook(
        "keras",
        "Keras",
        "the logs of each epoch, and the settings of fit",
        {f"{module}:CallbackList.on_train_begin": _keras_begin for module in _KERAS}
        | {
            f"{module}:CallbackList.on_epoch_end": rows((1, "logs"), (0, "epoch"))
            for module in _KERAS
        },
    ),
    Hook(
        "lightning",
        "Lightning",
        "what its loggers are given, and the module's hyperparameters",
        {f"{module}:_LoggerConnector.log_metrics": _lightning_log for module in _LIGHTNING},
    ),
    Hook(
        "rllib",
        "RLlib",
        "the result of each iteration, and the algorithm's config",
        results={"ray.rllib.algorithms.algorithm:Algorithm.step": _rllib_result},
    ),
    Hook(
        "stable-baselines3",
        "Stable-Baselines3",
        "all that its logger is given, and the model's settings",
        {
            "stable_baselines3.common.logger:Logger.dump": _sb3_dump,
            "stable_baselines3.common.base_class:BaseAlgorithm._setup_learn": _sb3_begin,
        },
    ),
    Hook(
        "transformers",
        "transformers Trainer, TRL",
        "what the trainer logs, its arguments, framework and algorithm",
        {
            "transformers.trainer_callback:CallbackHandler.on_log": _trainer_log,
            "transformers.trainer_callback:CallbackHandler.on_train_begin": _trainer_begin,
        },
    ),
)
