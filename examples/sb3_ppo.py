"""Stable-Baselines3: one callback records what SB3 logs, and what it does not."""

from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

from runvitals.integrations.sb3 import RunvitalsCallback

env = make_vec_env("CartPole-v1", 8, seed=0)
model = PPO("MlpPolicy", env, n_steps=64, batch_size=128, seed=0, device="cpu")
model.learn(8_000, callback=RunvitalsCallback(stop_on="critical"))
