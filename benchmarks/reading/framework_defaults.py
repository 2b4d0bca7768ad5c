"""Write the defaults of frameworks: python -m benchmarks.reading.framework_defaults

To be run in .venv-frameworks. Only plain values are kept: what a framework works out later cannot be
compared with a setting. What a version no longer has stays as it was: TRL's PPO is that of 0.23.0,
put in front with `pip install --no-deps --target OLD trl==0.23.0` and PYTHONPATH=OLD.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
from pathlib import Path
from typing import Any

WHERE = Path(__file__).parents[2] / "src" / "runvitals" / "view" / "run" / "framework_defaults.json"
SB3 = ("PPO", "A2C", "DQN", "SAC", "TD3")
TRL = {
    "grpo": "GRPOConfig",
    "dpo": "DPOConfig",
    "sft": "SFTConfig",
    "ppo": "PPOConfig",
    "kto": "KTOConfig",
    "rloo": "RLOOConfig",
    "reward_model": "RewardConfig",
}


def is_plain(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, bool | int | str)


def of_sb3(before: dict[str, Any]) -> dict[str, Any]:
    import stable_baselines3

    found = {}
    for name in SB3:
        parameters = inspect.signature(getattr(stable_baselines3, name)).parameters
        found[name.lower()] = {k: p.default for k, p in parameters.items() if is_plain(p.default)}
    return joined(before, stable_baselines3.__version__, found)


def of_trl(before: dict[str, Any]) -> dict[str, Any]:
    import trl

    found = {}
    for algorithm, name in TRL.items():
        if (config := getattr(trl, name, None)) is not None:
            fields = dataclasses.fields(config)
            found[algorithm] = {f.name: f.default for f in fields if is_plain(f.default)}
    return joined(before, trl.__version__, found)


def joined(before: dict[str, Any], version: str, found: dict[str, Any]) -> dict[str, Any]:
    return {
        "versions": {**before["versions"], **dict.fromkeys(found, version)},
        "algorithms": {**before["algorithms"], **found},
    }


def main() -> None:
    before = json.loads(WHERE.read_text(encoding="utf-8"))
    tables = {
        "stable-baselines3": of_sb3(before["stable-baselines3"]),
        "trl": of_trl(before["trl"]),
    }
    text = json.dumps(tables, indent=0, sort_keys=True, default=str)
    WHERE.write_text(text + "\n", encoding="utf-8")
    print(f"wrote {WHERE.name}: {len(text):,} bytes")


if __name__ == "__main__":
    main()
