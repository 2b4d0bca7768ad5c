"""Well-known tasks, by the name in the settings or in the titles of a run, and what shows success.

A script may change the reward of such a task: turn its sign, or add a bonus that is easier to get than
the task is to solve. Its return then rises while the policy gets worse. In some of these tasks the
length of an episode shows that, since it depends on nothing but the policy.
"""

from __future__ import annotations

import re
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
