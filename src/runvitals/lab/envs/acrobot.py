"""Acrobot-v1: swing the tip of two hanging links above a line by a torque on the joint between them.

Equations, limits and reward are those of Gymnasium's Acrobot-v1, after Sutton (1996) and with the
dynamics of Sutton and Barto's book: a reward of -1 for every step, and 0 for the one that gets there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.envs.base import Mechanical, Step

GRAVITY = 9.8
MASS = 1.0  # of each link
LENGTH = 1.0  # of each link
CENTER = 0.5  # from a link's joint to its centre of mass
INERTIA = 1.0  # of each link
TORQUES = np.array([-1.0, 0.0, 1.0])
SECONDS = 0.2  # between two steps
MAX_SPEEDS = np.array([[4 * math.pi], [9 * math.pi]])
GOAL_HEIGHT = 1.0  # of the tip above the fixed joint
MAX_STEPS = 500
START_RANGE = 0.1

Floats = NDArray[np.float64]


def motion(state: Floats, torque: Floats) -> Floats:
    """How fast the state changes; rows are both angles, then both angular velocities.

    The first angle is 0 where the first link hangs down, the second is that between the links.
    """
    theta1, theta2, speed1, speed2 = state
    cos, sin = np.cos(theta2), np.sin(theta2)
    lever = MASS * LENGTH * CENTER
    d1 = MASS * CENTER**2 + MASS * (LENGTH**2 + CENTER**2) + 2 * lever * cos + 2 * INERTIA
    d2 = MASS * CENTER**2 + lever * cos + INERTIA
    phi2 = MASS * CENTER * GRAVITY * np.sin(theta1 + theta2)
    phi1 = (
        -lever * sin * (np.square(speed2) + 2 * speed2 * speed1)
        + MASS * (CENTER + LENGTH) * GRAVITY * np.sin(theta1)
        + phi2
    )
    acc2 = (torque + d2 / d1 * phi1 - lever * np.square(speed1) * sin - phi2) / (
        MASS * CENTER**2 + INERTIA - np.square(d2) / d1
    )
    acc1 = -(d2 * acc2 + phi1) / d1
    return np.stack([speed1, speed2, acc1, acc2])


def physics(state: Floats, actions: NDArray[Any]) -> Floats:
    """The state one step on, by the classical Runge-Kutta method, with the torque held."""
    torque = TORQUES[actions]
    k1 = motion(state, torque)
    k2 = motion(state + SECONDS / 2 * k1, torque)
    k3 = motion(state + SECONDS / 2 * k2, torque)
    k4 = motion(state + SECONDS * k3, torque)
    after: Floats = state + SECONDS / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    after[:2] -= 2 * math.pi * np.round(after[:2] / (2 * math.pi))
    after[2:] = np.clip(after[2:], -MAX_SPEEDS, MAX_SPEEDS)
    return after


class Acrobot(Mechanical):
    """`num_envs` acrobots at once; an episode that ends is followed by a new one at once.

    An episode succeeds when the tip gets above the line, which is what terminates it.

    >>> env = Acrobot(2, np.random.default_rng(0))
    >>> env.reset().shape
    (2, 6)
    >>> env.step(np.array([0, 2])).rewards.tolist()
    [-1.0, -1.0]
    """

    name = "Acrobot-v1"
    observation_size = 6
    num_actions = 3
    state_size = 4
    start_range = START_RANGE
    max_steps = MAX_STEPS

    def step(self, actions: NDArray[Any]) -> Step:
        """Turn each middle joint: 0 one way, 1 not at all, 2 the other way."""
        self.state = physics(self.state, actions)
        self.lengths += 1
        theta1, theta2 = self.state[:2]
        terminated = -LENGTH * (np.cos(theta1) + np.cos(theta1 + theta2)) > GOAL_HEIGHT
        rewards = np.where(terminated, 0.0, -1.0).astype(np.float32)
        return self._end_step(rewards, terminated, terminated)

    def _observations(self) -> NDArray[np.float32]:
        theta1, theta2, speed1, speed2 = self.state
        columns = [np.cos(theta1), np.sin(theta1), np.cos(theta2), np.sin(theta2), speed1, speed2]
        return np.stack(columns, axis=1).astype(np.float32)
