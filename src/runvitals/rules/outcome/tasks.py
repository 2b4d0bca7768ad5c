"""Well-known tasks, by the name in the settings or in the titles of a run, and what shows success.

A script may change the reward of such a task: turn its sign, or add a bonus that is easier to get than
the task is to solve. Its return then rises while the policy gets worse. In some of these tasks the
length of an episode shows that, since it depends on nothing but the policy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runvitals.model import FloatArray, Run
from runvitals.signals.late import start_median

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

SLACK = 0.01  # of the range of returns: what rounding and means over windows add (judgement)


@dataclass(frozen=True)
class Task:
    """What a task pays with its own reward; returns of whole episodes (Gymnasium's definitions)."""

    title: str
    least: float
    most: float
    limit: int  # steps of an episode; longer ones are of another task with that word in its name
    untrained: tuple[float, float]  # the range of the mean return of an untrained policy, measured
    longer_is_better: bool | None = None  # None: the length of an episode says nothing

    def pays(self, returns: FloatArray) -> bool:
        """Whether these can be returns of its own reward."""
        slack = SLACK * (self.most - self.least)
        return bool(returns.min() >= self.least - slack and returns.max() <= self.most + slack)

    def is_turned(self, returns: FloatArray) -> bool:
        """Whether they begin where an untrained policy does, with the sign turned, and keep it."""
        low, high = self.untrained
        turned = bool(np.all(np.sign(returns) == -np.sign(low)))
        return turned and -high <= start_median(returns) <= -low


TASKS = {
    "cartpole": Task("CartPole", 0.0, 500.0, 500, (12.0, 35.0), longer_is_better=True),
    "pendulum": Task("Pendulum", -3255.0, 0.0, 200, (-1600.0, -800.0)),
    "acrobot": Task("Acrobot", -500.0, 0.0, 500, (-500.0, -400.0), longer_is_better=False),
    "mountaincar": Task("MountainCar", -200.0, 0.0, 200, (-200.0, -190.0), longer_is_better=False),
}
# Others that have one of these words in their names, and other rewards.
OTHERS = re.compile(r"inverted|double|swing|continuous|balance|sparse|mujoco|dm_?control|dmc")
WORDS = re.compile("|".join(TASKS))


def task_of(patient: Patient) -> Task | None:
    """The task that is trained, if it is a known one."""
    said = patient.setting("env_id")
    titles = (said,) if isinstance(said, str) else titles_of(patient.run)
    for title in titles:
        plain = re.sub(r"[-_ ]", "", title.lower())
        if OTHERS.search(plain) or OTHERS.search(title.lower()):
            return None
        if found := WORDS.search(plain):
            return TASKS[found[0]]
    return None


def titles_of(run: Run) -> tuple[str, ...]:
    """What the run, its file and the folder around it are called, the nearest first."""
    near = () if run.path is None else (run.path.name, run.path.resolve().parent.name)
    return tuple(dict.fromkeys(title for title in (run.name, *near) if title))


# The mean return at which Gymnasium calls a task solved.
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
MARK_SLACK = (
    0.1  # of that range: what is behind a running mean is known with some noise (judgement)
)


def solved_at(task: object, lowest: float, highest: float) -> float | None:
    """The mark of a task, if returns from the lowest to the highest can be its own.

    >>> solved_at("CartPole-v1", 9.0, 500.0), solved_at("CartPole-v1", 9e4, 5e6)
    (475.0, None)
    """
    if not isinstance(task, str):
        return None
    least, most = RETURNS.get(task, (lowest, highest))
    slack = MARK_SLACK * (most - least)
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


def mark_of(patient: Patient, returns: FloatArray) -> float | None:
    """The mean return at which the task is solved, if settings or titles name it."""
    if not len(returns):
        return None
    named = patient.setting("env_id") or named_in(
        (*titles_of(patient.run), patient.run.project), returns
    )
    return solved_at(named, float(returns.min()), float(returns.max()))
