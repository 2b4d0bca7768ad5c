"""A small maze: walk from the upper left corner to the goal, and do not bump into walls.

A tile on the way can be given a coin, which pays each time it is stepped on. A policy that is paid
well for coins walks on and off that tile until the time is up and never sees the goal: its return
rises while its success falls.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.envs.base import Episodic, Step

MAZE = (  # S: starts, G: the goal, C: the tile that may hold a coin, #: a wall
    "SSC...",
    "SS.##.",
    ".....#",
    ".##...",
    "....#.",
    ".#...G",
)
MOVES = np.array([(-1, 0), (0, 1), (1, 0), (0, -1)])  # up, right, down, left
MAX_STEPS = 40
GOAL_REWARD = 1.0
STEP_COST = 0.01
CELLS = np.array([list(row) for row in MAZE])
GOAL = tuple(np.argwhere(CELLS == "G")[0])


def distances() -> NDArray[np.int64]:
    """Steps from each cell to the goal on the shortest way; -1 for walls.

    >>> distances()[0].tolist()
    [10, 9, 8, 9, 10, 11]
    """
    found = np.full(CELLS.shape, -1)
    found[GOAL] = 0
    queue = deque([GOAL])
    while queue:
        cell = queue.popleft()
        for move in MOVES:
            row, column = cell[0] + move[0], cell[1] + move[1]
            inside = 0 <= row < CELLS.shape[0] and 0 <= column < CELLS.shape[1]
            if inside and CELLS[row, column] != "#" and found[row, column] < 0:
                found[row, column] = found[cell] + 1
                queue.append((row, column))
    return found


def _where_moves_lead() -> NDArray[np.int64]:
    """The cell that each move leads to from each cell, as numbers; one that bumps leads nowhere."""
    rows, columns = CELLS.shape
    after = np.tile(np.arange(CELLS.size)[:, None], (1, len(MOVES)))
    for cell in range(CELLS.size):
        for action, (down, right) in enumerate(MOVES):
            row, column = cell // columns + down, cell % columns + right
            if 0 <= row < rows and 0 <= column < columns and CELLS[row, column] != "#":
                after[cell, action] = row * columns + column
    return after


AFTER = _where_moves_lead()
DISTANCE = distances().ravel()
STARTS = np.flatnonzero(CELLS.ravel() == "S")
GOAL_CELL = int(np.flatnonzero(CELLS.ravel() == "G")[0])
COIN_CELL = int(np.flatnonzero(CELLS.ravel() == "C")[0])


class CoinGrid(Episodic):
    """`num_envs` walkers at once; each sees which cell it is in.

    `extras` of a step: what the reward was made of, and, as they stand now and are meant to be read
    when an episode ends, the distance to the goal and whether there was a collision.

    >>> env = CoinGrid(2, np.random.default_rng(0), coin=0.3)
    >>> env.reset().shape
    (2, 36)
    >>> sorted(env.step(np.array([1, 2])).extras)
    ['outcome/collision_rate', 'outcome/distance_to_goal', 'reward/component_mean{component=coin}',
     'reward/component_mean{component=goal}', 'reward/component_mean{component=step}']
    """

    name = "CoinGrid-v0"
    observation_size = CELLS.size
    num_actions = len(MOVES)
    action_size = 0

    def __init__(
        self,
        num_envs: int,
        rng: np.random.Generator,
        *,
        coin: float = 0.0,  # paid each time the coin's tile is entered
        step_cost: float = STEP_COST,
        max_steps: int = MAX_STEPS,
    ) -> None:
        super().__init__(num_envs, rng)
        self.coin = coin
        self.step_cost = step_cost
        self.max_steps = max_steps
        self.cells: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        self.collided: NDArray[np.bool_] = np.zeros(num_envs, np.bool_)

    def step(self, actions: NDArray[Any]) -> Step:
        """Walk: 0 up, 1 right, 2 down, 3 left. A move into a wall leads nowhere."""
        before, self.cells = self.cells, AFTER[self.cells, actions]
        stayed = self.cells == before
        self.collided |= stayed
        self.lengths += 1
        terminated = self.cells == GOAL_CELL
        parts = {
            "goal": GOAL_REWARD * terminated.astype(np.float32),
            "step": np.full(self.num_envs, -self.step_cost, np.float32),
        }
        if self.coin:
            entered = (self.cells == COIN_CELL) & ~stayed
            parts["coin"] = self.coin * entered.astype(np.float32)
        rewards: NDArray[np.float32] = np.add.reduce(list(parts.values()))
        extras: dict[str, NDArray[Any]] = {
            f"reward/component_mean{{component={part}}}": paid for part, paid in parts.items()
        }
        extras["outcome/distance_to_goal"] = DISTANCE[self.cells]
        extras["outcome/collision_rate"] = self.collided.copy()
        return self._end_step(rewards, terminated, terminated, extras)

    def _restart(self, which: NDArray[np.bool_]) -> None:
        super()._restart(which)
        self.cells[which] = self._rng.choice(STARTS, int(which.sum()))
        self.collided[which] = False

    def _observations(self) -> NDArray[np.float32]:
        seen = np.zeros((self.num_envs, CELLS.size), np.float32)
        seen[np.arange(self.num_envs), self.cells] = 1.0
        return seen
