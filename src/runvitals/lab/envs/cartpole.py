"""CartPole-v1: balance a pole on a cart for 500 steps by pushing the cart left or right.

Equations, limits and reward are those of Gymnasium's CartPole-v1, after Barto, Sutton and Anderson
(1983): a reward of 1 for every step, also for the one that ends the episode.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.envs.base import Mechanical, Step

GRAVITY = 9.8
CART_MASS = 1.0
POLE_MASS = 0.1
TOTAL_MASS = CART_MASS + POLE_MASS
HALF_LENGTH = 0.5
FORCE = 10.0
SECONDS = 0.02  # between two steps
MAX_POSITION = 2.4
MAX_ANGLE = 12 * 2 * math.pi / 360
MAX_STEPS = 500
START_RANGE = 0.05
SUCCESS_STEPS = 475  # an episode that gets this far has succeeded

Floats = NDArray[np.float64]


def physics(state: Floats, actions: NDArray[Any]) -> Floats:
    """The state one step on; rows are position, velocity, angle, angular velocity."""
    _, x_dot, theta, theta_dot = state
    cos, sin = np.cos(theta), np.sin(theta)
    force = np.where(actions == 1, FORCE, -FORCE)
    pole = POLE_MASS * HALF_LENGTH
    push = (force + pole * np.square(theta_dot) * sin) / TOTAL_MASS
    theta_acc = (GRAVITY * sin - cos * push) / (
        HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * np.square(cos) / TOTAL_MASS)
    )
    x_acc = push - pole * theta_acc * cos / TOTAL_MASS
    change = np.stack([x_dot, x_acc, theta_dot, theta_acc])
    return state + SECONDS * change


class CartPole(Mechanical):
    """`num_envs` poles at once; an episode that ends is followed by a new one at once.

    >>> env = CartPole(2, np.random.default_rng(0))
    >>> env.reset().shape
    (2, 4)
    >>> env.step(np.array([0, 1])).rewards.tolist()
    [1.0, 1.0]
    """

    name = "CartPole-v1"
    observation_size = 4
    num_actions = 2
    state_size = 4
    start_range = START_RANGE
    max_steps = MAX_STEPS

    def step(self, actions: NDArray[Any]) -> Step:
        """Push each cart: 0 left, 1 right."""
        self.state = physics(self.state, actions)
        self.lengths += 1
        x, _, theta, _ = np.abs(self.state)
        terminated = (x > MAX_POSITION) | (theta > MAX_ANGLE)
        rewards = np.ones(self.num_envs, np.float32)
        return self._end_step(rewards, terminated, self.lengths >= SUCCESS_STEPS)

    def _observations(self) -> NDArray[np.float32]:
        return self.state.T.astype(np.float32)
