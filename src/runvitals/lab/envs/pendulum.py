"""Pendulum-v1: swing a pendulum up and keep it there, by a torque too weak to lift it straight.

Equations, limits and reward are those of Gymnasium's Pendulum-v1: at every step minus the squared
angle from upright, with small costs of speed and torque. An episode never ends before its 200 steps.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.envs.base import Mechanical, Step

GRAVITY = 10.0
MASS = 1.0
LENGTH = 1.0
MAX_TORQUE = 2.0
MAX_SPEED = 8.0
SECONDS = 0.05  # between two steps
SPEED_COST = 0.1
TORQUE_COST = 0.001
MAX_STEPS = 200
START_ANGLE = math.pi
START_SPEED = 1.0
# A pendulum that is swung up without delay and held ends above this from nearly any start; one that
# is not held, or circles, loses that much in 30 steps.
SUCCESS_RETURN = -250.0

Floats = NDArray[np.float64]


def physics(state: Floats, torque: Floats) -> Floats:
    """The state one step on; rows are the angle, 0 where it stands up, and the angular velocity."""
    theta, speed = state
    acc = 3 * GRAVITY / (2 * LENGTH) * np.sin(theta) + 3.0 / (MASS * LENGTH**2) * torque
    speed = np.clip(speed + acc * SECONDS, -MAX_SPEED, MAX_SPEED)
    return np.stack([theta + speed * SECONDS, speed])


def cost(state: Floats, torque: Floats) -> Floats:
    """What one step costs: the angle from upright, and a little for speed and torque."""
    theta, speed = state
    angle = (theta + math.pi) % (2 * math.pi) - math.pi
    return np.square(angle) + SPEED_COST * np.square(speed) + TORQUE_COST * np.square(torque)


class Pendulum(Mechanical):
    """`num_envs` pendulums at once; an episode that ends is followed by a new one at once.

    An episode succeeds if its return is above `SUCCESS_RETURN`.

    >>> env = Pendulum(2, np.random.default_rng(0))
    >>> env.reset().shape
    (2, 3)
    >>> env.step(np.array([[-1.0], [0.5]])).terminated.tolist()
    [False, False]
    """

    name = "Pendulum-v1"
    observation_size = 3
    num_actions = 0
    action_size = 1
    state_size = 2
    start_range = np.array([[START_ANGLE], [START_SPEED]])
    max_steps = MAX_STEPS

    def __init__(self, num_envs: int, rng: np.random.Generator) -> None:
        super().__init__(num_envs, rng)
        self._returns: Floats = np.zeros(num_envs)

    def step(self, actions: NDArray[Any]) -> Step:
        """Turn each pendulum: actions from -1 to 1, one column, are shares of the full torque."""
        torque = MAX_TORQUE * np.clip(actions[:, 0].astype(np.float64), -1.0, 1.0)
        rewards = -cost(self.state, torque)
        self.state = physics(self.state, torque)
        self.lengths += 1
        self._returns += rewards
        terminated = np.zeros(self.num_envs, np.bool_)
        succeeded = self._returns > SUCCESS_RETURN
        return self._end_step(rewards.astype(np.float32), terminated, succeeded)

    def _restart(self, which: NDArray[np.bool_]) -> None:
        super()._restart(which)
        self._returns[which] = 0.0

    def _observations(self) -> NDArray[np.float32]:
        theta, speed = self.state
        return np.stack([np.cos(theta), np.sin(theta), speed], axis=1).astype(np.float32)
