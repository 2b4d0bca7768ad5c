"""Well-known tasks: what an untrained policy gets, and how long an episode can be.

A script may turn the sign of the reward of such a task. Its return then rises while the policy gets
worse.
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


@dataclass(frozen=True)
class KnownTask:
    """A task with its own reward (Gymnasium's definitions)."""

    title: str
    untrained: tuple[float, float]  # the range of the mean return of an untrained policy, measured
    limit: float = np.inf  # steps of an episode

    def is_turned(self, returns: FloatArray) -> bool:
        """Whether they begin where an untrained policy does, with the sign turned, and keep it."""
        turned = bool(np.all(np.sign(returns) == -np.sign(self.untrained[0])))
        return turned and self.untrained[0] <= start_median(-returns) <= self.untrained[1]


TASKS = {
    "cartpole": KnownTask("CartPole", (8, 40), 500),
    "mountaincar": KnownTask("MountainCar", (-200, -190), 200),
    "acrobot": KnownTask("Acrobot", (-500, -400), 500),
    "pendulum": KnownTask("Pendulum", (-1600, -800), 200),
    "lunarlander": KnownTask("LunarLander", (-600, -80)),
    "bipedalwalker": KnownTask("BipedalWalker", (-150, -80)),
    "taxi": KnownTask("Taxi", (-900, -200), 200),
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
