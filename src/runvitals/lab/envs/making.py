"""Environments by their names. A file is imported only when its environment is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

import numpy as np

from runvitals.lab.envs.base import Env
from runvitals.model import ConfigError

FILES = {  # environment: its module, and the name of its class
    "CartPole-v1": ("cartpole", "CartPole"),
    "Acrobot-v1": ("acrobot", "Acrobot"),
    "Pendulum-v1": ("pendulum", "Pendulum"),
    "CoinGrid-v0": ("grid", "CoinGrid"),
}


def make_env(name: str, num_envs: int, rng: np.random.Generator, **options: Any) -> Env:
    """`num_envs` copies of the named environment; `options` are its own.

    >>> make_env("CartPole-v1", 2, np.random.default_rng(0)).reset().shape
    (2, 4)
    """
    check_env(name)
    file, variable = FILES[name]
    kind = getattr(import_module(f"runvitals.lab.envs.{file}"), variable)
    return cast(Env, kind(num_envs, rng, **options))


def check_env(name: str) -> None:
    """An error that lists the choices, if there is no environment of this name."""
    if name not in FILES:
        raise ConfigError(f"no environment {name!r} in the lab", hint=f"one of: {', '.join(FILES)}")
