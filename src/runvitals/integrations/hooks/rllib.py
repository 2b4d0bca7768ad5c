"""RLlib: the result of each iteration, and the algorithm's config."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from runvitals.integrations.hooks._hook import (
    Call,
    Hook,
    record,
    record_config,
    run_of_process,
    see_results,
)

NAME = "rllib"
STEPS = ("num_env_steps_sampled_lifetime", "timesteps_total", "num_env_steps_sampled")
_NOT_METRICS = ("config", "hist_stats", "sampler_results", "perf")
_told: set[int] = set()  # algorithms whose settings are recorded


def install(module: ModuleType) -> None:
    """Hook an iteration."""
    see_results(module.Algorithm, "step", NAME, _result)


def _result(call: Call, result: Mapping[str, Any]) -> None:
    algorithm = call.instance
    if id(algorithm) not in _told:
        _told.add(id(algorithm))
        config = algorithm.config
        record_config(call, config.to_dict() if hasattr(config, "to_dict") else config)
        run_of_process().describe(framework=NAME, algorithm=type(algorithm).__name__)
    metrics = {key: value for key, value in result.items() if key not in _NOT_METRICS}
    step = next((result[key] for key in STEPS if result.get(key) is not None), None)
    record(call, metrics, algorithm.iteration if step is None else step)


HOOK = Hook(
    NAME,
    "RLlib",
    "the result of each iteration, and the algorithm's config",
    {"ray.rllib.algorithms.algorithm": install},
)
