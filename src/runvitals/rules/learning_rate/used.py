"""The learning rate of a run, compared with what is usual for its optimiser."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from runvitals.model import Series
from runvitals.rules.patient import Patient

Level = Literal["zero", "usual", "high", "absurd"]

LOGGED = ("policy/learning_rate", "optim/learning_rate")

MAX_STEP, WARM_UP = 0.5, 0.1  # of a schedule from one row to the next; a share of its rows


@dataclass(frozen=True)
class Yardstick:
    """What rates an optimiser is used with for a kind of training."""

    usual: float  # the largest that guides, defaults and tuned settings use
    absurd: float  # from here on, networks of that kind are destroyed rather than trained
    of: str
    tiny: float = 0.0  # below it, nothing is learned in any run of usual length; 0: nobody can say


# Adam's step is about as long as its rate, whatever the gradient: the rate is the change per weight.
TEXT = Yardstick(
    # 1e-6 to 5e-5 for all weights, up to 1e-3 for adapters (TRL, "LoRA Without Regret"); toy models
    # from scratch take 5e-3 (TRL runs with a model of two layers)
    usual=1e-3,
    absurd=0.02,
    of="a language model trained with Adam",
    # a tenth of the smallest rates in use (preferences: 5e-7, Zephyr and TRL's examples)
    tiny=5e-8,
)
CONTROL = Yardstick(
    # tuned settings of RL Baselines3 Zoo end at 2.3e-3; PPO at 0.03 dies on CartPole and Pendulum
    usual=3e-3,
    absurd=0.02,
    of="reinforcement learning with Adam",
    # a thousandth of the smallest default in use (TD3, SAC and PPO: 3e-4 to 1e-3)
    tiny=1e-6,
)
OWN_LOOP = Yardstick(
    # small policy-gradient scripts use 0.01 to 0.03 with success (PyTorch's REINFORCE and actor-critic)
    usual=0.03,
    absurd=0.1,
    of="a small network trained with Adam",
    # a thousandth of what the smallest of such scripts use (judgement)
    tiny=1e-7,
)
# Optimisers whose rate means something else; the first word that the optimiser's name contains counts.
BY_OPTIMISER = {
    # these find the rate themselves, and are given a factor on it (their documentation: 1)
    "prodigy": Yardstick(2.0, 100.0, "an optimiser that finds its own rate"),
    "dadapt": Yardstick(2.0, 100.0, "an optimiser that finds its own rate"),
    "adadelta": Yardstick(1.0, 100.0, "Adadelta"),  # 1.0 in the paper and in PyTorch
    "adafactor": Yardstick(0.01, 0.3, "Adafactor"),  # T5: 1e-3; relative steps up to 1e-2
    "adagrad": Yardstick(0.1, 3.0, "Adagrad"),  # PyTorch's 0.01, 0.1 for sparse features
    "muon": Yardstick(0.05, 0.5, "Muon"),  # its authors: 0.02
    "lion": Yardstick(3e-4, 0.01, "Lion"),  # its authors: 3 to 10 times smaller than Adam's
    "sgd": Yardstick(0.5, 10.0, "SGD"),  # ImageNet: 0.1 for 256 images, scaled up with the batch
    "momentum": Yardstick(0.5, 10.0, "SGD"),
    "lbfgs": Yardstick(1.0, 100.0, "L-BFGS"),  # PyTorch's 1
    "kfac": Yardstick(0.3, 10.0, "K-FAC"),  # ACKTR's 0.25
}
LIKE_ADAM = ("adam", "rmsprop")  # steps as long as the rate
# whatever they are trained for
OF_TRANSFORMERS = ("transformers", "trl", "llamafactory", "axolotl")
ADAM_BY_DEFAULT = ("transformers", "trl")  # `optim="adamw_torch"`, where the log names no other
# Deep algorithms that nobody runs without Adam or RMSprop.
BY_ADAM = tuple(
    "PPO APPO MAPPO IPPO A2C A3C IMPALA SAC TD3 DDPG TQC REDQ CROSSQ DREAMER"
    " DQN DDQN QRDQN RAINBOW C51 IQN".split()
)


@dataclass(frozen=True)
class LearningRate:
    """The largest learning rate of a run, where it is told, and what is usual."""

    value: float
    source: str  # "this run's settings", or the name of the series
    series: Series | None  # None if only the settings tell
    yardstick: Yardstick | None  # None where any rate may be right: tables, unknown training

    @property
    def level(self) -> Level:
        """How it compares with what is usual; `usual` too where nothing is known of that."""
        if self.value == 0:
            return "zero"
        if self.yardstick is None or self.value <= self.yardstick.usual:
            return "usual"
        return "absurd" if self.value >= self.yardstick.absurd else "high"

    @property
    def too_high(self) -> bool:
        """True if it is above everything usual."""
        return self.level in ("high", "absurd")

    @property
    def words(self) -> str:
        """The rate, and beside it what is usual if it is more than that.

        >>> LearningRate(0.1, "lr", None, CONTROL).words
        '0.1; up to 0.003 is usual for reinforcement learning with Adam'
        """
        if self.yardstick is None or not self.too_high:
            return f"{self.value:.3g}"
        return f"{self.value:.3g}; up to {self.yardstick.usual:g} is usual for {self.yardstick.of}"


def learning_rate(patient: Patient, *, of_critic: bool = False) -> LearningRate | None:
    """The run's learning rate, from the logged series or else its settings; None if unknown.

    `of_critic`: that of the critic, where it has one of its own.
    """
    return patient.once(_rate_of_critic if of_critic else _rate)


def _rate(
    patient: Patient, metrics: tuple[str, ...] = LOGGED, key: str = "learning_rate"
) -> LearningRate | None:
    logged = _logged(patient, metrics)
    configured = patient.number(key)
    if logged is not None and (float(logged.values.max()) > 0 or configured is None):
        value = float(logged.values.max())
        return LearningRate(value, logged.name, logged, yardstick(patient))
    if configured is None or configured < 0:
        return None
    return LearningRate(configured, "this run's settings", None, yardstick(patient))


def _rate_of_critic(patient: Patient) -> LearningRate | None:
    return _rate(patient, ("value/learning_rate",), "critic_learning_rate")


def _logged(patient: Patient, metrics: tuple[str, ...]) -> Series | None:
    """The series with the largest rate, among those of all groups of parameters."""
    series = [
        one for metric in metrics for one in patient.all(metric) if float(one.values.min()) >= 0
    ]
    rates = [one for one in series if not _is_factor(one)]
    return max(rates, key=lambda one: float(one.values.max()), default=None)


def _is_factor(series: Series) -> bool:
    """Whether it is a schedule from or to exactly 1: a factor on the rate, as some schedulers log.

    A schedule rises in small steps, or in the first rows; what jumps to 1 later on is a rate.
    """
    values = series.values
    if float(values.max()) != 1.0 or float(np.ptp(values)) == 0:
        return False
    jumps = np.flatnonzero(np.diff(values) > MAX_STEP)
    return not len(jumps) or int(jumps[-1]) < WARM_UP * len(values)


def yardstick(patient: Patient) -> Yardstick | None:
    """What is usual for this optimiser and kind of training; None if that is unknown."""
    name = str(patient.setting("optimizer") or "").lower().replace("-", "").replace("_", "")
    for word, measure in BY_OPTIMISER.items():
        if word in name:
            return measure
    adam = any(word in name for word in LIKE_ADAM)
    adam |= not name and patient.run.framework in ADAM_BY_DEFAULT
    if patient.kind == "unknown" and not (adam and patient.run.framework in OF_TRANSFORMERS):
        return OWN_LOOP if adam else None
    if patient.kind == "unknown" or patient.is_any_of(["llm"]):
        return TEXT
    if patient.algorithm.startswith(BY_ADAM):
        return CONTROL
    return OWN_LOOP if adam or patient.kind == "on-policy" else None


# words for messages and advice


def rate_hint(patient: Patient) -> str:
    """This run's learning rate in brackets, if it is known."""
    rate = learning_rate(patient)
    return "" if rate is None else f" (this run: {rate.words})"


def suspect(patient: Patient) -> str | None:
    """The learning rate as the likely cause, if it is above all that is usual; else None."""
    rate = learning_rate(patient)
    return None if rate is None or not rate.too_high else f"the learning rate is {rate.words}"


def lower_first(patient: Patient, otherwise: str) -> str:
    """What to try where steps may be too large: an unusual rate first, else `otherwise`."""
    rate = learning_rate(patient)
    if rate is None or rate.yardstick is None or not rate.too_high:
        return otherwise
    return f"lower the learning rate of {rate.value:.3g} to {rate.yardstick.usual:g} or less first"


def causes_with_rate(patient: Patient, causes: tuple[str, ...]) -> tuple[str, ...]:
    """Causes with the learning rate as the first one, where it is above all that is usual."""
    if (found := suspect(patient)) is None:
        return causes
    others = (c for c in causes if not ("learning rate" in c and "too high" in c))
    return (found, *(cause for cause in others if cause != found))
