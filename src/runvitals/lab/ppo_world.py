"""The environments as PPO meets them, with what can go wrong in them, and playing in them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import HEALTHY, LATE, Sickness
from runvitals.lab.envs.base import Env, Step, make_env
from runvitals.lab.envs.grid import CoinGrid
from runvitals.lab.measures import spread
from runvitals.lab.nn import Array
from runvitals.lab.ppo_faults import GLITCH_AT
from runvitals.lab.ppo_parts import Mask, Normalizer, Policy
from runvitals.lab.ppo_settings import PPOConfig


class World:
    """The environments, and around them the wrappers in which things go wrong."""

    def __init__(
        self, env: Env, sick: Sickness, rng: np.random.Generator, reward_noise: float = 0.0
    ) -> None:
        self.env = env
        self._limit = env.max_steps
        self._noise = reward_noise
        self.sick = sick
        self._struck = False  # by the infinite observation
        self._rng = rng

    def reset(self) -> NDArray[np.float32]:
        """New episodes everywhere; gives what the policy sees of them."""
        first = self.env.reset()
        return self._observations(first, first)

    def glitch(self, observations: NDArray[np.float32]) -> None:
        """Once in a run, and not at its start, one number comes out infinite."""
        if self.sick("inf-observation") and self.sick.progress >= GLITCH_AT and not self._struck:
            self._struck = True
            observations[0, 0] = np.inf

    def mask(self) -> Mask:
        """Which actions are allowed now; None: all of them."""
        if not (share := self.sick("mask-one-action")):
            return None
        allowed = np.ones((self.env.num_envs, self.env.num_actions), np.bool_)
        allowed[self._rng.random(len(allowed)) < share, 1:] = False
        return allowed

    def step(self, actions: NDArray[Any], before: NDArray[np.float32]) -> Step:
        """One step in each environment; `before` is what the policy saw."""
        sick, env, rng = self.sick, self.env, self._rng
        if share := sick("episode-cap"):
            env.max_steps = max(5, round(share * self._limit))
        coin = sick("coin-farming") or sick("coin-farming-unseen")
        if coin and isinstance(env, CoinGrid):
            env.coin = coin
        if (share := sick("dynamics-flip")) and sick.progress >= LATE:
            other = env.num_actions - 1 - actions if env.num_actions else -actions
            chosen = rng.random(len(actions)) < share
            actions = np.where(chosen.reshape(-1, *[1] * (actions.ndim - 1)), other, actions)
        taken = env.step(actions)
        return taken._replace(
            rewards=self._rewards(taken.rewards),
            observations=self._observations(taken.observations, before, taken),
            final_observations=self._observations(taken.final_observations, before),
        )

    def _rewards(self, rewards: Array) -> NDArray[np.float32]:
        sick = self.sick
        if self._noise:
            rewards = rewards + self._noise * self._rng.standard_normal(len(rewards))
        if factor := sick("reward-scale") or sick("advantages-raw"):
            rewards = factor * rewards
        if sick("reward-sign"):
            rewards = -rewards
        if sick("reward-constant"):
            rewards = np.zeros_like(rewards)
        if times := sick("reward-noise"):
            noise = self._rng.standard_normal(len(rewards))
            rewards = rewards + times * np.abs(rewards).mean() * noise
        return rewards.astype(np.float32)

    def _observations(
        self,
        observations: NDArray[np.float32],
        before: NDArray[np.float32],
        taken: Step | None = None,
    ) -> NDArray[np.float32]:
        sick = self.sick
        if share := sick("observations-zero"):
            lost = self._rng.random(len(observations)) < share
            observations = np.where(lost[:, None], np.float32(0.0), observations)
        if share := sick("observations-frozen"):
            stuck = self._rng.random(len(observations)) < share
            if taken is not None:  # a new episode begins with an observation of its own
                stuck &= ~(taken.terminated | taken.truncated)
            observations = np.where(stuck[:, None], before, observations)
        if factor := sick("observations-scale"):
            observations = np.float32(factor) * observations
        return observations


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
