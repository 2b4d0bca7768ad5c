"""Soft actor-critic (Haarnoja et al., 2018) in NumPy, recorded from head to foot.

To be read from top to bottom: the settings, what can go wrong, the learner, its update. The loop and
the replay buffer are in `off_policy.py`. It learns to swing a pendulum up in some ten seconds on one
core.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Trained, Trainer
from runvitals.lab.envs.base import Env, Step
from runvitals.lab.measures import spread
from runvitals.lab.nn import MLP, Adam, Array, SquashedGaussian, clip_norm, norm
from runvitals.lab.off_policy import OffPolicy, OffPolicyConfig, Replay, train_off_policy
from runvitals.lab.pages import faults, tasks, variants

LOG_STD_RANGE = (-5.0, 2.0)


@dataclass(frozen=True)
class SACConfig(OffPolicyConfig):
    """What SAC adds to the settings of off-policy trainers; the first steps are random ones."""

    env: str = "Pendulum-v1"
    total_steps: int = 20_000
    num_envs: int = 4
    buffer_size: int = 20_000
    gamma: float = 0.98
    max_grad_norm: float = 100.0
    window: int = 20
    rows: int = 100
    value_learning_rate: float = 2e-3  # of the critics; the other is of policy and temperature
    tau: float = 0.01  # how far the target networks move to the critics in one update
    twin_critics: bool = True  # the smaller value of two counts
    auto_temperature: bool = True  # it is learned, so that the entropy meets its target
    temperature: float = 0.2  # at the start, or for good
    target_entropy: float = -1.0  # in nats; minus the length of an action is usual


# what can be learned, and what can go wrong


TASKS = tasks("mean return without exploration", "pendulum (-200): swing a pendulum up and hold it")
FAULTS = faults(
    """
temperature-high (Q06): a fixed temperature at which entropy counts more than the reward
  expect: ENT004, REW005; accept: VAL006, ENT003, REW011; doses: 3.0, 10.0, 100.0
  sets: auto_temperature = False, temperature = dose
temperature-low (Q06): a fixed temperature of nearly 0
  expect: ENT001; accept: REW005, VAL006; doses: 0.01, 0.0001, 0.0
  sets: auto_temperature = False, temperature = dose
target-entropy-sign (Q07): a target for the entropy that no policy can reach
  expect: ENT003, ENT004; accept: REW005, REW003, VAL006, DATA007, POL001; doses: 0.6, 1.0, 3.0
  sets: target_entropy = dose
target-never (Q02): the target networks never move
  expect: VAL006, DATA007; accept: REW005, REW008; doses: 0.0; sets: tau = dose
target-every-step (Q02): the target networks are copies of the critics at every update
  expect: VAL006, DATA007; accept: REW008, REW005, VAL001; doses: mild 0.3, clear 1.0
  sets: tau = dose
time-limit-as-terminal (Q03): the step limit is taken for the end of all rewards
  expect: VAL006; accept: VAL004, VAL003
stale-next-states (Q05): the replay buffer keeps the state before the step as the one after it
  expect: VAL006, REW005; accept: VAL004; doses: 0.1, 0.5, 1.0  # the share of the steps
single-critic (Q08): one critic instead of the smaller of two: values too high
  expect: VAL006; accept: REW005, REW008; doses: 0.0
lr-x100 (P01): learning rates 100 times too high
  expect: VAL001, VAL006; accept: REW003, REW005, DATA007, GRAD001, ENT001, REW011
  doses: 10, 100, 1000; sets: learning_rate *= dose, value_learning_rate *= dose
lr-zero (P02): learning rates of 0
  expect: POL002; accept: DATA007, REW005; doses: 0.0
  sets: learning_rate = dose, value_learning_rate = dose
reward-x1000 (P08): rewards a thousand times as large, and not normalised
  expect: REW012; accept: VAL001, VAL004, VAL006, GRAD002; doses: 30, 1000, 100000
reward-sign (P10): the reward has the wrong sign
  expect: REW011; accept: REW001, REW003, REW005
observations-zero (P15): every observation is 0
  expect: REW005; accept: VAL003, ENT004, POL005
gamma-0 (P18): a discount of 0: only the next reward counts
  expect: DATA007; accept: REW005, REW011; doses: 0.0; sets: gamma = dose
optimizer-step-missing (P25): the optimiser of the policy is never asked to step
  expect: POL002; accept: REW005
reward-constant (P26): every reward is 0
  expect: REW004; accept: GRAD003, REW005
""",
    changes={"single-critic": lambda _, dose: {"twin_critics": bool(dose)}},
)

VARIANTS = variants("""
solved-early: continues long after it has solved the task
  sets: total_steps=40_000
slow-learner: small learning rates: still getting better at the end
  sets: learning_rate=2e-4, value_learning_rate=3e-4; learns: no
short-run: a dozen rows, then the budget is spent
  sets: total_steps=4_800, rows=12; learns: no
long-random-phase: a fifth of the run passes before the first update
  sets: learning_starts=4_000
small-buffer: only the last quarter of the run is kept
  sets: buffer_size=5_000
fixed-temperature: the temperature is set to a good value and not learned
  sets: auto_temperature=False, temperature=0.1
metrics-missing: nothing is logged about the critics
  hides: value/*
few-logs: 25 rows
  sets: rows=25, eval_every=1
""")


# the training


def train(config: SACConfig, run: Recorder, sick: Sickness = HEALTHY) -> Trained:
    """Train a policy and log everything through `run`; its step is the environment step."""
    return train_off_policy(config, run, sick, SoftLearner)


class SoftLearner(OffPolicy[SACConfig]):
    """The networks of soft actor-critic at work."""

    def __init__(
        self, env: Env, config: SACConfig, sick: Sickness, rngs: list[np.random.Generator]
    ) -> None:
        weights_rng, self._action_rng, self._batch_rng = rngs
        self._networks = SACNetworks(env, config, weights_rng)
        self._sick = sick
        seen = np.zeros((0, env.observation_size), np.float32)
        actions = np.zeros((0, env.action_size), np.float32)
        nothing = SACBatch(seen, actions, np.zeros(0, np.float32), seen, np.zeros(0, np.bool_))
        self.buffer = Replay(config.buffer_size, nothing)

    def act(self, observations: NDArray[np.float32]) -> Array:
        """At random before the first update, then drawn from the policy."""
        if self.step <= self.now.learning_starts:
            shape = (len(observations), self._networks.action_size)
            return self._action_rng.uniform(-1.0, 1.0, shape).astype(np.float32)
        return self._networks.choice(observations).draw(self._action_rng)[0]

    def keep(
        self, observations: NDArray[np.float32], actions: NDArray[Any], taken: Step
    ) -> dict[str, float]:
        """Every step goes into the buffer."""
        ended = taken.terminated
        if self._sick("time-limit-as-terminal"):
            ended = ended | taken.truncated
        after = taken.final_observations
        self.buffer.add(SACBatch(observations, actions, taken.rewards, after, ended))
        return {"policy/action_norm": float(np.abs(actions).mean())}

    def update(self) -> dict[str, float]:
        """One update of everything."""
        batch = self.buffer.sample(self.now.batch_size, self._batch_rng)
        return update(self._networks, batch, self.now, self._batch_rng, self._sick)

    def favourite(self, observations: NDArray[np.float32]) -> Array:
        """Always the middle of what the policy would draw."""
        return self._networks.choice(observations).mode()

    def foreseen(self, observations: NDArray[np.float32]) -> Array:
        """What the first critic says."""
        inputs = np.hstack([observations, self.favourite(observations)])
        return self._networks.critics[0](inputs)[:, 0]

    def metrics(self, replay: dict[str, float]) -> dict[str, float]:
        """How much randomness is worth, how fast it learns, what it has."""
        return {
            "policy/entropy_coef": self._networks.temperature(self.now),
            "policy/entropy_target": self.now.target_entropy,
            "policy/learning_rate": self.now.learning_rate,
            "value/learning_rate": self.now.value_learning_rate,
            **replay,
            "optim/param_norm": norm([self._networks.policy.params]),
        }

    def log_closer(self, run: Recorder, step: int) -> None:
        """The last actions."""
        run.log_histogram("policy/action_distribution", self.buffer.latest(256).actions, step)


class SACBatch(NamedTuple):
    """Steps drawn from the buffer."""

    observations: NDArray[np.float32]
    actions: Array
    rewards: NDArray[np.float32]
    next_observations: NDArray[np.float32]
    terminated: NDArray[np.bool_]


# the update


class SACNetworks:
    """The networks, the temperature, and what changes them."""

    def __init__(self, env: Env, config: SACConfig, rng: np.random.Generator) -> None:
        inside = [env.observation_size, *config.hidden, 2 * env.action_size]
        valued = [env.observation_size + env.action_size, *config.hidden, 1]
        self.action_size = env.action_size
        self.policy = MLP(inside, rng, output_gain=0.01)
        self.critics = [MLP(valued, rng) for _ in range(2)]
        self.targets = [MLP(valued, rng) for _ in range(2)]
        for target, critic in zip(self.targets, self.critics, strict=True):
            target.params[:] = critic.params
        self.log_temperature: Array = np.log(np.array([max(config.temperature, 1e-8)]))
        self.policy_optimizer = Adam([self.policy.params])
        self.value_optimizers = [Adam([critic.params]) for critic in self.critics]
        self.temperature_optimizer = Adam([self.log_temperature])

    def temperature(self, config: SACConfig) -> float:
        """What a nat of entropy is worth, in units of reward."""
        if not config.auto_temperature:
            return config.temperature
        return float(np.exp(self.log_temperature[0]))

    def choice(self, observations: NDArray[np.float32]) -> SquashedGaussian:
        """What the policy would do."""
        return self._head(self.policy(observations))

    def _head(self, output: Array) -> SquashedGaussian:
        low, high = LOG_STD_RANGE
        mean, raw = output[:, : self.action_size], output[:, self.action_size :]
        return SquashedGaussian(
            mean, np.float32(low) + np.float32(high - low) / 2 * (np.tanh(raw) + 1)
        )

    def forward(self, observations: NDArray[np.float32]) -> tuple[list[Array], SquashedGaussian]:
        """What the policy would do, and the layers for `backward`."""
        layers = self.policy.forward(observations)
        return layers, self._head(layers[-1])

    def backward(self, layers: list[Array], mean_grad: Array, log_std_grad: Array) -> None:
        """Set the policy's gradients from those at the mean and at the logarithm of the spread."""
        low, high = LOG_STD_RANGE
        squashed = np.tanh(layers[-1][:, self.action_size :])
        raw_grad = log_std_grad * np.float32((high - low) / 2) * (1.0 - np.square(squashed))
        self.policy.backward(layers, np.hstack([mean_grad, raw_grad]))


def update(
    learner: SACNetworks,
    batch: SACBatch,
    config: SACConfig,
    rng: np.random.Generator,
    sick: Sickness = HEALTHY,
) -> dict[str, float]:
    """One step of critics, policy and temperature on one batch; gives the metrics."""
    temperature = np.float32(learner.temperature(config))
    rows = np.float32(len(batch.actions))

    # critics: towards the reward and the soft value of the next state
    next_actions, next_log_probs = learner.choice(batch.next_observations).draw(rng)
    next_inputs = np.hstack([batch.next_observations, next_actions])
    next_values = learner.targets[0](next_inputs)[:, 0]
    if config.twin_critics:
        next_values = np.minimum(next_values, learner.targets[1](next_inputs)[:, 0])
    soft = np.where(batch.terminated, np.float32(0.0), next_values - temperature * next_log_probs)
    goals = batch.rewards + np.float32(config.gamma) * soft
    inputs = np.hstack([batch.observations, batch.actions])
    losses, norms, errors = [], [], []
    for critic, optimizer in zip(learner.critics, learner.value_optimizers, strict=True):
        layers = critic.forward(inputs)
        error = layers[-1][:, 0] - goals
        critic.backward(layers, error[:, None] / rows)
        norms.append(clip_norm([critic.grads], config.max_grad_norm))
        optimizer.step([critic.grads], config.value_learning_rate)
        losses.append(0.5 * float(np.square(error).mean()))
        errors.append(float(np.abs(error).mean()))
        values = layers[-1][:, 0]

    # policy: towards actions of high value and high entropy
    policy_layers, choice = learner.forward(batch.observations)
    actions, log_probs = choice.draw(rng)
    first, second = learner.critics
    inputs = np.hstack([batch.observations, actions])
    value_layers = first.forward(inputs)
    lowest = value_layers[-1][:, 0]
    pull = np.full((len(actions), 1), np.float32(-1.0) / rows)
    if config.twin_critics:
        other_layers = second.forward(inputs)
        other = other_layers[-1][:, 0]
        is_lowest = (lowest <= other)[:, None]
        input_grad = first.backward(value_layers, pull * is_lowest)
        input_grad = input_grad + second.backward(other_layers, pull * ~is_lowest)
        lowest = np.minimum(lowest, other)
    else:
        input_grad = first.backward(value_layers, pull)
    action_grad = input_grad[:, -learner.action_size :]
    learner.backward(
        policy_layers,
        *choice.backward(action_grad, np.full(len(actions), temperature / rows, np.float32)),
    )
    policy_norm = clip_norm([learner.policy.grads], config.max_grad_norm)
    before = learner.policy.params.copy()
    if not sick("optimizer-step-missing"):
        learner.policy_optimizer.step([learner.policy.grads], config.learning_rate)

    # temperature: up while the entropy is below its target
    gap = -float(log_probs.mean()) - config.target_entropy
    temperature_loss = float(learner.log_temperature[0]) * gap
    if config.auto_temperature:
        learner.temperature_optimizer.step([np.array([gap])], config.learning_rate)

    for target, critic in zip(learner.targets, learner.critics, strict=True):
        target.params += np.float32(config.tau) * (critic.params - target.params)
    return {
        "value/loss": float(np.mean(losses)),
        "value/td_error": float(np.mean(errors)),
        **spread("value/q_", values, "mean max min std"),
        "value/q_target_mean": float(goals.mean()),
        "value/grad_norm": float(np.mean(norms)),
        "policy/loss": float((temperature * log_probs - lowest).mean()),
        "policy/entropy": -float(log_probs.mean()),
        "policy/entropy_coef_loss": temperature_loss,
        "policy/action_std": float(choice.std.mean()),
        "policy/logprob_mean": float(log_probs.mean()),
        "policy/grad_norm": policy_norm,
        "optim/update_norm": norm([learner.policy.params - before]),
    }


SAC = Trainer("sac", "soft actor-critic", "SAC", SACConfig, train, TASKS, FAULTS, VARIANTS)
