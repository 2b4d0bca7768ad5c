import math

import numpy as np
import pytest

from runvitals.lab.envs.acrobot import MAX_SPEEDS, MAX_STEPS, Acrobot, physics


def started(*states: list[float]) -> Acrobot:
    env = Acrobot(len(states), np.random.default_rng(0))
    env.reset()
    env.state = np.array(states, np.float64).T
    return env


def pump(state: np.ndarray) -> np.ndarray:
    """A hand-written policy that swings up: push the way the second link is going."""
    return np.where(state[3] > 0, 2, 0)


def test_hanging_at_rest_it_stays_where_it_is() -> None:
    after = physics(np.zeros((4, 1)), np.array([1]))

    np.testing.assert_array_equal(after, np.zeros((4, 1)))


def test_opposite_torques_from_rest_give_mirrored_motion() -> None:
    after = physics(np.zeros((4, 2)), np.array([0, 2]))

    np.testing.assert_array_equal(after[:, 0], -after[:, 1])
    assert after[1, 1] > 0 > after[0, 1]  # the inner link is pushed back


def test_speeds_are_bounded_and_angles_stay_within_half_a_turn() -> None:
    rng = np.random.default_rng(3)
    state = np.stack([rng.uniform(-s, s, 500) for s in (math.pi, math.pi, 40.0, 60.0)])

    after = physics(state, rng.integers(0, 3, 500))

    assert np.abs(after[:2]).max() <= math.pi
    assert (np.abs(after[2:]) <= MAX_SPEEDS).all()
    assert (np.abs(after[2:]).max(axis=1) == MAX_SPEEDS[:, 0]).all()


def test_getting_above_the_line_ends_the_episode_as_a_success_and_costs_nothing() -> None:
    env = started([3.0, 0.1, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0])

    step = env.step(np.array([1, 1]))

    assert step.terminated.tolist() == step.succeeded.tolist() == [True, False]
    assert step.rewards.tolist() == [0.0, -1.0]
    assert not step.truncated.any()
    assert step.final_observations[0, 0] < -0.9
    assert step.observations[0, 0] > 0.99
    assert step.observations[1].tolist() == step.final_observations[1].tolist()
    assert env.lengths.tolist() == [0, 1]


def test_the_step_limit_truncates_without_success() -> None:
    env = Acrobot(3, np.random.default_rng(1))
    env.reset()

    for _ in range(MAX_STEPS - 1):
        step = env.step(np.ones(3, np.int64))
        assert not (step.terminated | step.truncated).any()
    step = env.step(np.ones(3, np.int64))

    assert step.truncated.all()
    assert not (step.terminated | step.succeeded).any()
    assert env.lengths.tolist() == [0, 0, 0]


def test_episodes_start_hanging_and_follow_the_seed() -> None:
    envs = [Acrobot(50, np.random.default_rng(s)) for s in (7, 7, 8)]
    first, again, other = (env.reset() for env in envs)

    assert np.abs(envs[0].state).max() <= 0.1
    assert np.abs(envs[0].state).max() > 0.09
    assert (first == again).all()
    assert (first != other).any()


def test_whole_episodes_agree_with_gymnasium() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    theirs = gymnasium.make("Acrobot-v1")
    rng = np.random.default_rng(2)
    successes = 0
    for episode in range(8):
        theirs.reset(seed=episode)
        env = started(list(theirs.unwrapped.state))
        done = False
        while not done:
            action = pump(env.state) if episode % 2 else rng.integers(0, 3, 1)
            observation, reward, terminated, truncated, _ = theirs.step(int(action[0]))
            step = env.step(action)
            np.testing.assert_allclose(step.final_observations[0], observation, atol=1e-5)
            assert step.rewards[0] == reward
            assert (step.terminated[0], step.truncated[0]) == (terminated, truncated)
            done = terminated or truncated
        successes += int(step.succeeded[0])
    assert 4 <= successes < 8
