"""What DPO, KTO and SimPO can be set to, what they can learn, and what can go wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runvitals.lab.contract import Task
from runvitals.lab.pages import dialect, faults, tasks, variants
from runvitals.lab.tuning import check_steps
from runvitals.model import ConfigError

Method = Literal["dpo", "kto", "simpo"]


@dataclass(frozen=True)
class PreferenceConfig:
    """All that decides how a run goes. A step is one update of the weights."""

    method: Method = "dpo"
    task: str = "sorting"
    seed: int = 0
    base_seed: int = 0  # which base model; all runs of one experiment share it
    base_steps: int = 300  # how long the base model was trained
    base_noise: float = 0.5  # and how many of the answers it saw were wrong
    max_steps: int = 300
    batch_size: int = 32  # pairs, or half as many good and bad samples each for KTO
    train_samples: int | None = None  # pairs; None: one for each training prompt
    max_length: int | None = None  # tokens of an answer that are kept; None: all
    learning_rate: float = 5e-4
    anneal_learning_rate: bool = True  # in a straight line down to 0
    warmup_ratio: float = 0.05
    beta: float = 0.5
    gamma: float = 0.5  # the margin that SimPO asks for
    label_smoothing: float = 0.0
    max_grad_norm: float = 1.0
    logging_steps: int = 2
    eval_steps: int = 10
    eval_samples: int = 128

    def __post_init__(self) -> None:
        if self.method not in ("dpo", "kto", "simpo"):
            raise ConfigError(f"no method {self.method!r}", hint="one of: dpo, kto, simpo")
        check_steps(self.max_steps, self.logging_steps, self.eval_steps)


@dataclass(frozen=True)
class KTOConfig(PreferenceConfig):
    """KTO's settings. Its loss is bounded, so that it stands a higher learning rate."""

    method: Method = "kto"
    learning_rate: float = 2e-3


@dataclass(frozen=True)
class SimPOConfig(PreferenceConfig):
    """SimPO's settings. Its rewards are means per token, so that beta has another scale."""

    method: Method = "simpo"
    learning_rate: float = 2.5e-4  # no reference holds it back
    beta: float = 2.0


[REFERENCE] = faults("""
other-reference (D03): the reference is another checkpoint than the one training began from
  expect: DPO004; accept: DPO003
  doses: 0.1, 0.3, 1.0  # noise on its weights, against their own spread
""")


[ONE_CLASS] = faults("""
one-class-batches (D08): good and bad samples never share a batch
  expect: DPO005; accept: NUM001, POL001; doses: 1, 10, 100  # batches in a row of one class
""")


FAULTS = faults("""
swapped (D01): chosen and rejected are swapped
  expect: DPO004; accept: EVAL001, DPO003; doses: mild 0.7, clear 1.0  # share of the pairs
random-labels (D02): which answer is the chosen one is left to chance
  expect: DPO001; accept: DPO002, EVAL001; doses: 0.5, 0.8, 1.0  # share of the pairs
lr-x100 (D04): learning rate far too high
  expect: DPO003; accept: DPO002, POL001, EVAL001, GRAD001, NUM001, DATA007; doses: 10, 100, 1000
  sets: learning_rate *= dose
few-pairs (D05): many epochs over a few pairs
  expect: DPO002; accept: SFT003, EVAL001; doses: 256, 64, 16; sets: train_samples = int(dose)
  late: no
one-token-pairs (D06): the two answers of a pair differ in one token that does not matter
  expect: DPO003; accept: DPO001, DPO002; doses: 0.5, 0.9, 1.0  # share of the pairs
truncated (D07): answers are cut before the place where they differ
  expect: DPO001; accept: DPO002, POL002, GRAD003; sets: max_length = int(dose)
  doses: 3, 2, 1  # tokens that are kept
lr-zero (D09): learning rate zero
  expect: POL002; accept: DPO001, DATA007; sets: learning_rate = 0.0
beta-tiny (D10): beta is far too small: nothing holds the policy to its reference
  expect: DPO003; accept: DPO001, DPO002, EVAL001; doses: 0.1, 0.01, 0.001; sets: beta *= dose
beta-huge (D10): beta is far too large: the smallest margin is enough
  expect: DPO002; accept: DPO001, GRAD003, POL002; doses: 10, 100, 1000; sets: beta *= dose
optimizer-step-missing (P25): gradients are computed and never applied
  expect: POL002; accept: DPO001
""")


TASKS = """
sorting ({}): put four digits in order
brackets ({}): close brackets in the right order
  sets: task="brackets", base_steps=600{}
"""  # fewer prompts for brackets, and a base model that knows more


def _tasks(sorting: float, brackets: float, more: str = "") -> tuple[Task, ...]:
    page = TASKS.format(sorting, brackets, more)
    return tasks("held-out prompts answered rightly when sampling", page)


DPO_TASKS = _tasks(0.75, 0.6, ", learning_rate=1e-4")
KTO_TASKS = _tasks(0.75, 0.75)
SIMPO_TASKS = _tasks(0.65, 0.58, ", learning_rate=5e-5")


VARIANTS = variants("""
slow-learner: a small learning rate; still improving at the end
  sets: learning_rate=5e-5; learns: no
short-run: 15 rows of metrics
  sets: max_steps=30; learns: no
solved-early: the base model is nearly always right
  sets: base_steps=500, base_noise=0.02, learning_rate=2e-4
no-annealing: the rate never falls
  sets: anneal_learning_rate=False
no-warm-up: full rate from the first step
  sets: warmup_ratio=0.0
large-batches: a quiet loss
  sets: batch_size=64
one-epoch: every pair is seen once at most
  sets: max_steps=100; learns: no
metrics-missing: no held-out metric, no log-probabilities
  hides: eval*, logps/*, logits/*, entropy, mean_token_accuracy
few-logs: a row every 10 steps
  sets: logging_steps=10, eval_steps=30
""")


SMOOTHED, SMALL_BETA = variants("""
label-smoothing: one label in ten is doubted
  sets: label_smoothing=0.1
small-beta: a loose leash
  sets: beta=0.1, learning_rate=3e-4
""")
GLOSSARY = dialect("""
loss = loss/dpo; rewards/accuracies = rewards/accuracy; epoch = progress/epoch;
num_tokens = progress/tokens; entropy = lm/entropy; kl = preference/kl; eval_loss = eval/loss;
eval_kl = eval/preference/kl; eval_entropy = eval/lm/entropy;
eval_rewards/accuracies = eval/rewards/accuracy;
eval_rewards/chosen = eval/preference/chosen_reward;
eval_rewards/rejected = eval/preference/rejected_reward;
eval_rewards/margins = eval/preference/margin; eval_logps/chosen = eval/preference/chosen_logprob;
eval_logps/rejected = eval/preference/rejected_logprob;
eval_logits/chosen = eval/preference/chosen_logits;
eval_logits/rejected = eval/preference/rejected_logits
""")
