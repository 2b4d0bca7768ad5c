"""The mean return at which Gymnasium calls a task solved, and what its returns can be at all."""

from __future__ import annotations

import re
from collections.abc import Iterable

from runvitals.model import FloatArray
from runvitals.signals.late import start_median

SOLVED_AT = {
    "CartPole-v0": 195.0,
    "CartPole-v1": 475.0,
    "MountainCar-v0": -110.0,
    "MountainCarContinuous-v0": 90.0,
    "Acrobot-v1": -100.0,
    "LunarLander-v2": 200.0,
    "LunarLander-v3": 200.0,
    "LunarLanderContinuous-v2": 200.0,
    "LunarLanderContinuous-v3": 200.0,
    "BipedalWalker-v3": 300.0,
    "BipedalWalkerHardcore-v3": 300.0,
    "CarRacing-v2": 900.0,
    "CarRacing-v3": 900.0,
    "FrozenLake-v1": 0.7,
    "FrozenLake8x8-v1": 0.85,
    "Taxi-v3": 8.0,
}

# Least and most, from reward per step and step limit; outside, the reward is not the task's own.
RETURNS = {
    "CartPole-v0": (0.0, 200.0),
    "CartPole-v1": (0.0, 500.0),
    "MountainCar-v0": (-200.0, 0.0),
    "Acrobot-v1": (-500.0, 0.0),
    "FrozenLake-v1": (0.0, 1.0),
    "FrozenLake8x8-v1": (0.0, 1.0),
    "Taxi-v3": (-2000.0, 20.0),
}
# Where an untrained policy begins, greedy or not (random and freshly made ones; judgement). A title
# is less certain than a setting: it counts only if returns begin there, and scaled ones do not.
UNTRAINED = {
    "CartPole-v0": (8.0, 40.0),
    "CartPole-v1": (8.0, 40.0),
    "MountainCar-v0": (-200.0, -190.0),
    "Acrobot-v1": (-500.0, -400.0),
    "LunarLander-v2": (-600.0, -80.0),
    "LunarLander-v3": (-600.0, -80.0),
    "LunarLanderContinuous-v2": (-600.0, -80.0),
    "LunarLanderContinuous-v3": (-600.0, -80.0),
    "BipedalWalker-v3": (-150.0, -80.0),
}
TITLES = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, UNTRAINED))})(?![A-Za-z0-9])")
CHANGED = re.compile(r"shap|spars|modif|custom|scal|normali|nois|bonus|penal|revers|flip", re.I)
SLACK = 0.1  # of that range: what is behind a running mean is known with some noise (judgement)


def solved_at(task: object, lowest: float, highest: float) -> float | None:
    """The mark of a task, if returns from the lowest to the highest can be its own.

    >>> solved_at("CartPole-v1", 9.0, 500.0), solved_at("CartPole-v1", 9e4, 5e6)
    (475.0, None)
    """
    if not isinstance(task, str):
        return None
    least, most = RETURNS.get(task, (lowest, highest))
    slack = SLACK * (most - least)
    own = least - slack <= lowest and highest <= most + slack
    return SOLVED_AT.get(task) if own else None


def named_in(titles: Iterable[str], returns: FloatArray) -> str | None:
    """The one task of the table that titles spell out, if its returns begin as untrained ones do.

    >>> import numpy as np
    >>> named_in(["PPO_CartPole-v1_seed3"], np.array([21.0, 24.0, 26.0]))
    'CartPole-v1'
    >>> named_in(["CartPole-v1-shaped"], np.array([21.0, 24.0, 26.0])) is None
    True
    """
    titles = list(titles)
    found = {task for title in titles for task in TITLES.findall(title)}
    if len(found) != 1 or not len(returns) or any(map(CHANGED.search, titles)):
        return None
    [task] = found
    low, high = UNTRAINED[task]
    return task if low <= start_median(returns) <= high else None
