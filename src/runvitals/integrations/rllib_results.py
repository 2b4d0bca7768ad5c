"""What counts in a result of RLlib and in its config; for the callback and the hook alike."""

from __future__ import annotations

import numbers
import re
from collections.abc import Iterator, Mapping
from typing import Any

STEP = "num_env_steps_sampled_lifetime"
# What RLlib tells of its own machinery: hundreds of timers of connectors, and counters told twice.
_INTERNAL = re.compile(
    r"connector|fault_tolerance|env_runner_group|since_(last_)?res|_since_last_reduce|^done$|parameters$"
    r"|num_module_steps|num_env_steps_trained|num_training_step_calls|_sum_episodes_length_(in|out)$"
    r"|^timers/(restore|synch|training_step)"
)
_NOT_NUMBERS = frozenset({"config", "pid", "date", "timestamp", "trial_id", "hostname", "node_ip"})


def numbers_in(result: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The numbers of a result, nested names joined by `/`, without those of RLlib's machinery."""
    for key, value in result.items():
        if not prefix and key in _NOT_NUMBERS:
            continue
        if isinstance(value, Mapping):
            yield from numbers_in(value, f"{prefix}{key}/")
        elif isinstance(value, numbers.Number) or getattr(value, "shape", None) == ():
            name = f"{prefix}{key}"
            if not _INTERNAL.search(name):
                yield name, value


def settings_of(config: Any) -> dict[str, Any]:
    """The algorithm's config, without classes, functions and what is not set."""
    plain = (bool, int, float, str, list, tuple)
    found = {
        k: v for k, v in config.to_dict().items() if isinstance(v, plain) and v not in ("", [])
    }
    return {k: v for k, v in found.items() if not (isinstance(v, str) and v.startswith("__"))}
