"""RLlib: the result of each iteration, and the algorithm's config."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from runvitals.catalog import plain_algorithm
from runvitals.integrations.hooks._hook import (
    Call,
    Hook,
    record,
    record_config,
    run_of_process,
    see_results,
)
from runvitals.integrations.rllib_results import numbers_in, settings_of

NAME = "rllib"
STEPS = ("num_env_steps_sampled_lifetime", "timesteps_total", "num_env_steps_sampled")
_OF_OLD_STACK = ("hist_stats", "sampler_results", "perf")  # told twice, or of the machine
_recorded: set[int] = set()  # algorithms whose settings are recorded


def install(module: ModuleType) -> None:
    """Hook an iteration."""
    see_results(module.Algorithm, "step", NAME, _result)


def _result(call: Call, result: Mapping[str, Any]) -> None:
    algorithm = call.instance
    if id(algorithm) not in _recorded:
        _recorded.add(id(algorithm))
        config, kind = algorithm.config, type(algorithm).__name__
        record_config(call, settings_of(config) if hasattr(config, "to_dict") else config)
        run_of_process().describe(framework=NAME, algorithm=plain_algorithm(kind) or kind)
    told = {key: value for key, value in result.items() if key not in _OF_OLD_STACK}
    metrics = dict(numbers_in(told))
    step = next((result[key] for key in STEPS if result.get(key) is not None), None)
    record(call, metrics, algorithm.iteration if step is None else step)


HOOK = Hook(
    NAME,
    "RLlib",
    "the result of each iteration, and the algorithm's config",
    {"ray.rllib.algorithms.algorithm": install},
)
