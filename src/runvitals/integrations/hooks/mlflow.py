"""MLflow: metrics and parameters, by `mlflow.log_metric(s)`, a client or autologging."""

from __future__ import annotations

from collections import defaultdict
from types import ModuleType
from typing import Any

from runvitals.integrations.hooks._hook import Call, Hook, record, record_config, see_calls

NAME = "mlflow"


def install(module: ModuleType) -> None:
    """Hook the functions that `mlflow` offers."""
    see_calls(module, "log_metric", NAME, _metric)
    see_calls(module, "log_metrics", NAME, _metrics)
    see_calls(module, "log_param", NAME, _param)
    see_calls(module, "log_params", NAME, _params)


def install_client(module: ModuleType) -> None:
    """Hook the client, which those functions call too; what they recorded is not recorded again."""
    see_calls(module.MlflowClient, "log_metric", NAME, _client_metric)
    see_calls(module.MlflowClient, "log_param", NAME, _client_param)
    see_calls(module.MlflowClient, "log_batch", NAME, _batch)


def _metric(call: Call) -> None:
    values = {str(call.argument(0, "key")): call.argument(1, "value")}
    record(call, values, call.argument(2, "step"))


def _metrics(call: Call) -> None:
    record(call, call.argument(0, "metrics") or {}, call.argument(1, "step"))


def _param(call: Call) -> None:
    record_config(call, {str(call.argument(0, "key")): call.argument(1, "value")})


def _params(call: Call) -> None:
    record_config(call, call.argument(0, "params"))


def _client_metric(call: Call) -> None:
    values = {str(call.argument(1, "key")): call.argument(2, "value")}
    record(call, values, call.argument(4, "step"))


def _client_param(call: Call) -> None:
    if not call.inside(NAME):  # there it is a text already
        record_config(call, {str(call.argument(1, "key")): call.argument(2, "value")})


def _batch(call: Call) -> None:
    rows: dict[int, dict[str, Any]] = defaultdict(dict)
    for one in call.argument(1, "metrics") or ():
        rows[one.step][one.key] = one.value
    for step, values in rows.items():
        record(call, values, step)
    params = call.argument(2, "params") or ()
    if params and not call.inside(NAME):
        record_config(call, {one.key: one.value for one in params})


HOOK = Hook(
    NAME,
    "MLflow",
    "metrics and parameters",
    {"mlflow.tracking.fluent": install, "mlflow.tracking.client": install_client},
)
