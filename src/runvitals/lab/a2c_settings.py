"""What A2C can be set to, what it can learn, and what can go wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from runvitals.lab.envs.base import check_env
from runvitals.lab.pages import faults, tasks, variants
from runvitals.model import ConfigError


@dataclass(frozen=True)
class A2CConfig:
    """All that decides how a run goes. Steps are environment steps, over all environments."""

    env: str = "CartPole-v1"
    seed: int = 0
    total_steps: int = 300_000
    num_envs: int = 16
    rollout_steps: int = 8  # per environment, between two updates
    learning_rate: float = 1e-3  # of the policy
    value_learning_rate: float = 5e-3  # of the critic, which has to keep ahead of the policy
    anneal_learning_rate: bool = True  # both, in a straight line down to 0
    adam_eps: float = 1e-5
    gamma: float = 0.99
    normalize_advantages: bool = False
    entropy_coef: float = 0.001
    value_coef: float = 0.1
    max_grad_norm: float | None = 4.0  # None: gradients are not clipped
    hidden: tuple[int, ...] = (32, 32)
    window: int = 100  # episodes behind the outcome metrics
    log_every: int = 20  # updates between two rows of metrics
    eval_every: int = 8  # rows between two evaluations
    eval_episodes: int = 16
    score_episodes: int = 64  # played at the end

    @property
    def batch(self) -> int:
        """Environment steps between two updates."""
        return self.num_envs * self.rollout_steps

    def __post_init__(self) -> None:
        check_env(self.env)
        if self.total_steps < self.batch * self.log_every:
            raise ConfigError(
                f"total_steps={self.total_steps} is less than the {self.batch * self.log_every} "
                "behind one row of metrics"
            )


TASKS = tasks(
    "mean return of the policy",
    """
cartpole (450): balance a pole on a cart
acrobot (-110): swing two links up
  sets: env="Acrobot-v1", total_steps=400_000, num_envs=32, learning_rate=2e-3,
    value_learning_rate=1e-2, normalize_advantages=True, entropy_coef=0.02, max_grad_norm=2.0, log_every=13
coin-grid (0.8): find the way through a maze
  sets: env="CoinGrid-v0", total_steps=120_000, log_every=8
""",
)
FAULTS = faults("""
unclipped-lr-0.02 (A01): no gradient clipping, and a learning rate of 0.02
  expect: GRAD001, REW003; accept: KL002, KL001, ENT001, POL005, REW005; doses: 0.005, 0.02, 0.1
  sets: max_grad_norm = None, learning_rate = dose, value_learning_rate = dose
lr-x100 (P01): learning rate 100 times too high
  expect: KL001, KL002; accept: ENT001, REW003, DATA007, POL005; doses: 10, 100, 1000
  sets: learning_rate *= dose, value_learning_rate *= dose
lr-zero (P02): learning rate of 0
  expect: POL002; accept: KL003, DATA007, ENT004; doses: 0.0
  sets: learning_rate = dose, value_learning_rate = dose
entropy-bonus-high (P06): the entropy bonus drowns the reward
  expect: ENT004; accept: REW005, CLIP002, ENT003; doses: 0.5, 2.0, 20.0; sets: entropy_coef = dose
entropy-bonus-negative (P07): the entropy bonus has the wrong sign
  expect: ENT001, DATA007; accept: POL005, REW005; doses: -0.03, -0.1, -1.0
  sets: entropy_coef = dose
reward-x1000 (P08): rewards a thousand times as large, and not normalised
  expect: REW012; accept: VAL001, VAL004, GRAD002; doses: 10, 1000, 100000
advantage-sign (P09): the advantage has the wrong sign
  expect: REW011; accept: REW003, ENT001, POL005
reward-sign (P10): the reward has the wrong sign
  expect: REW011; accept: REW001, REW003, REW005
terminal-mask-missing (P12): returns go on across the end of an episode
  expect: VAL004; accept: VAL001, VAL006, REW005, VAL003
observations-zero (P15): every observation is 0
  expect: VAL003, ENT004; accept: REW005, POL005
gamma-0 (P18): a discount of 0: only the next reward counts
  expect: DATA007; accept: REW005, REW011; doses: 0.0; sets: gamma = dose
value-coef-0 (P19): the critic's loss has no weight
  expect: VAL002, VAL003; accept: DATA007, VAL004; doses: 0.0; sets: value_coef = dose
grad-norm-tiny (P23): gradients are clipped to almost nothing
  expect: GRAD002; accept: KL003, ENT004, REW005; doses: 0.0001, 1e-05, 1e-07
  sets: max_grad_norm = dose
optimizer-step-missing (P25): the optimiser is never asked to step
  expect: POL002; accept: KL003, ENT004
reward-constant (P26): every reward is 0
  expect: REW004; accept: ADV001, ENT004, GRAD003
dynamics-change (P31): from 40% of the run on, actions act the other way round
  expect: REW003; accept: VAL001, LEN006; late: no
""")


VARIANTS = variants("""
solved-early: continues long after it has solved the task
  sets: total_steps=600_000, log_every=40; tasks: cartpole
slow-learner: small learning rates: still getting better at the end
  sets: learning_rate=1e-4, value_learning_rate=1e-3; learns: no; tasks: cartpole
no-annealing: the learning rates stay as they are
  sets: anneal_learning_rate=False, learning_rate=5e-4, value_learning_rate=2e-3; tasks: cartpole
short-run: a dozen rows, then the budget is spent
  sets: total_steps=36_000; learns: no; tasks: cartpole
metrics-missing: nothing is logged about the critic
  hides: value/*, returns/*
few-logs: a quarter of the rows
  sets: log_every=80, eval_every=2
normalized-advantages: the advantages of each batch are made to have a mean of 0
  sets: normalize_advantages=True; tasks: cartpole, coin-grid
large-batch: 32 environments instead of 16, and twice the steps
  sets: num_envs=32, total_steps=600_000, learning_rate=2e-3, value_learning_rate=1e-2; tasks:
    cartpole
""")
