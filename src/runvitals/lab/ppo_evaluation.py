"""How well a policy of PPO does: episodes played apart from training, and the final score."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from runvitals.lab.contract import HEALTHY, Sickness
from runvitals.lab.envs.grid import CoinGrid
from runvitals.lab.envs.making import make_env
from runvitals.lab.measures import spread
from runvitals.lab.ppo_parts import Normalizer, Policy
from runvitals.lab.ppo_settings import PPOConfig
from runvitals.lab.ppo_world import World


class PolicyEvaluation(NamedTuple):
    """What the policy does in new episodes."""

    metrics: dict[str, float]
    episode: dict[str, Any]  # the first of them
    story: str


def score(
    policy: Policy, normalizer: Normalizer, config: PPOConfig, rng: np.random.Generator
) -> float:
    """How well the task itself has been learned, of which no fault has changed anything.

    The policy acts as it was trained to, at random; the score is the mean return, or the success
    rate where there is a goal to be found.
    """
    plain = make_env(config.env, config.score_episodes, rng)
    world = World(plain, HEALTHY, rng)
    found = play(policy, normalizer, world, rng).metrics
    return found["eval/success_rate" if isinstance(plain, CoinGrid) else "eval/return_mean"]


def evaluate(
    policy: Policy,
    normalizer: Normalizer,
    config: PPOConfig,
    rng: np.random.Generator,
    sick: Sickness = HEALTHY,
) -> PolicyEvaluation:
    """Play `eval_episodes` episodes greedily, through the same wrappers as in training."""
    env = make_env(config.env, config.eval_episodes, rng, **config.env_options)
    return play(policy, normalizer, World(env, sick, rng, config.reward_noise))


def play(
    policy: Policy, normalizer: Normalizer, world: World, dice: np.random.Generator | None = None
) -> PolicyEvaluation:
    """One episode in each environment: at random with `dice`, else by the favourite action."""
    env = world.env
    observations = world.reset()
    alive = np.ones(env.num_envs, np.bool_)
    succeeded = np.zeros(env.num_envs, np.bool_)
    returns = np.zeros(env.num_envs)
    lengths = np.zeros(env.num_envs, np.int64)
    trace: list[Any] = []  # actions of the first environment
    ending = "time limit"
    while alive.any():
        choice = policy(normalizer.observations(observations), world.mask())
        actions = choice.mode() if dice is None else choice.sample(dice)
        taken = world.step(actions, observations)
        returns += taken.rewards * alive
        lengths += alive
        succeeded |= taken.succeeded & alive
        if alive[0]:
            trace.append(actions[0])
            if taken.terminated[0]:
                ending = "success" if taken.succeeded[0] else "failure"
        alive &= ~(taken.terminated | taken.truncated)
        observations = taken.observations

    episode: dict[str, Any] = {
        "return": float(returns[0]),
        "length": int(lengths[0]),
        "ending": ending,
    }
    if policy.discrete:
        shares = np.bincount(trace, minlength=env.num_actions) / len(trace)
        episode["action_shares"] = [round(float(share), 3) for share in shares]
        acted = "actions " + " ".join(f"{share:.0%}" for share in shares)
    else:
        episode["action_mean"] = round(float(np.mean(trace)), 3)
        acted = f"mean action {np.mean(trace):.2f}"
    story = f"{lengths[0]} steps, then {ending}; return {returns[0]:.1f}, {acted}"
    metrics = {
        **spread("eval/return_", returns, "mean std min"),
        "eval/success_rate": float(succeeded.mean()),
        "eval/episode_length_mean": float(lengths.mean()),
    }
    return PolicyEvaluation(metrics, episode, story)
