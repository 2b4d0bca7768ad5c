"""Well-known tasks: what they pay, what an untrained policy gets, and when they count as solved.

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
    solved: float  # the mean return at which Gymnasium calls it solved
    limit: float = np.inf  # steps of an episode; longer ones are of another task of that name
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

    def begins(self, returns: FloatArray) -> bool:
        """Whether returns begin where an untrained policy does."""
        low, high = self.untrained
        return low <= start_median(returns) <= high


TASKS = {
    "cartpole": KnownTask("CartPole", 0, 500, (8, 40), 475, 500, longer_is_better=True),
    "mountaincar": KnownTask(
        "MountainCar", -200, 0, (-200, -190), -110, 200, longer_is_better=False
    ),
    "acrobot": KnownTask("Acrobot", -500, 0, (-500, -400), -100, 500, longer_is_better=False),
    "pendulum": KnownTask("Pendulum", -3255, 0, (-1600, -800), -200, 200),
    "lunarlander": KnownTask("LunarLander", -5000, 350, (-600, -80), 200),
    "bipedalwalker": KnownTask("BipedalWalker", -400, 350, (-150, -80), 300),
    "frozenlake": KnownTask("FrozenLake", 0, 1, (0, 0.1), 0.7),
    "taxi": KnownTask("Taxi", -2000, 20, (-900, -200), 8, 200),
}
# Others that have one of these words in their names.
OTHERS = re.compile(
    r"inverted|double|swing|continuous|balance|sparse|mujoco|dm_?control|dmc|hardcore|8x8|cartpole-?v0"
)
WORDS = re.compile("|".join(TASKS))
TITLES = "|".join(task.title for task in TASKS.values())
SPELLED = re.compile(rf"(?<![A-Za-z0-9])(?:{TITLES})-v\d")
CHANGED = re.compile(r"shap|spars|modif|custom|scal|normali|nois|bonus|penal|revers|flip", re.I)


def task_of(patient: Patient) -> KnownTask | None:
    """The task that is trained, if it is a known one."""
    said = patient.setting("env_id")
    return _named((said,) if isinstance(said, str) else titles_of(patient.run))


def mark_of(patient: Patient, returns: FloatArray) -> float | None:
    """The mean return at which the task is solved, if it is a known one with its own reward.

    A title is less certain than a setting: it counts only if returns begin as untrained ones do.
    """
    said = patient.setting("env_id")
    if isinstance(said, str):
        task = _named((said,))
    else:
        titles = [title for title in (*titles_of(patient.run), patient.run.project) if title]
        spelled = {name for title in titles for name in SPELLED.findall(title)}
        changed = len(spelled) != 1 or any(map(CHANGED.search, titles))
        task = None if changed else _named(spelled)
        task = task if task is not None and task.begins(returns) else None
    return task.solved if task is not None and task.pays(returns) else None


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
