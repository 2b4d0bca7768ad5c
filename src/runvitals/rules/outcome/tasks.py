"""Well-known tasks: what they pay, and what an untrained policy gets.

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

SLACK = 0.01  # of the range of returns: what rounding and means over windows add


@dataclass(frozen=True)
class KnownTask:
    """What a task pays with its own reward; returns of whole episodes (Gymnasium's definitions)."""

    title: str
    least: float
    most: float
    untrained: tuple[float, float]  # the range of the mean return of an untrained policy, measured
    limit: float = np.inf  # steps of an episode; longer ones are of another task of that name
    longer_is_better: bool | None = None  # None: the length of an episode says nothing

    def pays(self, returns: FloatArray) -> bool:
        """Whether these can be returns of its own reward."""
        slack = SLACK * (self.most - self.least)
        return bool(returns.min() >= self.least - slack and returns.max() <= self.most + slack)

    def is_turned(self, returns: FloatArray) -> bool:
        """Whether they begin where an untrained policy does, with the sign turned, and keep it."""
        turned = bool(np.all(np.sign(returns) == -np.sign(self.untrained[0])))
        return turned and self.untrained[0] <= start_median(-returns) <= self.untrained[1]


TASKS = {
    "cartpole": KnownTask("CartPole", 0, 500, (8, 40), 500, longer_is_better=True),
    "mountaincar": KnownTask("MountainCar", -200, 0, (-200, -190), 200, longer_is_better=False),
    "acrobot": KnownTask("Acrobot", -500, 0, (-500, -400), 500, longer_is_better=False),
    "pendulum": KnownTask("Pendulum", -3255, 0, (-1600, -800), 200),
    "lunarlander": KnownTask("LunarLander", -5000, 350, (-600, -80)),
    "bipedalwalker": KnownTask("BipedalWalker", -400, 350, (-150, -80)),
    "frozenlake": KnownTask("FrozenLake", 0, 1, (0, 0.1)),
    "taxi": KnownTask("Taxi", -2000, 20, (-900, -200), 200),
}
# Others that have one of these words in their names.
OTHERS = re.compile(
    r"inverted|double|swing|continuous|balance|sparse|mujoco|dm_?control|dmc|hardcore|8x8|cartpole-?v0"
)
WORDS = re.compile("|".join(TASKS))


def task_of(patient: Patient) -> KnownTask | None:
    """The task that is trained, if it is a known one."""
    said = patient.setting("env_id")
    return _named((said,) if isinstance(said, str) else titles_of(patient.run))


def _named(titles: Iterable[str]) -> KnownTask | None:
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
