"""The mean return at which Gymnasium calls a task solved, and what its returns can be at all."""

SOLVED_AT = {
    "CartPole-v0": 195.0,
    "CartPole-v1": 475.0,
    "MountainCar-v0": -110.0,
    "MountainCarContinuous-v0": 90.0,
    "Acrobot-v1": -100.0,
    "LunarLander-v2": 200.0,
    "LunarLander-v3": 200.0,
    "LunarLanderContinuous-v2": 200.0,
    "LunarLanderContinuous-v3": 200.0,
    "BipedalWalker-v3": 300.0,
    "BipedalWalkerHardcore-v3": 300.0,
    "CarRacing-v2": 900.0,
    "CarRacing-v3": 900.0,
    "FrozenLake-v1": 0.7,
    "FrozenLake8x8-v1": 0.85,
    "Taxi-v3": 8.0,
}

# Least and most, from reward per step and step limit; outside, the reward is not the task's own.
RETURNS = {
    "CartPole-v0": (0.0, 200.0),
    "CartPole-v1": (0.0, 500.0),
    "MountainCar-v0": (-200.0, 0.0),
    "Acrobot-v1": (-500.0, 0.0),
    "FrozenLake-v1": (0.0, 1.0),
    "FrozenLake8x8-v1": (0.0, 1.0),
    "Taxi-v3": (-2000.0, 20.0),
}
SLACK = 0.1  # of that range: what is behind a running mean is known with some noise (judgement)


def solved_at(task: object, lowest: float, highest: float) -> float | None:
    """The mark of a task, if returns from the lowest to the highest can be its own.

    >>> solved_at("CartPole-v1", 9.0, 500.0), solved_at("CartPole-v1", 9e4, 5e6)
    (475.0, None)
    """
    if not isinstance(task, str):
        return None
    least, most = RETURNS.get(task, (lowest, highest))
    slack = SLACK * (most - least)
    own = least - slack <= lowest and highest <= most + slack
    return SOLVED_AT.get(task) if own else None
