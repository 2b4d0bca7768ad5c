import math

import numpy as np
import pytest

from runvitals.lab.envs.pendulum import MAX_SPEED, MAX_STEPS, SUCCESS_RETURN, Pendulum, physics


def started(*states: list[float]) -> Pendulum:
    env = Pendulum(len(states), np.random.default_rng(0))
    env.reset()
    env.state = np.array(states, np.float64).T
    return env


def swing_up(state: np.ndarray) -> np.ndarray:
    """A hand-written policy: gather energy below, catch and hold above."""
    theta, speed = (state[0] + math.pi) % (2 * math.pi) - math.pi, state[1]
    energy = np.square(speed) / 2 + 15.0 * (np.cos(theta) - 1.0)  # 0 where it just gets up
    pump = np.where(energy < 0, np.sign(speed), -np.sign(speed))
    hold = -10.0 * theta - 3.0 * speed
    return np.clip(np.where(np.abs(theta) < 0.4, hold, pump), -1.0, 1.0)[:, None]


def test_a_torque_from_upright_turns_it_as_the_equations_say() -> None:
    after = physics(np.zeros((2, 2)), np.array([1.0, -2.0]))

    np.testing.assert_allclose(after, [[0.0075, -0.015], [0.15, -0.3]], rtol=1e-14)


def test_the_reward_counts_angle_speed_and_torque_before_the_step() -> None:
    env = started([math.pi / 2, 2.0], [2 * math.pi - 0.5, 0.0], [0.0, 0.0])

    step = env.step(np.array([[1.0], [0.0], [7.0]]))

    expected = [-(math.pi**2 / 4 + 0.4 + 0.004), -0.25, -0.004]  # 7 is cut to the full torque
    np.testing.assert_allclose(step.rewards, expected, rtol=1e-6)


def test_the_speed_is_bounded() -> None:
    env = started([math.pi / 2, 7.9], [-math.pi / 2, -7.9])

    env.step(np.array([[1.0], [-1.0]]))

    assert env.state[1].tolist() == [MAX_SPEED, -MAX_SPEED]


def test_only_the_step_limit_ends_an_episode_and_a_good_return_is_a_success() -> None:
    env = started([0.0, 0.0], [math.pi, 0.0], [math.pi - 1.0, 0.0])

    for t in range(MAX_STEPS):
        actions = swing_up(env.state)
        actions[1] = 0.0  # hangs all the time
        step = env.step(actions)
        assert step.truncated.all() == (t == MAX_STEPS - 1)
        assert not step.terminated.any()

    assert step.succeeded.tolist() == [True, False, True]
    assert step.final_observations[0, 0] > 0.99
    assert (step.observations != step.final_observations).any()
    assert env.lengths.tolist() == [0, 0, 0]


def test_success_is_counted_per_episode() -> None:
    env = started([math.pi, 0.0])
    for _ in range(MAX_STEPS):
        step = env.step(np.zeros((1, 1)))
    assert not step.succeeded[0]

    env.state = np.zeros((2, 1))
    for _ in range(MAX_STEPS):
        step = env.step(swing_up(env.state))

    assert step.succeeded[0]


def test_a_policy_that_swings_up_and_holds_nearly_always_succeeds() -> None:
    env = Pendulum(200, np.random.default_rng(4))
    env.reset()
    returns = np.zeros(200)

    for _ in range(MAX_STEPS):
        step = env.step(swing_up(env.state))
        returns += step.rewards

    assert (step.succeeded == (returns > SUCCESS_RETURN)).all()
    assert step.succeeded.mean() > 0.6


def test_episodes_start_anywhere_and_follow_the_seed() -> None:
    envs = [Pendulum(200, np.random.default_rng(s)) for s in (7, 7, 8)]
    first, again, other = (env.reset() for env in envs)

    assert 3.0 < np.abs(envs[0].state[0]).max() <= math.pi
    assert 0.95 < np.abs(envs[0].state[1]).max() <= 1.0
    assert (first == again).all()
    assert (first != other).any()


def test_whole_episodes_agree_with_gymnasium() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    theirs = gymnasium.make("Pendulum-v1")
    rng = np.random.default_rng(2)
    for episode in range(10):
        theirs.reset(seed=episode)
        env = started(list(theirs.unwrapped.state))
        done = False
        while not done:
            action = swing_up(env.state) if episode % 2 else rng.uniform(-1.2, 1.2, (1, 1))
            observation, reward, terminated, truncated, _ = theirs.step(2.0 * action[0])
            step = env.step(action)
            np.testing.assert_allclose(step.final_observations[0], observation, atol=1e-5)
            assert step.rewards[0] == pytest.approx(reward, abs=1e-5)
            assert (step.terminated[0], step.truncated[0]) == (terminated, truncated)
            done = terminated or truncated
