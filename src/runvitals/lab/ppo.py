"""Proximal policy optimisation (Schulman et al., 2017) in NumPy, recorded from head to foot.

One file, to be read from top to bottom: the settings, the training loop, then the pieces it uses.
It learns CartPole in some ten seconds on one core, and the same seed gives the same numbers, bit
for bit, on the same machine.

    with rv.init(project="lab", config=asdict(config)) as run:
        result = train(config, run)
"""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.api import Ema, LiveRun
from runvitals.lab.envs.cartpole import MAX_POSITION, CartPole
from runvitals.lab.nn import MLP, Adam, Array, Categorical, Integers, clip_norm, norm
from runvitals.model import ConfigError


@dataclass(frozen=True)
class PPOConfig:
    """All that decides how a run goes. Steps are environment steps, over all environments."""

    env: str = CartPole.name
    seed: int = 0
    total_steps: int = 200_000
    num_envs: int = 16
    rollout_steps: int = 128  # per environment, between two updates
    epochs: int = 10
    minibatches: int = 32  # of 64 steps: small enough that BLAS keeps to one thread
    learning_rate: float = 2e-4
    anneal_learning_rate: bool = True  # in a straight line down to 0
    adam_eps: float = 1e-5
    gamma: float = 0.99
    gae_lambda: float = 0.95
    normalize_advantages: bool = True
    clip_range: float = 0.2
    value_clip_range: float | None = None  # None: the plain squared error
    entropy_coef: float = 0.001
    value_coef: float = 0.5
    max_grad_norm: float = 0.5
    target_kl: float | None = 0.02  # an update stops when the KL passes 1.5 times this
    hidden: tuple[int, ...] = (64, 64)
    success_return: float = 475.0  # an episode that gets this far is a success
    window: int = 100  # episodes behind the outcome metrics
    eval_every: int = 8  # updates between two evaluations
    eval_episodes: int = 16

    @property
    def batch(self) -> int:
        """Environment steps between two updates."""
        return self.num_envs * self.rollout_steps

    def __post_init__(self) -> None:
        if self.env != CartPole.name:
            raise ConfigError(
                f"no environment {self.env!r} in the lab", hint=f"try {CartPole.name}"
            )
        if self.batch % self.minibatches:
            raise ConfigError(
                f"{self.batch} steps do not split into {self.minibatches} minibatches of one size",
                hint="num_envs * rollout_steps must be a multiple of minibatches",
            )
        if self.total_steps < self.batch:
            raise ConfigError(
                f"total_steps={self.total_steps} is less than one rollout of {self.batch}"
            )


@dataclass(frozen=True)
class TrainResult:
    """How a training went. Returns are means over the last `window` episodes."""

    env_steps: int
    episodes: int
    updates: int
    first_return: float  # after the first rollout
    final_return: float
    best_return: float
    solved_at: int | None  # the first step with a full window above `success_return`
    seconds: float
    logging_seconds: float  # what the loop spent in calls of the recorder


def train(config: PPOConfig, run: LiveRun) -> TrainResult:
    """Train a policy and log everything through `run`; its step is the environment step."""
    seeds = np.random.SeedSequence(config.seed).spawn(5)
    weights_rng, env_rng, action_rng, batch_rng, eval_rng = map(np.random.default_rng, seeds)

    env = CartPole(config.num_envs, env_rng)
    inside = [env.observation_size, *config.hidden]
    policy = MLP([*inside, env.num_actions], weights_rng, output_gain=0.01)
    critic = MLP([*inside, 1], weights_rng, output_gain=1.0)
    optimizer = Adam([policy.params, critic.params], eps=config.adam_eps)

    outcome = Outcome(config)
    started = time.perf_counter()
    logging_seconds = 0.0
    updates = 0
    iterations = config.total_steps // config.batch
    total_steps = iterations * config.batch
    run.progress(total_steps=total_steps, env_steps=0)
    observations = env.reset()

    for iteration in range(iterations):
        step = (iteration + 1) * config.batch
        left = 1.0 - iteration / iterations
        learning_rate = config.learning_rate * (left if config.anneal_learning_rate else 1.0)

        with run.timer("rollout"):
            rollout, observations = collect(env, policy, observations, config, action_rng, outcome)

        with run.timer("advantage"):
            values = critic(_flat(rollout.observations))[:, 0].reshape(rollout.rewards.shape)
            advantages, returns = gae(
                rollout.rewards,
                values,
                critic(observations)[:, 0],
                terminated=rollout.terminated,
                truncated=rollout.truncated,
                final_values=_final_values(critic, rollout),
                gamma=config.gamma,
                lam=config.gae_lambda,
            )

        with run.timer("update"):
            batch = Batch(
                _flat(rollout.observations),
                rollout.actions.ravel(),
                rollout.log_probs.ravel(),
                values.ravel(),
                advantages.ravel(),
                returns.ravel(),
            )
            losses, ratio = update(
                policy, critic, optimizer, batch, config, learning_rate, batch_rng
            )
        updates += int(losses["optim/updates_per_iteration"])
        run.count(env_steps=config.batch, updates=losses["optim/updates_per_iteration"])
        run.count(episodes=rollout.episodes)

        metrics = {
            **outcome.metrics(),
            **losses,
            "policy/clip_range": config.clip_range,
            "policy/entropy_coef": config.entropy_coef,
            "optim/learning_rate": learning_rate,
            "optim/param_norm": norm([policy.params, critic.params]),
            **_batch_metrics(rollout, batch),
        }
        look_closer = iteration % config.eval_every == 0 or iteration == iterations - 1
        if look_closer:
            with run.timer("eval"):
                evaluation = evaluate(policy, config, eval_rng)
            metrics |= evaluation.metrics

        with run.timer("log") as logging:
            run.log(metrics, step)
            if look_closer:
                counts = np.bincount(batch.actions, minlength=env.num_actions)
                run.log_actions(counts, step, name="cartpole")
                run.log_histogram("advantage/distribution", batch.advantages, step)
                run.log_histogram("returns/distribution", batch.returns, step)
                run.log_histogram("policy/ratio_distribution", ratio, step)
                run.log_histogram("outcome/return_distribution", outcome.returns, step)
                run.log_samples(evaluation.episode, step)
                run.log_text("eval/episode", evaluation.story, step)
                run.progress(env_steps=step, episodes=outcome.episodes, updates=updates)
        logging_seconds += logging.seconds
        outcome.note_if_solved(step)

    result = TrainResult(
        env_steps=total_steps,
        episodes=outcome.episodes,
        updates=updates,
        first_return=outcome.first_mean,
        final_return=outcome.mean,
        best_return=outcome.best_mean,
        solved_at=outcome.solved_at,
        seconds=time.perf_counter() - started,
        logging_seconds=logging_seconds,
    )
    run.summary["solved_at"] = result.solved_at
    run.summary["final_return"] = result.final_return
    run.summary["logging_seconds"] = result.logging_seconds
    return result


# rollouts


class Rollout(NamedTuple):
    """What the policy met, time first, one column per environment."""

    observations: NDArray[np.float32]
    actions: Integers
    log_probs: Array
    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final_observations: NDArray[np.float32]  # where each step led, before any reset
    episodes: int  # that ended


def collect(
    env: CartPole,
    policy: MLP,
    observations: NDArray[np.float32],
    config: PPOConfig,
    rng: np.random.Generator,
    outcome: Outcome,
) -> tuple[Rollout, NDArray[np.float32]]:
    """Let the policy act; gives the rollout and the observations to go on from.

    The critic is not asked here: its values do not change until the update, so that one large batch
    afterwards does what a call per step would.
    """
    shape = (config.rollout_steps, config.num_envs)
    rollout = Rollout(
        observations=np.empty((*shape, env.observation_size), np.float32),
        actions=np.empty(shape, np.int64),
        log_probs=np.empty(shape, np.float32),
        rewards=np.empty(shape, np.float32),
        terminated=np.empty(shape, np.bool_),
        truncated=np.empty(shape, np.bool_),
        final_observations=np.empty((*shape, env.observation_size), np.float32),
        episodes=0,
    )
    before = outcome.episodes
    for t in range(config.rollout_steps):
        choice = Categorical(policy(observations))
        actions = choice.sample(rng)
        taken = env.step(actions)
        rollout.observations[t] = observations
        rollout.actions[t] = actions
        rollout.log_probs[t] = choice.log_prob(actions)
        rollout.rewards[t] = taken.rewards
        rollout.terminated[t] = taken.terminated
        rollout.truncated[t] = taken.truncated
        rollout.final_observations[t] = taken.final_observations
        outcome.add(taken.rewards, taken.terminated, taken.truncated)
        observations = taken.observations
    return rollout._replace(episodes=outcome.episodes - before), observations


class Outcome:
    """Returns and lengths of the last episodes: whether the task is being learned."""

    def __init__(self, config: PPOConfig) -> None:
        self._goal = config.success_return
        self._running = np.zeros(config.num_envs)
        self._steps = np.zeros(config.num_envs, np.int64)
        self._ended: deque[tuple[float, int, bool]] = deque(maxlen=config.window)
        self._win_rate = Ema(half_life=config.window / 2)
        self.episodes = 0
        self.first_mean = math.nan
        self.best_mean = math.nan
        self.solved_at: int | None = None

    def add(
        self,
        rewards: NDArray[np.float32],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> None:
        """Take in one step of all environments."""
        self._running += rewards
        self._steps += 1
        for i in np.flatnonzero(terminated | truncated):
            episode_return = float(self._running[i])
            self._ended.append((episode_return, int(self._steps[i]), bool(terminated[i])))
            self._win_rate.update(float(episode_return >= self._goal))
            self._running[i] = self._steps[i] = 0
            self.episodes += 1

    @property
    def returns(self) -> Array:
        """Of the last episodes."""
        return np.array([episode[0] for episode in self._ended])

    @property
    def mean(self) -> float:
        """Mean return of the last episodes, NaN before the first has ended."""
        return float(self.returns.mean()) if self._ended else math.nan

    def note_if_solved(self, step: int) -> None:
        """Keep the first, the best, and the step from which the task counts as solved."""
        mean = self.mean
        self.first_mean = mean if math.isnan(self.first_mean) else self.first_mean
        self.best_mean = float(np.fmax(self.best_mean, mean))
        full = len(self._ended) == self._ended.maxlen
        if self.solved_at is None and full and mean >= self._goal:
            self.solved_at = step

    def metrics(self) -> dict[str, float]:
        """Nothing before the first episode has ended."""
        if not self._ended:
            return {}
        returns, lengths, fell = (np.array(column) for column in zip(*self._ended, strict=True))
        return {
            "outcome/return_mean": float(returns.mean()),
            "outcome/return_std": float(returns.std()),
            "outcome/return_min": float(returns.min()),
            "outcome/return_max": float(returns.max()),
            "outcome/success_rate": float((returns >= self._goal).mean()),
            "win_rate_ema": self._win_rate.value,
            "outcome/episode_length_mean": float(lengths.mean()),
            "outcome/termination_rate": float(fell.mean()),
        }


# advantages


def gae(
    rewards: Array,
    values: Array,
    last_values: Array,
    *,
    terminated: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
    final_values: Array,
    gamma: float,
    lam: float,
) -> tuple[Array, Array]:
    """Generalised advantage estimates (Schulman et al., 2016) and the critic's targets, time first.

    A fall ends everything: nothing is worth anything after it. The step limit does not: the episode
    would have gone on, and the value of where it was cut off stands for the rest.
    """
    next_values = np.concatenate([values[1:], last_values[None]])
    next_values = np.where(truncated, final_values, next_values)
    next_values = np.where(terminated, 0.0, next_values).astype(values.dtype)
    goes_on = 1.0 - (terminated | truncated).astype(values.dtype)
    errors = rewards + gamma * next_values - values
    advantages = np.zeros_like(values)
    running = np.zeros_like(last_values)
    for t in range(len(rewards) - 1, -1, -1):
        running = errors[t] + gamma * lam * goes_on[t] * running
        advantages[t] = running
    return advantages, advantages + values


def _final_values(critic: MLP, rollout: Rollout) -> Array:
    """The critic's value of where each cut episode ended; 0 where none was cut."""
    values = np.zeros(rollout.rewards.shape, np.float32)
    if rollout.truncated.any():
        values[rollout.truncated] = critic(rollout.final_observations[rollout.truncated])[:, 0]
    return values


# the update


class Batch(NamedTuple):
    """A rollout made flat, with what the learner needs to know of each step."""

    observations: NDArray[np.float32]
    actions: Integers
    log_probs: Array
    values: Array
    advantages: Array
    returns: Array


def update(
    policy: MLP,
    critic: MLP,
    optimizer: Adam,
    batch: Batch,
    config: PPOConfig,
    learning_rate: float,
    rng: np.random.Generator,
) -> tuple[dict[str, float], Array]:
    """Some epochs over one batch; gives the metrics and the final ratio new to old policy per step.

    Losses, entropy, gradient norms and clip fractions are means over the minibatches. KL and ratio
    are measured once, at the end, over the whole batch.
    """
    seen: dict[str, list[float]] = {}
    updates = 0
    for rows in _minibatches(config, rng):
        # policy: the clipped surrogate, and a bonus for staying random
        layers = policy.forward(batch.observations[rows])
        choice = Categorical(layers[-1])
        actions = batch.actions[rows]
        log_ratio = choice.log_prob(actions) - batch.log_probs[rows]
        ratio = np.exp(log_ratio)
        approx_kl = float(np.mean(ratio - 1.0 - log_ratio))
        if config.target_kl is not None and approx_kl > 1.5 * config.target_kl:
            break
        advantages = batch.advantages[rows]
        if config.normalize_advantages:
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        plain = ratio * advantages
        clipped = np.clip(ratio, 1.0 - config.clip_range, 1.0 + config.clip_range) * advantages
        policy_loss = -float(np.minimum(plain, clipped).mean())
        entropy = float(choice.entropy().mean())
        # the gradient of the smaller of the two: nothing flows where the clip holds
        pull = -plain * (plain <= clipped) / np.float32(len(rows))
        policy.backward(
            layers,
            choice.log_prob_grad(actions, pull)
            - choice.entropy_grad(config.entropy_coef / len(rows)),
        )

        # critic: squared error against the return targets
        value_layers = critic.forward(batch.observations[rows])
        values = value_layers[-1][:, 0]
        errors = values - batch.returns[rows]
        value_loss = 0.5 * float(np.square(errors).mean())
        if config.value_clip_range is not None:
            old = batch.values[rows]
            bounded = np.clip(values, old - config.value_clip_range, old + config.value_clip_range)
            bounded_errors = bounded - batch.returns[rows]
            value_loss = 0.5 * float(np.maximum(errors**2, bounded_errors**2).mean())
            held = np.abs(bounded_errors) > np.abs(errors)  # the clip decides, and is flat
            errors = errors * ~held
            seen.setdefault("value/clip_fraction", []).append(float(held.mean()))
        critic.backward(value_layers, (config.value_coef / len(rows)) * errors[:, None])

        policy_norm, value_norm = norm([policy.grads]), norm([critic.grads])
        grads = [policy.grads, critic.grads]
        grad_norm = clip_norm(grads, config.max_grad_norm)
        optimizer.step(grads, learning_rate)
        updates += 1

        for name, value in (
            ("policy/loss", policy_loss),
            ("value/loss", value_loss),
            (
                "optim/loss",
                policy_loss + config.value_coef * value_loss - config.entropy_coef * entropy,
            ),
            ("policy/entropy", entropy),
            ("policy/clip_fraction", float((np.abs(ratio - 1.0) > config.clip_range).mean())),
            ("policy/grad_norm", policy_norm),
            ("value/grad_norm", value_norm),
            ("optim/grad_norm", grad_norm),
            ("optim/grad_clip_fraction", float(grad_norm > config.max_grad_norm)),
        ):
            seen.setdefault(name, []).append(value)

    after = Categorical(policy(batch.observations)).log_prob(batch.actions)
    log_ratio = after - batch.log_probs
    ratio = np.exp(log_ratio)
    metrics = {name: float(np.mean(values)) for name, values in seen.items()}
    metrics |= {
        "policy/approx_kl": float(np.mean(ratio - 1.0 - log_ratio)),
        "policy/kl_old": -float(log_ratio.mean()),
        "policy/ratio_mean": float(ratio.mean()),
        "policy/ratio_std": float(ratio.std()),
        "policy/ratio_min": float(ratio.min()),
        "policy/ratio_max": float(ratio.max()),
        "optim/updates_per_iteration": float(updates),
    }
    return metrics, ratio


def _minibatches(config: PPOConfig, rng: np.random.Generator) -> list[Integers]:
    """The rows of each minibatch, all epochs after one another; every epoch in a new order."""
    orders = [rng.permutation(config.batch) for _ in range(config.epochs)]
    return [rows for order in orders for rows in np.split(order, config.minibatches)]


def _batch_metrics(rollout: Rollout, batch: Batch) -> dict[str, float]:
    """What was collected, and how well the critic had foreseen it, before the update."""
    errors = batch.returns - batch.values
    spread = float(batch.returns.var())
    return {
        "reward/mean": float(rollout.rewards.mean()),
        "reward/std": float(rollout.rewards.std()),
        "advantage/mean": float(batch.advantages.mean()),
        "advantage/std": float(batch.advantages.std()),
        "advantage/min": float(batch.advantages.min()),
        "advantage/max": float(batch.advantages.max()),
        "returns/mean": float(batch.returns.mean()),
        "returns/var": spread,
        "value/mean": float(batch.values.mean()),
        "value/var": float(batch.values.var()),
        "value/error": float(np.square(errors).mean()),
        "value/explained_variance": 1.0 - float(errors.var()) / spread if spread > 0 else math.nan,
        "policy/logprob_mean": float(batch.log_probs.mean()),
    }


# evaluation


class Evaluation(NamedTuple):
    """What the policy does when it always takes its favourite action."""

    metrics: dict[str, float]
    episode: dict[str, Any]
    story: str


def evaluate(policy: MLP, config: PPOConfig, rng: np.random.Generator) -> Evaluation:
    """Play one episode in each of `eval_episodes` environments, greedily."""
    env = CartPole(config.eval_episodes, rng)
    observations = env.reset()
    alive = np.ones(env.num_envs, np.bool_)
    returns = np.zeros(env.num_envs)
    lengths = np.zeros(env.num_envs, np.int64)
    trace: list[NDArray[np.float32]] = []  # of the first environment
    pushes_right = 0
    ending = "time limit"
    while alive.any():
        actions = Categorical(policy(observations)).mode()
        taken = env.step(actions)
        returns += taken.rewards * alive
        lengths += alive
        if alive[0]:
            trace.append(taken.final_observations[0])
            pushes_right += int(actions[0])
            if taken.terminated[0]:
                off_track = abs(float(taken.final_observations[0, 0])) > MAX_POSITION
                ending = "cart left the track" if off_track else "pole fell"
        alive &= ~(taken.terminated | taken.truncated)
        observations = taken.observations

    path = np.abs(np.array(trace))
    episode = {
        "return": float(returns[0]),
        "length": int(lengths[0]),
        "ending": ending,
        "farthest_position": round(float(path[:, 0].max()), 3),
        "widest_angle_degrees": round(math.degrees(float(path[:, 2].max())), 2),
        "share_right": round(pushes_right / len(trace), 3),
    }
    story = (
        f"{episode['length']} steps, then {ending}; the cart came {episode['farthest_position']:.2f} "
        f"from the middle, the pole leaned {episode['widest_angle_degrees']:.1f} degrees at most, "
        f"{episode['share_right']:.0%} of the pushes went right"
    )
    metrics = {
        "eval/return_mean": float(returns.mean()),
        "eval/return_std": float(returns.std()),
        "eval/return_min": float(returns.min()),
        "eval/success_rate": float((returns >= config.success_return).mean()),
    }
    return Evaluation(metrics, episode, story)


def _flat(observations: NDArray[np.float32]) -> NDArray[np.float32]:
    return observations.reshape(-1, observations.shape[-1])
