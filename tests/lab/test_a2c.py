import numpy as np
import pytest
from tests.lab.slopes import slope_at

from runvitals.lab.a2c import A2CConfig, ActorCritic, n_step_returns, update
from runvitals.lab.nn import MLP, Adam
from runvitals.lab.on_policy import RolloutBatch


def test_returns_stop_at_terminal_states_and_bootstrap_at_the_step_limit() -> None:
    rewards = np.ones((3, 3), np.float32)
    terminated = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]], np.bool_)
    truncated = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]], np.bool_)

    returns = n_step_returns(
        rewards,
        np.full(3, 8.0, np.float32),
        terminated=terminated,
        truncated=truncated,
        final_values=np.full((3, 3), 4.0, np.float32),
        gamma=0.5,
    )

    assert returns[:, 0].tolist() == [1.5, 1.0, 5.0]
    assert returns[:, 1].tolist() == [2.5, 3.0, 5.0]
    assert returns[:, 2].tolist() == [2.75, 3.5, 5.0]


def learner_of(rng: np.random.Generator) -> ActorCritic:
    policy = MLP([4, 6, 3], rng, dtype=np.float64)
    critic = MLP([4, 6, 1], rng, dtype=np.float64)
    return ActorCritic(policy, critic, Adam([policy.params]), Adam([critic.params]))


def test_the_gradient_of_the_loss_agrees_with_finite_differences() -> None:
    rng = np.random.default_rng(0)
    learner = learner_of(rng)
    observations = rng.normal(size=(10, 4))
    batch = RolloutBatch(
        observations,
        rng.integers(0, 3, 10),
        np.zeros(10),
        np.zeros(10),
        np.zeros(10),
        rng.normal(size=10),
        rng.normal(size=10),
    )
    config = A2CConfig(entropy_coef=0.1, max_grad_norm=None)

    def loss() -> float:
        return update(learner, batch, config, share=0.0)["optim/loss"]

    loss()
    for network in (learner.policy, learner.critic):
        found = network.grads.copy()
        for i in range(len(network.params)):
            assert found[i] == pytest.approx(slope_at(loss, network.params, i), abs=1e-6)
