"""Trackers: what MLflow, SwanLab, Trackio and W&B are told to log, and the settings they are given."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from runvitals.integrations.hooks._hook import (
    Call,
    Hook,
    one_value,
    record,
    record_config,
    rows,
    settings,
    watch,
)

# MLflow: by `mlflow.log_metric(s)`, a client or autologging


def _mlflow_param(call: Call) -> None:
    record_config(call, {str(call.argument(0, "key")): call.argument(1, "value")})


def _client_param(call: Call) -> None:
    if not call.inside("mlflow"):  # there it is a text already
        record_config(call, {str(call.argument(1, "key")): call.argument(2, "value")})


def _client_batch(call: Call) -> None:
    by_step: dict[int, dict[str, Any]] = defaultdict(dict)
    for one in call.argument(1, "metrics") or ():
        by_step[one.step][one.key] = one.value
    for step, values in by_step.items():
        record(call, values, step)
    params = call.argument(2, "params") or ()
    if params and not call.inside("mlflow"):
        record_config(call, {one.key: one.value for one in params})


# SwanLab: through `swanlab.log` or its run's own `log`

_seen: set[type] = set()  # kinds of config whose later settings are recorded
_steps: dict[int, int] = {}  # the last step of each run; without one, SwanLab counts up from there


def _swanlab_began(call: Call, run: Any) -> None:
    config = getattr(run, "config", None)
    record_config(call, dict(config) if isinstance(config, Mapping) else call.kwargs.get("config"))
    kind = type(config)
    if isinstance(config, Mapping) and kind not in _seen and hasattr(kind, "update"):
        _seen.add(kind)
        watch(kind, "update", "swanlab", before=_swanlab_more)


def _swanlab_more(call: Call) -> None:
    told = call.args[0] if call.args and isinstance(call.args[0], Mapping) else {}
    record_config(call, {**told, **call.kwargs})


def _swanlab_log(call: Call) -> None:
    run, step = id(call.instance), call.argument(1, "step")
    if step is None:
        step = _steps.get(run, -1) + 1
    _steps[run] = max(_steps.get(run, -1), int(step))
    record(call, call.argument(0, "data") or {}, step)


# Trackio: `trackio.log` calls its run's method


def _trackio_began(call: Call) -> None:
    config = call.argument(6, "config") or {}
    record_config(call, {k: v for k, v in config.items() if not str(k).startswith("_")})


# Weights & Biases: `wandb.log` is its run's method; settings may come later


def _wandb_began(call: Call, run: Any) -> None:
    config = getattr(run, "config", None)
    chosen = dict(config.items()) if config is not None else {}
    record_config(call, chosen or call.kwargs.get("config"))


def _wandb_log(call: Call) -> None:
    step = call.argument(1, "step")
    if step is None:
        step = getattr(call.instance, "step", None)
    record(call, call.argument(0, "data") or {}, step)


_METRICS = rows((0, "metrics"), (1, "step"))  # as MLflow and Trackio take them
HOOKS = (
    Hook(
        "mlflow",
        "MLflow",
        "metrics and parameters",
        {
            "mlflow.tracking.fluent:log_metric": one_value((0, "key"), (1, "value"), (2, "step")),
            "mlflow.tracking.fluent:log_metrics": _METRICS,
            "mlflow.tracking.fluent:log_param": _mlflow_param,
            "mlflow.tracking.fluent:log_params": settings((0, "params")),
            # those functions call the client; what they recorded is not recorded again
            "mlflow.tracking.client:MlflowClient.log_metric": one_value(
                (1, "key"), (2, "value"), (4, "step")
            ),
            "mlflow.tracking.client:MlflowClient.log_param": _client_param,
            "mlflow.tracking.client:MlflowClient.log_batch": _client_batch,
        },
    ),
    Hook(
        "swanlab",
        "SwanLab",
        "what is logged, and the config",
        {"swanlab:Run.log|log": _swanlab_log},
        {"swanlab:init": _swanlab_began},
    ),
    Hook(
        "trackio",
        "Trackio",
        "what is logged, and the config",
        {"trackio.run:Run.log": _METRICS, "trackio.run:Run.__init__": _trackio_began},
    ),
    Hook(
        "wandb",
        "Weights & Biases",
        "what is logged, and the config",
        {
            "wandb.sdk.wandb_run:Run.log": _wandb_log,
            "wandb.sdk.wandb_config:Config.update": settings((0, "d")),
        },
        {"wandb:init": _wandb_began},
    ),
)
