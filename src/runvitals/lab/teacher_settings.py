"""What the teacher-scored trainer can be set to, what it can learn, and what can go wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from runvitals.lab.nn import Array
from runvitals.lab.pages import faults, tasks, variants
from runvitals.model import ConfigError

RUBRIC = (0.3, 0.3, 0.2, 0.2)  # the right weights, by which every student is judged in the end


@dataclass(frozen=True)
class TeacherConfig:
    """All that decides how a run goes. A step is one batch, and one update of the weights."""

    seed: int = 0
    base_seed: int = 0  # which first version of the student
    base_steps: int = 150  # how long that one was trained
    epochs: int = 12
    batches_per_epoch: int = 14
    prompts_per_batch: int = 32
    samples_per_prompt: int = 4
    max_tokens: int = 10
    temperature: float = 1.0
    learning_rate: float = 6e-3
    anneal_learning_rate: bool = True  # in a straight line down to 0
    kl_coef: float = 0.005
    baseline: float = 0.5  # share of their prompt's mean that is taken off the rewards
    max_grad_norm: float = 1.0
    correctness_weight: float = RUBRIC[0]
    code_quality_weight: float = RUBRIC[1]
    efficiency_weight: float = RUBRIC[2]
    documentation_weight: float = RUBRIC[3]
    eval_every: int = 7  # batches
    performance_every: int = 10  # batches

    @property
    def weights(self) -> Array:
        """What each criterion counts, in the order of `CRITERIA`."""
        return np.array(
            [
                self.correctness_weight,
                self.code_quality_weight,
                self.efficiency_weight,
                self.documentation_weight,
            ]
        )

    def __post_init__(self) -> None:
        if min(self.epochs, self.batches_per_epoch, self.prompts_per_batch) < 1:
            raise ConfigError("a run needs an epoch, a batch and a prompt at least")


def _weights(*weights: float) -> dict[str, Any]:
    names = ("correctness", "code_quality", "efficiency", "documentation")
    return {f"{name}_weight": weight for name, weight in zip(names, weights, strict=True)}


FAULTS = faults(
    """
teacher-constant (T01): the teacher gives 0.5 to everything
  expect: REW004; accept: REW005, ADV001, GRAD003, DATA004, EVAL001
teacher-noisy (T02): the teacher's marks are mostly noise
  expect: REW007; accept: REW005, REW008
  doses: 0.2, 1.0, 3.0  # standard deviation, marks run from 0 to 1
rubric-flipped (T03): the teacher takes bad code for good: the reward rises and the programs get
    worse
  expect: REW001, EVAL002; accept: REW010, EVAL001, REW005
  doses: 1, 2, 3  # criteria that are taken the wrong way round
teacher-down (T04): calls of the teacher fail and count as 0
  expect: REW003, REW004; accept: REW005, REW007, EVAL001
  doses: 0.3, 0.7, 1.0  # share of the calls
lr-x100 (T05): learning rate far too high
  expect: REW003, ENT001; accept: KL002, KL004, GRAD001, POL001, REW005, REW011, EVAL001, DATA007
  doses: 10, 100, 1000; sets: learning_rate *= dose
lr-zero (T06): learning rate zero
  expect: POL002; accept: REW005, DATA007, KL003; sets: learning_rate = 0.0
kl-huge (T07): the KL penalty outweighs the reward
  expect: KL006; accept: REW005, KL003; doses: 20, 200, 2000; sets: kl_coef *= dose
kl-zero-lr-high (T08): no KL penalty and a high learning rate: the student collapses
  expect: ENT001, KL004; accept: REW003, GRAD001, POL001, REW005, EVAL001, DATA007
  doses: 10, 30, 100; sets: kl_coef = 0.0, learning_rate *= dose
documentation-only (T09): only documentation counts: the reward is perfect and the programs are not
  expect: REW001, EVAL002; accept: REW010, REW004, EVAL001, DATA004
weights-too-large (T10): the weights do not add up to one
  expect: DATA007; accept: REW007, REW012, NUM003; doses: 2, 10, 100
token-cost-grows (T11): old conversations are sent to the teacher with every call
  expect: SYS004; harm: telemetry; doses: 1, 4, 16  # tokens more per call with every batch
slow-generation (T12): generation takes several times as long as before
  expect: PERF001; accept: PERF003, PERF005; harm: speed
  doses: 1, 3, 10  # times its own duration, slept
percent-scores (T13): some marks come back in percent
  expect: REW007; accept: REW012, POL001, GRAD001, NUM003, REW005
  doses: 0.02, 0.1, 0.5  # share of the calls
""",
    changes={
        "documentation-only": lambda _, dose: _weights(0.0, 0.0, 0.0, dose),
        "weights-too-large": lambda _, dose: _weights(*(dose * weight for weight in RUBRIC)),
    },
)


TASKS = tasks(
    "true rubric on held-out",
    """
sums (0.8): write a program that adds three digits up
sums-raw (0.8): the same with raw rewards, without a baseline
  sets: baseline=0.0
""",
)
VARIANTS = variants("""
slow-learner: a small learning rate; still improving at the end
  sets: learning_rate=5e-4; learns: no
short-run: 14 batches in two epochs
  sets: epochs=2, batches_per_epoch=7; learns: no
solved-early: the student has been here before
  sets: base_seed=1, base_steps=150, learning_rate=1e-3
beta-0: no KL penalty
  sets: kl_coef=0.0
no-annealing: the rate never falls
  sets: anneal_learning_rate=False
small-batches: noisy rewards
  sets: prompts_per_batch=12
many-epochs: 20 epochs of 9 batches
  sets: epochs=20, batches_per_epoch=9
warm-sampling: temperature 1.2
  sets: temperature=1.2
metrics-missing: only what the usual reference of this trainer lists
  hides: eval*, policy/*, optim/*, length/*, reward/*
""")
