"""RLlib, new API stack: a callback in the algorithm's config."""

import ray
from ray.rllib.algorithms.ppo import PPOConfig

import runvitals as rv
from runvitals.integrations.rllib import RunvitalsCallback

ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
config = (
    PPOConfig()
    .environment("CartPole-v1")
    .env_runners(num_env_runners=0)
    .training(train_batch_size_per_learner=256, minibatch_size=128, num_epochs=2, lr=3e-4)
    .callbacks(RunvitalsCallback.with_options(stop_on="critical"))
)
algorithm = config.build_algo()
for _ in range(2):
    if algorithm.train().get("done"):
        break
algorithm.stop()
rv.finish()
