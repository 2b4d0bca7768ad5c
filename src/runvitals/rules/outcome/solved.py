"""The mean return at which Gymnasium calls a task solved."""

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
