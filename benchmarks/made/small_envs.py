"""Small environments of our own, next to those of Gymnasium; quick to step and quick to learn."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

Step = tuple[Any, float, bool, bool, dict[str, Any]]


class Reach(gym.Env[Any, Any]):
    """A point on a plane that should go to a target; costs the distance at each of 25 steps."""

    observation_space = spaces.Box(-3.0, 3.0, (4,), np.float32)
    action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
    limit, pace, near = 25, 0.2, 0.15

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self.here = self.np_random.uniform(-1, 1, 2)
        self.there = self.np_random.uniform(-1, 1, 2)
        self.steps = 0
        return self._seen(), {}

    def _seen(self) -> Any:
        return np.concatenate([self.here, self.there - self.here]).astype(np.float32)

    def step(self, action: Any) -> Step:
        self.here = np.clip(self.here + self.pace * np.clip(action, -1, 1), -1.5, 1.5)
        self.steps += 1
        far = float(np.linalg.norm(self.there - self.here))
        over = self.steps >= self.limit
        return self._seen(), -far, False, over, {"is_success": far < self.near} if over else {}


class Thermostat(gym.Env[Any, Any]):
    """Heat or cool a room towards a set point against a draught; costs the squared distance."""

    observation_space = spaces.Box(-5.0, 5.0, (3,), np.float32)
    action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
    limit = 40

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self.off = float(self.np_random.uniform(-2, 2))
        self.draught = float(self.np_random.uniform(-0.2, 0.2))
        self.steps = 0
        return self._seen(), {}

    def _seen(self) -> Any:
        return np.array([self.off, self.draught, self.steps / self.limit], np.float32)

    def step(self, action: Any) -> Step:
        pushed = 0.4 * float(np.clip(action, -1, 1)[0]) + self.draught
        self.off = float(np.clip(self.off + pushed + self.np_random.normal(0, 0.02), -3, 3))
        self.steps += 1
        return self._seen(), -(self.off**2), False, self.steps >= self.limit, {}


class Catch(gym.Env[Any, Any]):
    """A ball falls through a grid; the paddle below catches it (1) or does not (-1)."""

    observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
    action_space = spaces.Discrete(3)
    width, height = 7, 9

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self.ball = [int(self.np_random.integers(self.width)), 0]
        self.paddle = int(self.np_random.integers(self.width))
        return self._seen(), {}

    def _seen(self) -> Any:
        middle = (self.width - 1) / 2
        x, y = self.ball
        where = [x / middle - 1, 2 * y / (self.height - 1) - 1, self.paddle / middle - 1]
        return np.array(where, np.float32)

    def step(self, action: Any) -> Step:
        self.paddle = int(np.clip(self.paddle + int(action) - 1, 0, self.width - 1))
        self.ball[1] += 1
        if self.ball[1] < self.height - 1:
            return self._seen(), 0.0, False, False, {}
        caught = self.paddle == self.ball[0]
        return self._seen(), 1.0 if caught else -1.0, True, False, {"is_success": caught}


class Maze(gym.Env[Any, Any]):
    """A room with a wall; 1 at the exit, a small cost for each step."""

    action_space = spaces.Discrete(4)
    size, limit, cost = 5, 40, 0.02
    walls = frozenset({(1, 1), (1, 2), (1, 3), (3, 1), (3, 3), (3, 4)})
    moves = ((0, 1), (0, -1), (1, 0), (-1, 0))

    def __init__(self) -> None:
        self.observation_space = spaces.Discrete(self.size**2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self.here = (0, 0)
        self.steps = 0
        return 0, {}

    def step(self, action: Any) -> Step:
        move = self.moves[int(action)]
        to = (self.here[0] + move[0], self.here[1] + move[1])
        if min(to) >= 0 and max(to) < self.size and to not in self.walls:
            self.here = to
        self.steps += 1
        out = self.here == (self.size - 1, self.size - 1)
        over = self.steps >= self.limit
        told = {"is_success": out} if out or over else {}
        seen = self.here[0] * self.size + self.here[1]
        return seen, float(out) - self.cost, out, over, told


class Corridor(gym.Env[Any, Any]):
    """A corridor with a reward at its far end only; a random walk seldom gets there."""

    observation_space = spaces.Box(0.0, 1.0, (2,), np.float32)
    action_space = spaces.Discrete(2)
    length, limit = 12, 40

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self.here = self.steps = 0
        return self._seen(), {}

    def _seen(self) -> Any:
        return np.array([self.here / self.length, self.here % 2], np.float32)

    def step(self, action: Any) -> Step:
        self.here = max(0, self.here + (1 if int(action) == 1 else -1))
        self.steps += 1
        there = self.here >= self.length
        over = self.steps >= self.limit
        told = {"is_success": there} if there or over else {}
        return self._seen(), float(there), there, over, told


class NoisyShop(gym.Env[Any, Any]):
    """Which of four offers suits which of six customers; the pay-off is mostly noise."""

    observation_space = spaces.Discrete(6)
    action_space = spaces.Discrete(4)
    limit, noise = 10, 1.5
    best = (2, 0, 3, 1, 1, 2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self.steps = 0
        self.customer = int(self.np_random.integers(6))
        return self.customer, {}

    def step(self, action: Any) -> Step:
        paid = float(int(action) == self.best[self.customer])
        self.customer = int(self.np_random.integers(6))
        self.steps += 1
        noisy = paid + float(self.np_random.normal(0, self.noise))
        return self.customer, noisy, False, self.steps >= self.limit, {}


OWN = {
    "reach": Reach,
    "thermostat": Thermostat,
    "catch": Catch,
    "maze": Maze,
    "corridor": Corridor,
    "shop": NoisyShop,
}
GYMNASIUM: dict[str, tuple[str, dict[str, Any]]] = {
    "cartpole": ("CartPole-v1", {}),
    "acrobot": ("Acrobot-v1", {}),
    "mountaincar": ("MountainCar-v0", {}),
    "pendulum": ("Pendulum-v1", {}),
    "frozenlake": ("FrozenLake-v1", {"is_slippery": False}),
    "slipperylake": ("FrozenLake-v1", {"is_slippery": True}),
    "cliff": ("CliffWalking-v1", {"max_episode_steps": 100}),
    "taxi": ("Taxi-v4", {}),
    "blackjack": ("Blackjack-v1", {}),
}


def make_env(name: str) -> gym.Env[Any, Any]:
    """One of them by name, without any wrapper that tampers with it."""
    if name in OWN:
        return OWN[name]()
    named, options = GYMNASIUM[name]
    return gym.make(named, **options)


class Tampered(gym.Wrapper[Any, Any, Any, Any]):
    """An environment whose reward, observation or action is not what it should be."""

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        scale: float = 1.0,
        shift: float = 0.0,
        blind: bool = False,
        wrong_action: int | None = None,
        noise: float = 0.0,
        onset: int = 0,
    ) -> None:
        super().__init__(env)
        self.scale, self.shift, self.blind = scale, shift, blind
        self.wrong_action, self.noise, self.onset = wrong_action, noise, onset
        self.seen = 0
        self.rng = np.random.default_rng(0)

    def _shown(self, observation: Any) -> Any:
        if not self.blind:
            return observation
        space = self.env.observation_space
        return space.sample() if isinstance(space, spaces.Discrete) else observation * 0

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        observation, told = self.env.reset(**options)
        return self._shown(observation), told

    def step(self, action: Any) -> Step:
        self.seen += 1
        if self.wrong_action is not None:
            action = self.wrong_action
        observation, reward, done, over, told = self.env.step(action)
        if self.seen >= self.onset:
            reward = float(reward) * self.scale + self.shift
        if self.noise:
            reward = float(reward) + self.noise * float(self.rng.normal())
        return self._shown(observation), float(reward), done, over, told
