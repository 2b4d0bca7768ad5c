from typing import Any

import numpy as np
import pytest

from runvitals.lab.envs.base import FILES, make_env
from runvitals.lab.envs.grid import (
    AFTER,
    COIN_CELL,
    DISTANCE,
    GOAL_CELL,
    MAX_STEPS,
    STARTS,
    STEP_COST,
    CoinGrid,
)
from runvitals.model import ConfigError

UP, RIGHT, DOWN, LEFT = range(4)
COIN = "reward/component_mean{component=coin}"


def grid(count: int = 1, **options: Any) -> CoinGrid:
    env = CoinGrid(count, np.random.default_rng(0), **options)
    env.reset()
    return env


def put(env: CoinGrid, cell: int) -> None:
    env.cells[:] = cell


def shortest_way(cell: int) -> list[int]:
    actions = []
    while cell != GOAL_CELL:
        action = int(np.argmin(np.where(AFTER[cell] == cell, 99, DISTANCE[AFTER[cell]])))
        actions.append(action)
        cell = AFTER[cell, action]
    return actions


@pytest.mark.parametrize("start", STARTS.tolist())
def test_the_shortest_way_leads_to_the_goal_and_its_reward(start: int) -> None:
    env = grid()
    put(env, start)

    steps = [env.step(np.array([action])) for action in shortest_way(start)]

    assert len(steps) == DISTANCE[start] <= 10
    assert [bool(step.terminated[0]) for step in steps] == [False] * (len(steps) - 1) + [True]
    assert bool(steps[-1].succeeded[0])
    assert steps[-1].rewards[0] == pytest.approx(1.0 - STEP_COST)
    assert steps[0].rewards[0] == pytest.approx(-STEP_COST)
    assert steps[-1].extras["outcome/distance_to_goal"][0] == 0
    assert not steps[-1].extras["outcome/collision_rate"][0]


def test_a_move_into_a_wall_leads_nowhere_and_counts_as_a_collision() -> None:
    env = grid()
    put(env, 0)

    step = env.step(np.array([UP]))

    assert env.cells[0] == 0
    assert step.extras["outcome/collision_rate"][0]
    assert env.step(np.array([RIGHT])).extras["outcome/collision_rate"][0]  # of this episode


def test_an_episode_is_cut_off_at_the_limit_and_a_new_one_begins() -> None:
    env = grid(3)

    for _ in range(MAX_STEPS):
        put(env, 0)
        step = env.step(np.full(3, UP))

    assert step.truncated.all()
    assert not step.terminated.any()
    assert not step.succeeded.any()
    assert step.final_observations.argmax(axis=1).tolist() == [0, 0, 0]
    assert set(step.observations.argmax(axis=1)) <= set(STARTS)
    assert env.lengths.tolist() == [0, 0, 0]
    assert not env.collided.any()


def test_a_coin_pays_each_time_its_tile_is_entered_and_not_for_waiting_on_it() -> None:
    env = grid(coin=0.3)
    put(env, COIN_CELL)

    paid = [float(env.step(np.array([move])).extras[COIN][0]) for move in (UP, LEFT, RIGHT, UP)]

    assert paid == pytest.approx([0.0, 0.0, 0.3, 0.0])


def test_without_a_coin_there_is_none_in_the_reward() -> None:
    env = grid()
    put(env, COIN_CELL - 1)

    step = env.step(np.array([RIGHT]))

    assert COIN not in step.extras
    assert step.rewards[0] == pytest.approx(-STEP_COST)


def test_the_parts_of_the_reward_add_up() -> None:
    env = grid(16, coin=0.5)
    rng = np.random.default_rng(1)

    for _ in range(200):
        step = env.step(rng.integers(0, 4, 16))
        parts = [part for name, part in step.extras.items() if name.startswith("reward/")]
        np.testing.assert_allclose(step.rewards, np.sum(parts, axis=0), atol=1e-6)


def test_walking_at_random_finds_the_goal_now_and_then() -> None:
    env = grid(64)
    rng = np.random.default_rng(2)

    steps = [env.step(rng.integers(0, 4, 64)) for _ in range(400)]

    ended = sum(int((step.terminated | step.truncated).sum()) for step in steps)
    assert 0.02 < sum(int(step.succeeded.sum()) for step in steps) / ended < 0.15


@pytest.mark.parametrize("name", FILES)
def test_environments_are_made_by_name(name: str) -> None:
    env = make_env(name, 3, np.random.default_rng(0))

    first = env.reset()
    actions = np.zeros(3, np.int64) if env.num_actions else np.zeros((3, env.action_size))

    assert env.name == name
    assert first.shape == (3, env.observation_size)
    assert env.step(actions).rewards.shape == (3,)


@pytest.mark.parametrize("name", FILES)
def test_an_environment_can_be_given_another_step_limit(name: str) -> None:
    env = make_env(name, 2, np.random.default_rng(0))
    env.reset()
    actions = np.zeros(2, np.int64) if env.num_actions else np.zeros((2, env.action_size))

    env.max_steps = 3

    assert [env.step(actions).truncated.all() for _ in range(3)] == [False, False, True]


def test_an_unknown_environment_is_refused_with_the_choices() -> None:
    with pytest.raises(ConfigError, match="CoinGrid-v0"):
        make_env("Doom", 1, np.random.default_rng(0))
