import numpy as np

from runvitals.lab.envs.pendulum import Pendulum
from runvitals.lab.off_policy import Replay
from runvitals.lab.sac import SACBatch, SACConfig, SACNetworks, update


def test_the_update_follows_the_gradient_of_the_losses() -> None:
    rng = np.random.default_rng(0)
    config = SACConfig(value_learning_rate=3e-3)
    learner = SACNetworks(Pendulum(1, rng), config, rng)
    batch = SACBatch(
        rng.normal(size=(16, 3)).astype(np.float32),
        rng.uniform(-1, 1, (16, 1)).astype(np.float32),
        rng.normal(size=16).astype(np.float32),
        rng.normal(size=(16, 3)).astype(np.float32),
        np.ones(16, np.bool_),  # nothing to bootstrap from: the rewards are the goals
    )

    losses = [update(learner, batch, config, rng)["value/loss"] for _ in range(600)]

    assert losses[-1] < 0.3 * losses[0]


def test_the_temperature_rises_while_the_entropy_is_below_its_target() -> None:
    rng = np.random.default_rng(1)
    for target, rises in ((5.0, True), (-5.0, False)):
        config = SACConfig(target_entropy=target)
        learner = SACNetworks(Pendulum(1, rng), config, rng)
        zeros = np.zeros((16, 3), np.float32)
        steps = SACBatch(zeros, zeros[:, :1], zeros[:, 0], zeros, zeros[:, 0] > 0)
        buffer = Replay(16, steps)
        buffer.add(steps)

        for _ in range(20):
            update(learner, buffer.sample(16, rng), config, rng)

        assert (learner.temperature(config) > config.temperature) == rises
