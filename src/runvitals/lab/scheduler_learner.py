"""What the PPO scheduler consists of: its settings, its networks and controllers, its reward."""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.envs import cluster as routing
from runvitals.lab.envs.cluster import FILLING, Cluster, Router, Workload
from runvitals.lab.nn import MLP, Adam, Array, Categorical, Integers, RunningNorm, generators
from runvitals.lab.temperature import EntropyRegulator, StepRegulator, TemperatureController
from runvitals.model import ConfigError
from runvitals.model.atomic import take_name

HALF_DONE = ".part"  # ending of a checkpoint that is being written
COUNTS = (  # settings of which there has to be one at least
    "chunks", "updates_per_chunk", "num_clusters", "rollout_steps", "epochs", "minibatches",
    "warm_start_rollouts", "eval_every", "spike_batch_factor",
)  # fmt: skip
# parts of the learner whose arrays are all kept
REMEMBERING = ("cluster", "rewarder", "normaliser")
Checkpoint: TypeAlias = Mapping[str, NDArray[Any]]
TEACHERS: Mapping[str, Router] = {
    "shortest-queue": routing.shortest_queue,
    "least-wait": routing.least_wait,
    "first-replica": routing.first_replica,
}


@dataclass(frozen=True)
class SchedulerConfig:
    """All that decides how a run goes. Steps are routed requests, over all clusters."""

    seed: int = 0
    # the cluster
    speeds: tuple[float, ...] = (0.5, 1.8, 0.7, 1.2)  # of the replicas
    load: float = 0.75  # arrivals as a share of what the cluster can serve
    burst: float = 2.5  # arrivals in a burst, as a multiple of those in calm times
    # how much, in which portions
    chunks: int = 10  # a checkpoint after each
    updates_per_chunk: int = 10
    num_clusters: int = 64
    rollout_steps: int = 32  # requests per cluster between two updates
    # PPO
    epochs: int = 3
    minibatches: int = 16
    learning_rate: float = 2e-3
    learning_rate_end: float = 0.5  # what is left of it at the end, after a straight line down
    gamma: float = 0.9  # discount; not the reward_gamma below
    gae_lambda: float = 0.9
    clip_ratio: float = 0.1
    value_clip_range: float | None = 0.5
    value_coef: float = 0.5
    max_grad_norm: float = 2.0
    # times its usual level, a gradient norm is a spike; 0: no matter
    grad_spike_factor: float = 3.0
    spike_lr_factor: float = 0.5  # of the learning rate, for each spike
    spike_batch_factor: int = 2  # of the minibatch size, for each spike
    spike_levels: int = 3  # spikes that add up
    spike_recovery: int = 5  # updates without a spike, after which one is forgotten
    target_kl: float = 0.02
    kl_early_stop: bool = True  # an update ends when the KL passes 1.5 times its target
    kl_coef: float = 0.2  # of the KL from the policy that routed; adapted towards target_kl
    kl_coef_min: float = 0.05
    kl_coef_max: float = 10.0
    entropy_coef: float = 0.02
    entropy_min: float = 0.5  # below it the entropy bonus rises
    entropy_coef_max: float = 0.2
    hidden: tuple[int, ...] = (32, 32)
    # the reward: absolute score + delta score - balance penalty
    throughput_weight: float = 0.2
    latency_weight: float = 0.8
    latency_target: float = 8.0  # seconds
    reward_beta: float = 0.1  # for a score that is better than before
    reward_gamma: float = 0.1  # for a score that is worse than before
    balance_weight: float = 0.05
    reward_clip: float = 10.0
    # the temperature of the policy
    base_temperature: float = 1.1
    min_temperature: float = 0.5
    max_temperature: float = 2.0
    qps_sensitivity: float = 0.4
    latency_sensitivity: float = 0.1
    pulse_patience: int = 25  # updates without a better reward
    pulse_updates: int = 3
    pulse_factor: float = 1.6
    # the start
    warm_start: str = "shortest-queue"  # rule to imitate first; "" starts from scratch
    warm_start_rollouts: int = 2  # routed by that rule; they also settle the input statistics
    warm_start_epochs: int = 1
    # looking
    eval_every: int = 4  # updates
    eval_requests: int = 90  # per cluster, of which the first 50 only fill the queues
    final_requests: int = 300  # the same for the score
    checkpoint_dir: str = ""  # where checkpoints go; "": they stay in memory

    @property
    def workload(self) -> Workload:
        """What the cluster is and what comes in."""
        return Workload(speeds=tuple(self.speeds), load=self.load, burst=self.burst)

    @property
    def batch(self) -> int:
        """Requests between two updates."""
        return self.num_clusters * self.rollout_steps

    @property
    def updates(self) -> int:
        """Of the whole run."""
        return self.chunks * self.updates_per_chunk

    def __post_init__(self) -> None:
        for name in COUNTS:
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, got {getattr(self, name)}")
        if min(self.eval_requests, self.final_requests) <= FILLING:
            told = f"eval_requests and final_requests must be more than {FILLING}"
            raise ConfigError(told, hint=f"the first {FILLING} of them only fill the queues")
        if self.batch % self.minibatches:
            raise ConfigError(
                f"{self.batch} requests do not split into {self.minibatches} minibatches of one size",
                hint="num_clusters * rollout_steps must be a multiple of minibatches",
            )
        if self.warm_start and self.warm_start not in TEACHERS:
            raise ConfigError(
                f"no rule {self.warm_start!r} to imitate", hint=f"one of: {', '.join(TEACHERS)}"
            )


# the learner and its checkpoints


class SchedulerLearner:
    """Everything that changes during a run."""

    def __init__(self, config: SchedulerConfig) -> None:
        weights, arrivals, actions, batches = generators(config.seed, 4)
        self.rngs = {"arrivals": arrivals, "actions": actions, "batches": batches}
        self.cluster = Cluster(config.workload, config.num_clusters, arrivals)
        inside = [self.cluster.observation_size, *config.hidden]
        self.policy = MLP([*inside, self.cluster.replicas], weights, output_gain=0.01)
        self.critic = MLP([*inside, 1], weights, output_gain=1.0)
        self.optimizer = Adam([self.policy.params, self.critic.params], eps=1e-5)
        self.normaliser = RunningNorm(self.cluster.observation_size, clip=5.0)
        self.rewarder = Rewarder(config.num_clusters, self.cluster.replicas)
        self.temperature = TemperatureController(
            current=config.base_temperature, base=config.base_temperature
        )
        self.entropy = EntropyRegulator(coef=config.entropy_coef)
        self.steps = StepRegulator()
        self.kl_coef = config.kl_coef
        self.update = 0
        self.seen: deque[NDArray[np.float32]] = deque(maxlen=256)  # for a sick one
        self.before = {"throughput": math.nan, "latency": math.nan}  # in the last rollout

    def choose(self, observations: NDArray[np.float32], temperature: float = 1.0) -> Categorical:
        """The policy's choice for normalised observations."""
        return Categorical(self.policy(observations) / np.float32(temperature))

    def favourite(self, cluster: Cluster) -> Integers:
        """The likeliest replica for each waiting request."""
        return self.choose(self.normaliser(cluster.observe())).mode()

    def state(self) -> dict[str, NDArray[Any]]:
        """All of it, as arrays that `np.savez` can write."""
        adam = self.optimizer
        rngs = {name: rng.bit_generator.state for name, rng in self.rngs.items()}
        small = {
            "rngs": rngs,
            "temperature": asdict(self.temperature),
            "entropy": asdict(self.entropy),
            "steps": asdict(self.steps),
            "kl_coef": self.kl_coef,
            "before": self.before,
        }
        late = {"seen": np.stack(list(self.seen))} if self.seen else {}
        return {
            **late,
            "update": np.array(self.update),
            "policy": self.policy.params.copy(),
            "critic": self.critic.params.copy(),
            "small": np.array(json.dumps(small)),
            "optimizer_count": np.array(adam.count),
            "optimizer_means": np.concatenate(adam.means),
            "optimizer_squares": np.concatenate(adam.squares),
            **{
                f"{part}/{name}": value.copy()
                for part in REMEMBERING
                for name, value in vars(getattr(self, part)).items()
                if isinstance(value, np.ndarray)
            },
        }

    def restore(self, state: Checkpoint, *, whole: bool = True) -> None:
        """Go on from such a state; not `whole`: without the optimizer's and the inputs' statistics."""
        small = json.loads(str(state["small"]))
        for name, rng in self.rngs.items():
            rng.bit_generator.state = small["rngs"][name]
        self.update = int(state["update"])
        self.policy.params[:] = state["policy"]
        self.critic.params[:] = state["critic"]
        for key, value in state.items():
            part, _, name = key.partition("/")
            if name and (whole or part != "normaliser"):
                setattr(getattr(self, part), name, value.copy())
        self.temperature = TemperatureController(**small["temperature"])
        self.entropy = EntropyRegulator(**small["entropy"])
        self.steps = StepRegulator(**small["steps"])
        self.kl_coef = float(small["kl_coef"])
        self.before = small["before"]
        self.seen.extend(state.get("seen", ()))
        if whole:
            cut = [len(self.policy.params)]
            self.optimizer.means = np.split(state["optimizer_means"], cut)
            self.optimizer.squares = np.split(state["optimizer_squares"], cut)
            self.optimizer.count = int(state["optimizer_count"])


def save_checkpoint(learner: SchedulerLearner, config: SchedulerConfig) -> Checkpoint | str:
    """The path of a new file in `checkpoint_dir`; without one, the checkpoint itself."""
    settings = np.array(json.dumps(comparable(config)))
    state = {**learner.state(), "settings": settings}
    if not config.checkpoint_dir:
        return state
    path = Path(config.checkpoint_dir) / f"checkpoint_{learner.update:06d}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    half_done = path.with_suffix(HALF_DONE)
    with half_done.open("wb") as file:
        np.savez(file, **state)  # type: ignore[arg-type]  # names that are not options of it
    take_name(half_done, path, durable=True)
    return str(path)


def comparable(config: SchedulerConfig) -> dict[str, Any]:
    """All settings that decide the numbers of a run, as JSON gives them back."""
    settings: dict[str, Any] = json.loads(json.dumps(asdict(config)))
    del settings["checkpoint_dir"]
    return settings


def load_checkpoint(checkpoint: Checkpoint | str) -> Checkpoint:
    """The checkpoint itself, also from its path."""
    if not isinstance(checkpoint, str):
        return checkpoint
    with np.load(checkpoint) as file:
        return dict(file)


# the reward


class Rewarder:
    """What a routing decision is worth: absolute score + delta score - balance penalty.

    The absolute score, from 0 to 1, is high while requests finish as fast as they come and soon
    after they come. The delta score is for being better or worse than just before. The penalty is
    for choosing some replicas much more often than others.
    """

    def __init__(self, clusters: int, replicas: int) -> None:
        self.shares: Array = np.full((clusters, replicas), 1.0 / replicas)
        self.finished: Array = np.ones(clusters)  # per request that came; smoothed
        self.score: Array = np.full(clusters, math.nan)  # smoothed

    def __call__(
        self,
        now: SchedulerConfig,
        actions: Integers,
        latency: Array,
        finished: Array,
        hidden: float = 0.0,
    ) -> dict[str, Array]:
        """The reward of each cluster's decision (`reward`), and its parts.

        `finished` counts requests since the last decision; `hidden` is the share of the latency
        term that a sick scheduler does not see.
        """
        self.finished = 0.95 * self.finished + 0.05 * finished
        throughput = now.throughput_weight * np.minimum(self.finished, 1.0)
        lateness = np.log1p(latency / now.latency_target) / math.log1p(20.0)
        soon = now.latency_weight * np.clip(1.0 - lateness, 0.0, 1.0)
        soon = soon * (1.0 - hidden) + now.latency_weight * hidden
        absolute = throughput + soon
        before = np.where(np.isnan(self.score), absolute, self.score)
        change = absolute - before
        delta = np.where(change > 0.0, now.reward_beta, now.reward_gamma) * change
        self.score = 0.9 * before + 0.1 * absolute
        replicas = self.shares.shape[1]
        self.shares = 0.95 * self.shares + 0.05 * np.eye(replicas)[actions]
        imbalance = replicas * np.square(self.shares - 1.0 / replicas).sum(axis=1)
        penalty = now.balance_weight * imbalance
        return {
            "reward": absolute + delta - penalty,
            "absolute_score": absolute,
            "delta_score": delta,
            "balance_penalty": penalty,
            "Reward/Throughput": throughput,
            "Reward/Latency": soon,
        }
