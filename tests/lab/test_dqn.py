import numpy as np
import pytest
from tests.lab.slopes import slope_at

from runvitals.lab.dqn import DQNBatch, DQNConfig, Lookahead, Met, exploration, update
from runvitals.lab.nn import MLP, Adam


def a_batch(rng: np.random.Generator, terminated: bool) -> DQNBatch:
    return DQNBatch(
        rng.normal(size=(16, 4)).astype(np.float32),
        rng.integers(0, 2, 16),
        rng.normal(size=16).astype(np.float32),
        rng.normal(size=(16, 4)).astype(np.float32),
        np.full(16, 0.0 if terminated else 0.9, np.float32),
    )


def test_the_network_learns_the_rewards_of_terminal_steps() -> None:
    rng = np.random.default_rng(0)
    network, target = MLP([4, 16, 2], rng), MLP([4, 16, 2], rng)
    optimizer = Adam([network.params])
    batch = a_batch(rng, terminated=True)

    losses = [
        update(network, target, optimizer, batch, DQNConfig(), 1e-2)["value/loss"]
        for _ in range(400)
    ]

    assert losses[-1] < 0.05 * losses[0]


@pytest.mark.parametrize("double", [True, False])
def test_the_target_is_the_reward_and_the_discounted_value_of_the_next_state(double: bool) -> None:
    rng = np.random.default_rng(1)
    network, target = MLP([4, 8, 2], rng), MLP([4, 8, 2], rng)
    batch = a_batch(rng, terminated=False)
    config = DQNConfig(double=double)
    theirs = target(batch.next_observations)
    chosen = (network(batch.next_observations) if double else theirs).argmax(axis=1)
    expected = batch.rewards + 0.9 * theirs[np.arange(16), chosen]
    errors = network(batch.observations)[np.arange(16), batch.actions] - expected

    metrics = update(network, target, Adam([network.params]), batch, config, 1e-3)

    assert metrics["value/q_target_mean"] == pytest.approx(expected.mean(), rel=1e-4)
    assert metrics["value/td_error"] == pytest.approx(np.abs(errors).mean(), rel=1e-4)


def test_the_gradient_of_the_huber_loss_agrees_with_finite_differences() -> None:
    rng = np.random.default_rng(2)
    network = MLP([4, 5, 2], rng, dtype=np.float64)
    batch = a_batch(rng, terminated=True)
    frozen = Adam([np.zeros_like(network.params)])
    config = DQNConfig(huber_delta=0.7, max_grad_norm=1e9)

    def loss() -> float:
        return update(network, network, frozen, batch, config, 0.0)["value/loss"]

    loss()
    found = network.grads.copy()
    for i in range(len(network.params)):
        assert found[i] == pytest.approx(slope_at(loss, network.params, i), abs=1e-6)


def test_epsilon_falls_in_a_straight_line_and_then_stays() -> None:
    config = DQNConfig(exploration_fraction=0.4, exploration_final_eps=0.1)

    found = [exploration(config, progress) for progress in (0.0, 0.2, 0.4, 1.0)]

    assert found == pytest.approx([1.0, 0.55, 0.1, 0.1])


def test_looking_ahead_stops_where_an_episode_ends() -> None:
    ahead = Lookahead(3)
    going, over = np.array([False] * 3), np.array([False, True, True])
    terminated = np.array([False, True, False])  # one goes on, one terminates, one is cut off
    for t in range(3):
        here, there = (np.full((3, 1), x, np.float32) for x in (t, t + 1))
        flags = (terminated, over) if t == 1 else (going, going)
        ahead.add(Met(here, np.full(3, t), np.ones(3, np.float32), there, *flags))

    found = ahead.oldest(gamma=0.5)

    assert ahead.full
    assert found.observations.tolist() == [[0.0]] * 3
    assert found.rewards.tolist() == [1.75, 1.5, 1.5]
    assert found.next_observations[[0, 2]].tolist() == [[3.0], [2.0]]
    assert found.discounts.tolist() == [0.125, 0.0, 0.25]
