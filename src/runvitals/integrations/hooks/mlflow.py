"""MLflow: `log_metric(s)` and `log_param(s)`."""

from __future__ import annotations

from types import ModuleType

from runvitals.integrations.hooks._hook import Call, Hook, record, record_config, see_calls

NAME = "mlflow"


def install(module: ModuleType) -> None:
    """Hook the functions that `mlflow` offers."""
    see_calls(module, "log_metric", NAME, _metric)
    see_calls(module, "log_metrics", NAME, _metrics)
    see_calls(module, "log_param", NAME, _param)
    see_calls(module, "log_params", NAME, _params)


def _metric(call: Call) -> None:
    values = {str(call.argument(0, "key")): call.argument(1, "value")}
    record(call, values, call.argument(2, "step"))


def _metrics(call: Call) -> None:
    record(call, call.argument(0, "metrics") or {}, call.argument(1, "step"))


def _param(call: Call) -> None:
    record_config(call, {str(call.argument(0, "key")): call.argument(1, "value")})


def _params(call: Call) -> None:
    record_config(call, call.argument(0, "params"))


HOOK = Hook(NAME, "MLflow", "metrics and parameters", {"mlflow.tracking.fluent": install})
