"""Fine-tuning a tiny student on the marks that a teacher gives to its programs, recorded throughout.

To be read from top to bottom: the settings, what can go wrong, the training loop, then the student's
task and the teacher. The student is asked for a program that computes the sum of three
digits: a good answer to `352>` is `#9+1.`, with `#` for its documentation. The teacher marks
correctness, code quality, efficiency and documentation from 0 to 1, and the weighted mean is the
reward of a policy gradient with a KL penalty towards the student's first version.
"""

from __future__ import annotations

import itertools
import re
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Trained, Trainer
from runvitals.lab.lm import Responses, SequenceNet, fit, judge, push, respond
from runvitals.lab.nn import Adam, Array, clip_norm, generators, norm
from runvitals.lab.pages import faults, tasks, variants
from runvitals.lab.puzzles import (
    HELD_OUT,
    PAD,
    VOCABULARY,
    Tokens,
    decode,
    encode,
    lengths,
    readable,
)
from runvitals.lab.tuning import copy_of
from runvitals.metrics import EpochTracker, SpeedMeter
from runvitals.model import ConfigError
from runvitals.model.text import labelled

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
        return np.array([getattr(self, name) for name in _weights(*RUBRIC)])

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

CRITERIA = ("Correctness", "CodeQuality", "Efficiency", "Documentation")
INSTRUCTIONS = 40  # tokens that the teacher reads with every program
VERDICT = 8  # tokens that it writes about one


# training


@np.errstate(over="ignore", invalid="ignore")  # a sick run may overflow
def train(config: TeacherConfig, run: Recorder, sick: Sickness = HEALTHY) -> Trained:
    """Let a teacher mark a student's programs and log everything through `run`."""
    prompt_rng, sample_rng, teacher_rng, eval_rng = generators(config.seed, 4)
    questions, held_out = prompts()
    first = first_student(config.base_seed, config.base_steps, config.max_tokens)
    student = copy_of(first, columns(config.max_tokens))
    optimizer = Adam(student.params)
    teacher = Teacher(teacher_rng)
    epoch_so_far = EpochTracker()
    generation, backprop = SpeedMeter("Generation"), SpeedMeter("Backprop")
    started = time.perf_counter()
    batches = config.epochs * config.batches_per_epoch
    run.progress(total_steps=batches)

    for batch in range(batches):
        sick.at(batch / batches)
        now = sick.settings(config)
        left = 1.0 - batch / batches
        learning_rate = now.learning_rate * (left if now.anneal_learning_rate else 1.0)

        asked = prompt_rng.choice(len(questions), now.prompts_per_batch, replace=False)
        asked_tokens = np.repeat(questions[asked], now.samples_per_prompt, axis=0)
        began = time.perf_counter()
        with run.timer("gen") as generating:
            written = respond(
                student, asked_tokens, now.max_tokens, sample_rng, temperature=now.temperature
            )
            if times := sick("slow-generation"):
                time.sleep(times * (time.perf_counter() - began))
        with run.timer("reward"):
            marks, api_tokens = teacher.mark(asked_tokens, written, now, sick)
        with run.timer("update") as updating:
            losses, grad_norm = update(
                student, first, optimizer, asked_tokens, written, marks.rewards, now, learning_rate
            )

        tokens = int(lengths(written.tokens).sum())
        epoch_so_far.update(reward=marks.rewards, loss=losses["Train/Loss"], api_tokens=api_tokens)
        run.count(updates=1, samples=len(asked_tokens), tokens=tokens)
        generated = generation.update(tokens, generating.seconds)
        learned = backprop.update(tokens + int((asked_tokens != PAD).sum()), updating.seconds)
        metrics = {
            **losses,
            **reward_metrics(marks),
            **{f"Scoring/{name}": x for name, x in zip(CRITERIA, now.weights, strict=True)},
            "Performance/Backprop_TokensPerSec": learned["Performance/Backprop_TokensPerSec"],
            "optim/grad_norm": grad_norm,
            "optim/learning_rate": learning_rate,
            "optim/param_norm": norm(student.params),
            "policy/kl_coef": now.kl_coef,
            "length/response_mean": float(lengths(written.tokens).mean()),
            "length/response_clip_ratio": float(1.0 - written.ended.mean()),
            "progress/epoch": (batch + 1) / config.batches_per_epoch,
        }
        if (batch + 1) % config.performance_every == 0:
            for name in ("Performance/Generation_TokensPerSec", "Performance/Generation_Time"):
                metrics[name] = generated[name]
        if (batch + 1) % config.batches_per_epoch == 0:
            metrics |= epoch_so_far.end()
            for name in ("AvgTokensPerSec", "P99TokensPerSec"):
                metrics[f"Performance/Generation_{name}"] = generated[
                    f"Performance/Generation_{name}"
                ]
                metrics[f"Performance/Backprop_{name}"] = learned[f"Performance/Backprop_{name}"]
        look_closer = (batch + 1) % config.eval_every == 0 or batch == batches - 1
        if look_closer:
            with run.timer("eval"):
                tried = respond(student, held_out[:100], config.max_tokens, eval_rng)
            right = review(held_out[:100], tried)[:, 0] == 1.0
            metrics["eval/success_rate"] = float(right.mean())  # by running the programs
        run.log(metrics, batch + 1)
        if look_closer:
            run.log_histogram("reward/distribution", marks.rewards, batch + 1)
            texts = {"prompt": asked_tokens, "completion": written.tokens, "reward": marks.rewards}
            criteria = dict(zip(CRITERIA, marks.criteria.T, strict=True))
            run.log_samples(readable(range(4), **texts, **criteria), batch + 1)
            run.progress(updates=batch + 1)

    final = respond(student, held_out, config.max_tokens, np.random.default_rng(0))
    score = float((review(held_out, final) @ np.array(RUBRIC)).mean())
    return Trained(score, batches, time.perf_counter() - started)


def update(
    student: SequenceNet,
    first: SequenceNet,
    optimizer: Adam,
    asked: Tokens,
    written: Responses,
    rewards: Array,
    config: TeacherConfig,
    learning_rate: float,
) -> tuple[dict[str, float], float]:
    """One step of the policy gradient; gives the losses and the gradient's length.

    The KL penalty is the mean over tokens of `exp(r) - r - 1`, with `r` the log-ratio of the first
    version to the student (Schulman's k3).
    """
    judged = judge(student, asked, written.tokens)
    log_ratio = judge(first, asked, written.tokens).log_probs - judged.log_probs
    ratio = np.exp(np.minimum(log_ratio, 20.0))
    groups = rewards.reshape(-1, config.samples_per_prompt)
    advantages = (groups - config.baseline * groups.mean(axis=1, keepdims=True)).ravel()
    count = float(judged.mask.sum())
    weights = (config.kl_coef * (1.0 - ratio) - advantages[:, None]) / count
    push(student, judged, written.tokens, weights)
    grad_norm = clip_norm(student.grads, config.max_grad_norm)
    optimizer.step(student.grads, learning_rate)

    policy_loss = -float((advantages[:, None] * judged.log_probs).sum()) / count
    kl = float(((ratio - log_ratio - 1.0) * judged.mask).sum()) / count
    losses = {
        "Train/Loss": policy_loss + config.kl_coef * kl,
        "Train/PolicyLoss": policy_loss,
        "Train/KLPenalty": config.kl_coef * kl,
        "policy/kl_ref": kl,
        "policy/entropy": float(judged.entropy.sum()) / count,
        "policy/logprob_mean": float(judged.log_probs.sum()) / count,
    }
    return losses, grad_norm


def reward_metrics(marks: Marks) -> dict[str, float]:
    """The rewards of a batch, and the marks that they are made of."""
    rewards = marks.rewards
    found = {
        "Train/AvgReward": float(rewards.mean()),
        "Train/RewardStd": float(rewards.std()),
        "Train/RewardMin": float(rewards.min()),
        "Train/RewardMax": float(rewards.max()),
        "Train/RewardVariance": float(rewards.var()),
    }
    for name, column in zip(CRITERIA, marks.criteria.T, strict=True):
        found[labelled("reward/component_mean", component=name)] = float(column.mean())
        found[labelled("reward/component_std", component=name)] = float(column.std())
    return found


# the task


@lru_cache
def prompts() -> tuple[Tokens, Tokens]:
    """Questions to learn from, and held-out ones: three digits from 1 to 9 and a `>`."""
    texts = ["".join(digits) + ">" for digits in itertools.product("123456789", repeat=3)]
    order = np.random.default_rng(20_260_102).permutation(len(texts))
    table = encode(texts, 4)[order]
    held_out = int(HELD_OUT * len(texts))
    return table[held_out:], table[:held_out]


def columns(max_tokens: int) -> int:
    """Of a prompt and a program."""
    return 4 + max_tokens


@lru_cache(maxsize=4)
def first_student(seed: int, steps: int, max_tokens: int) -> SequenceNet:
    """A student that has seen careless programs: wrong digits, idle parts, no documentation."""
    weights_rng, data_rng = generators(seed, 2)
    student = SequenceNet(columns(max_tokens), VOCABULARY, weights_rng)
    optimizer = Adam(student.params)
    questions, _ = prompts()
    for _ in range(steps):
        asked = questions[data_rng.integers(0, len(questions), 64)]
        programs = [careless(decode(row), data_rng) for row in asked]
        fit(student, optimizer, asked, encode(programs, max_tokens), 5e-3)
    return student


def careless(question: str, rng: np.random.Generator) -> str:
    """A program for a question as a beginner writes it, the end token included."""
    digits = [str(rng.integers(1, 10)) if rng.random() < 0.1 else digit for digit in question[:3]]
    idle = ["0"] if rng.random() < 0.4 else []
    mark = "#" if rng.random() < 0.3 else ""
    end = "." if rng.random() < 0.9 else "+"
    return mark + "+".join(digits + idle) + end


# the teacher


FLIPPED_FIRST = (1, 0, 2)  # columns: code quality, correctness, efficiency


class Marks(NamedTuple):
    """What the teacher said: a row per program and a column per criterion, and the rewards."""

    criteria: Array
    rewards: Array


class Teacher:
    """Marks programs, and counts the tokens that it reads and writes."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._overhead = 0.0

    def mark(
        self, asked: Tokens, written: Responses, config: TeacherConfig, sick: Sickness
    ) -> tuple[Marks, int]:
        """Marks for a batch of programs, and what they cost in tokens."""
        criteria = review(asked, written)
        if flipped := int(sick("rubric-flipped")):
            these = FLIPPED_FIRST[:flipped]
            criteria[:, these] = 1.0 - criteria[:, these]
        if sick("teacher-constant"):
            criteria[:] = 0.5
        if share := sick("teacher-down"):
            criteria[self._rng.random(len(criteria)) < share] = 0.0
        if share := sick("percent-scores"):
            criteria[self._rng.random(len(criteria)) < share] *= 100.0
        if spread := sick("teacher-noisy"):
            criteria += spread * self._rng.standard_normal((len(criteria), 1))
        self._overhead += sick("token-cost-grows")
        per_call = INSTRUCTIONS + VERDICT + self._overhead
        read = int((asked != PAD).sum() + (written.tokens != PAD).sum())
        return Marks(criteria, criteria @ config.weights), read + int(per_call * len(asked))


PROGRAM = re.compile(r"(?P<mark>#?)(?P<body>\d(?:\+\d)*)\.")


def review(asked: Tokens, written: Responses) -> Array:
    """The four marks of each program, by the true rubric."""
    pairs = zip(asked, written.tokens, strict=True)
    return np.array([marks_of(decode(question), decode(answer)) for question, answer in pairs])


def marks_of(question: str, program: str) -> tuple[float, float, float, float]:
    """Correctness, code quality, efficiency and documentation, each from 0 to 1.

    >>> marks_of("352>", "#9+1."), marks_of("352>", "3+5+2+0."), marks_of("352>", "#3++")
    ((1.0, 1.0, 1.0, 1.0), (1.0, 0.5, 0.42..., 0.0), (0.0, 0.0, 0.0, 1.0))
    """
    documented = float(program.startswith("#"))
    parsed = PROGRAM.fullmatch(program)
    if parsed is None:
        return 0.0, 0.0, 0.0, documented
    wanted = sum(map(int, question[:3]))
    terms = [int(term) for term in parsed["body"].split("+")]
    miss = abs(sum(terms) - wanted)
    shortest = 2 * max(1, -(-wanted // 9)) - 1
    correctness = 1.0 if miss == 0 else 0.5 * max(0.0, 1.0 - miss / 10)
    idle = 0 in terms and len(terms) > 1
    efficiency = min(1.0, shortest / len(parsed["body"]))
    return correctness, 0.5 if idle else 1.0, efficiency, documented


TEACHER = Trainer(
    "teacher", "Fine-tuning on a teacher's marks", "REINFORCE with KL", TeacherConfig, train, TASKS,
    FAULTS, VARIANTS, "teacher-tuner",
)  # fmt: skip
