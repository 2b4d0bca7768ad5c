"""Which trainers the lab has. A trainer's file is imported only when it is asked for."""

from __future__ import annotations

from importlib import import_module

from runvitals.lab.contract import Fault, Trainer
from runvitals.lab.instruments import FAULTS as PLANT_FAULTS
from runvitals.model import ConfigError

FILES = {  # trainer: its module, and the name of the `Trainer` in it
    "ppo": ("ppo", "PPO"),
    "a2c": ("a2c", "A2C"),
    "dqn": ("dqn", "DQN"),
    "sac": ("sac", "SAC"),
    "scheduler": ("scheduler", "SCHEDULER"),
    "grpo": ("rlhf", "GRPO"),
    "rlhf-ppo": ("rlhf", "RLHF_PPO"),
    "dpo": ("dpo", "DPO"),
    "kto": ("dpo", "KTO"),
    "simpo": ("dpo", "SIMPO"),
    "reward-model": ("reward_model", "REWARD_MODEL"),
    "sft": ("sft", "SFT"),
    "teacher": ("teacher", "TEACHER"),
    "writing": ("writing", "WRITING"),
}


def trainer(name: str) -> Trainer:
    """The trainer of this name."""
    if name not in FILES:
        raise ConfigError(f"no trainer {name!r} in the lab", hint=f"one of: {', '.join(FILES)}")
    file, variable = FILES[name]
    found = getattr(import_module(f"runvitals.lab.{file}"), variable)
    assert isinstance(found, Trainer)
    return found


def trainers() -> list[Trainer]:
    """All of them."""
    return [trainer(name) for name in FILES]


def faults_of(trainer: Trainer) -> tuple[Fault, ...]:
    """What can go wrong in a trainer: its own faults, and those of the plant around it."""
    return (*trainer.faults, *PLANT_FAULTS)
