import numpy as np
import pytest

from runvitals.lab.envs.cartpole import MAX_ANGLE, MAX_STEPS, CartPole, physics


def started(*states: list[float]) -> CartPole:
    env = CartPole(len(states), np.random.default_rng(0))
    env.reset()
    env.state = np.array(states).T
    return env


def balance(state: np.ndarray) -> np.ndarray:
    """A hand-written policy that never falls: lean against where the pole is going."""
    x, x_dot, theta, theta_dot = state
    return (0.1 * x + 0.5 * x_dot + 10 * theta + 3 * theta_dot > 0).astype(np.int64)


def test_a_push_from_rest_moves_cart_and_pole_as_the_equations_say() -> None:
    # push = 10 / 1.1; angular acceleration = -push / (0.5 * (4/3 - 0.1/1.1)) = -600/41;
    # acceleration = push + 0.05 * 600/41 / 1.1 = 400/41; all times 0.02 seconds
    after = physics(np.zeros((4, 2)), np.array([1, 0]))

    np.testing.assert_allclose(after[:, 0], [0, 8 / 41, 0, -12 / 41], rtol=1e-14)
    np.testing.assert_allclose(after[:, 1], [0, -8 / 41, 0, 12 / 41], rtol=1e-14)


def test_two_steps_from_a_leaning_start_agree_with_gymnasium() -> None:
    env = started([0.1, -0.2, 0.05, 0.3])

    env.step(np.array([0]))
    one = env.state[:, 0].copy()
    env.step(np.array([1]))

    # as Gymnasium 1.4 gives them
    np.testing.assert_allclose(one, [0.096, -0.3957976546439626, 0.056, 0.6080233136061515])
    np.testing.assert_allclose(
        env.state[:, 0],
        [0.08808404690712075, -0.20150149737148554, 0.06816046627212304, 0.33349133901171724],
    )


def test_a_fall_terminates_and_starts_anew() -> None:
    env = started([0, 0, MAX_ANGLE, 1.0], [2.4, 1.0, 0, 0], [0, 0, 0, 0])

    step = env.step(np.array([1, 1, 1]))

    assert step.terminated.tolist() == [True, True, False]
    assert not step.truncated.any()
    assert step.rewards.tolist() == [1.0, 1.0, 1.0]
    assert step.final_observations[0, 2] > MAX_ANGLE
    assert step.final_observations[1, 0] > 2.4
    assert np.abs(step.observations[:2]).max() <= 0.05
    assert step.observations[2].tolist() == step.final_observations[2].tolist()
    assert env.lengths.tolist() == [0, 0, 1]


def test_the_step_limit_truncates_without_terminating() -> None:
    env = CartPole(3, np.random.default_rng(1))
    env.reset()

    for _ in range(MAX_STEPS - 1):
        step = env.step(balance(env.state))
        assert not (step.terminated | step.truncated).any()
    step = env.step(balance(env.state))

    assert step.truncated.all()
    assert not step.terminated.any()
    assert env.lengths.tolist() == [0, 0, 0]


def test_episodes_start_near_rest_and_follow_the_seed() -> None:
    first, again, other = (CartPole(50, np.random.default_rng(s)).reset() for s in (7, 7, 8))

    assert np.abs(first).max() <= 0.05
    assert np.abs(first).max() > 0.04
    assert (first == again).all()
    assert (first != other).any()


def test_whole_episodes_agree_with_gymnasium() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    theirs = gymnasium.make("CartPole-v1")
    rng = np.random.default_rng(2)
    for episode in range(20):
        theirs.reset(seed=episode)
        env = started(list(theirs.unwrapped.state))
        done = False
        while not done:
            action = balance(env.state) if episode % 2 else rng.integers(0, 2, 1)
            observation, reward, terminated, truncated, _ = theirs.step(int(action[0]))
            step = env.step(action)
            np.testing.assert_array_equal(step.final_observations[0], observation)
            assert step.rewards[0] == reward
            assert (step.terminated[0], step.truncated[0]) == (terminated, truncated)
            done = terminated or truncated
