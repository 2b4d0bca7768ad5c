"""Agents: Stable-Baselines3, RLlib, and a small GRPO with veRL's advantages and its `Tracking`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

Adapter = dict[str, Any]
Change = Callable[[Any], None]  # a fault put into a network

DEFAULTS: dict[str, dict[str, Any]] = {
    "PPO": {"n_steps": 64, "batch_size": 128, "n_epochs": 6, "learning_rate": 1e-3},
    "DQN": {
        "learning_rate": 1e-3,
        "learning_starts": 500,
        "target_update_interval": 200,
        "batch_size": 64,
        "exploration_fraction": 0.3,
    },
    "SAC": {
        "learning_rate": 3e-3,
        "learning_starts": 300,
        "batch_size": 64,
        "policy_kwargs": {"net_arch": [32, 32]},
    },
}
ENVIRONMENTS = {"PPO": "CartPole-v1", "DQN": "CartPole-v1", "SAC": "Pendulum-v1"}
ENVIRONMENTS_AT_ONCE = {"PPO": 8}
LOGGED = {"DQN": 4}  # episodes; SAC's are long


def agent(
    folder: Path,
    adapter: Adapter,
    *,
    kind: str = "PPO",
    steps: int = 16_384,
    change: Change = lambda _: None,
    **settings: Any,
) -> int:
    """An agent of Stable-Baselines3."""
    import stable_baselines3
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.logger import configure

    from runvitals.integrations.sb3 import RunvitalsCallback

    envs = make_vec_env(ENVIRONMENTS[kind], ENVIRONMENTS_AT_ONCE.get(kind, 1), seed=0)
    chosen = {**DEFAULTS[kind], "seed": 0, "device": "cpu", **settings}
    model = getattr(stable_baselines3, kind)("MlpPolicy", envs, **chosen)
    change(model.policy)
    model.set_logger(configure(str(folder / "log"), ["csv"]))
    model.learn(steps, callback=RunvitalsCallback(**adapter), log_interval=LOGGED.get(kind, 1))
    return int(model.num_timesteps) // envs.num_envs


def forgotten_actor(policy: Any) -> None:
    """The optimizer does not know the layers that choose the action."""
    known = [*policy.mlp_extractor.value_net.parameters(), *policy.value_net.parameters()]
    policy.optimizer = type(policy.optimizer)(known, lr=3e-4)


def saturated_units(policy: Any) -> None:
    """All units of the actor's last hidden layer are saturated from the start."""
    with torch.no_grad():
        policy.mlp_extractor.policy_net[2].bias.fill_(50.0)


def forgotten_first_layer(policy: Any) -> None:
    """The optimizer knows the last layer of the Q-network alone."""
    policy.optimizer = type(policy.optimizer)(policy.q_net.q_net[-1].parameters(), lr=1e-3)


def forgotten_critic(policy: Any) -> None:
    """The optimizer of the critic knows one of the two Q-networks only."""
    known = policy.critic.q_networks[0].parameters()
    policy.critic.optimizer = type(policy.critic.optimizer)(known, lr=3e-3)


def rllib(folder: Path, adapter: Adapter, *, iterations: int = 24, rate: float = 1e-3) -> int:
    """PPO of RLlib on CartPole, all in this process; it ends once a result says that it is done."""
    import ray
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.tune.utils.util import SafeFallbackEncoder

    import runvitals as rv
    from runvitals.integrations.rllib import RunvitalsCallback

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    config = (
        PPOConfig()
        .environment("CartPole-v1")
        .env_runners(num_env_runners=0, num_envs_per_env_runner=4)
        .training(
            train_batch_size_per_learner=512, minibatch_size=128, num_epochs=6, lr=rate, gamma=0.99
        )
        .debugging(seed=0)
        .callbacks(RunvitalsCallback.with_options(**adapter))
    )
    log = folder / "log"
    log.mkdir(parents=True)
    algorithm = config.build_algo()
    done = 0
    with (log / "result.json").open("w") as file:  # as Ray Tune writes it
        for _ in range(iterations):
            done += 1
            result = algorithm.train()
            print(json.dumps(result, cls=SafeFallbackEncoder), file=file)
            if result.get("done"):
                break
    algorithm.stop()
    rv.finish()
    return done


WORDS, LENGTH, GROUP, PROMPTS = 12, 8, 8, 8


def verl(
    folder: Path,
    adapter: Adapter,
    *,
    steps: int = 120,
    rate: float = 0.05,
    pays: bool = True,
    sign: float = 1.0,
) -> int:
    """GRPO with veRL's advantages, KL and `Tracking`, for a table that writes words of one letter.

    veRL's trainers need a GPU: policy, loss and loop are our own, the names are those of veRL. Without
    `pays` every answer gets the same score; with `sign=-1` the loss is climbed.
    """
    from verl.trainer.ppo.core_algos import compute_grpo_outcome_advantage, kl_penalty
    from verl.utils.tracking import Tracking

    import runvitals as rv
    import runvitals.integrations.verl  # as the entry point of an installation does

    log = folder / "log"
    log.mkdir(parents=True)
    os.environ["VERL_FILE_LOGGER_PATH"] = str(log / "metrics.jsonl")
    config = {
        "algorithm": {"adv_estimator": "grpo", "use_kl_in_reward": False},
        "actor_rollout_ref": {
            "actor": {"optim": {"lr": rate}, "clip_ratio": 0.2, "ppo_epochs": 2},
            "rollout": {"n": GROUP},
        },
        "data": {"train_batch_size": PROMPTS, "max_response_length": LENGTH},
        "trainer": {"total_training_steps": steps, "runvitals": adapter},
    }
    tracking = Tracking("letters", "grpo", ["file", "runvitals"], config)
    torch.manual_seed(0)
    table = torch.zeros(LENGTH, WORDS, requires_grad=True)
    optimizer = torch.optim.Adam([table], lr=rate)
    groups = [str(one) for one in range(PROMPTS) for _ in range(GROUP)]
    mask = torch.ones(len(groups), LENGTH)
    done = 0
    for step in range(1, steps + 1):
        with torch.no_grad():
            chosen = torch.distributions.Categorical(logits=table).sample((len(groups),))
            before = table.log_softmax(-1).expand(len(groups), -1, -1).gather(2, chosen[..., None])
        score = (chosen < 2).float().mean(1) if pays else torch.zeros(len(groups))
        rewards = torch.zeros(len(groups), LENGTH)
        rewards[:, -1] = score
        advantages, _ = compute_grpo_outcome_advantage(rewards, mask, _indices(groups))
        told: dict[str, float] = {}
        for _ in range(2):
            now = table.log_softmax(-1).expand(len(groups), -1, -1).gather(2, chosen[..., None])
            ratio = (now - before).squeeze(-1).exp()
            clipped = ratio.clamp(0.8, 1.2)
            loss = -torch.min(ratio * advantages, clipped * advantages).mean()
            optimizer.zero_grad()
            (sign * loss).backward()
            told = {
                "actor/pg_loss": loss.item(),
                "actor/pg_clipfrac": (ratio * advantages > clipped * advantages)
                .float()
                .mean()
                .item(),
                "actor/ppo_kl": kl_penalty(before, now.detach(), "kl").mean().item(),
                "actor/grad_norm": float(table.grad.norm()),
            }
            optimizer.step()
        probabilities = table.detach().softmax(-1)
        told |= {
            "critic/score/mean": score.mean().item(),
            "critic/score/max": score.max().item(),
            "critic/score/min": score.min().item(),
            "critic/rewards/mean": score.mean().item(),
            "critic/advantages/mean": advantages.mean().item(),
            "critic/advantages/max": advantages.max().item(),
            "critic/advantages/min": advantages.min().item(),
            "actor/entropy": -(probabilities * probabilities.clamp_min(1e-12).log())
            .sum(-1)
            .mean()
            .item(),
            "actor/lr": rate,
            "response_length/mean": float(LENGTH),
        }
        done = step
        try:
            tracking.log(told, step=step)
        except rv.StopTraining:
            break
    tracking.finish()
    return done


def _indices(groups: list[str]) -> Any:
    import numpy as np

    return np.array(groups, dtype=object)
