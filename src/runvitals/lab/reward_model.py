"""A reward model (Bradley-Terry on pairs of answers) for a tiny language, recorded throughout.

One file, to be read from top to bottom: the settings, what can go wrong, the training loop, then the
pieces it uses. The judge begins with the word vectors of a base language model and a score head of
zeros, and learns in a second or two to tell right answers from spoilt ones. Names are those of the
usual glossaries; the dialect `trl` has those of TRL's RewardTrainer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Trained, Trainer
from runvitals.lab.lm import SequenceNet, SequenceReading, base_model, spoil
from runvitals.lab.measures import Means
from runvitals.lab.nn import Adam, Array, Integers, clip_norm, generators, norm
from runvitals.lab.pages import dialect, faults, tasks, variants
from runvitals.lab.puzzles import PAD, Pairs, Puzzle, Puzzles, lengths, puzzle, readable
from runvitals.lab.tuning import Order, check_steps, columns_of, warmed_up
from runvitals.metrics import calibration_error, ranking_accuracy, reward_model_stats

PADDING = 1  # empty columns in front of every sequence


@dataclass(frozen=True)
class RewardModelConfig:
    """All that decides how a run goes. A step is one update of the weights."""

    task: str = "sorting"
    seed: int = 0
    base_seed: int = 0  # which base model lends its word vectors
    max_steps: int = 400
    batch_size: int = 32  # pairs
    train_samples: int | None = None  # pairs; None: one for each training prompt
    label_noise: float = 0.0  # pairs that the annotators got wrong
    learning_rate: float = 5e-3
    anneal_learning_rate: bool = True  # in a straight line down to 0
    warmup_ratio: float = 0.05
    max_grad_norm: float = 1.0
    center_rewards: float = 0.001  # weight of a term that keeps scores around 0
    logging_steps: int = 4
    eval_steps: int = 20
    eval_samples: int = 256

    def __post_init__(self) -> None:
        check_steps(self.max_steps, self.logging_steps, self.eval_steps)


# what can go wrong

FAULTS = faults("""
score-at-padding (R01): the score is read from a padding token
  expect: RM001; accept: POL002, GRAD003
head-frozen (R02): the new score head is not among the parameters that are trained
  expect: RM001; accept: POL002, GRAD003; late: no
labels-flipped (R03): a share of the labels is flipped
  expect: RM004, RM001; accept: EVAL001, SFT003; doses: 0.15, 0.3, 0.45
labels-random (R03): all labels are left to chance
  expect: RM001, RM004; accept: EVAL001, SFT003
few-pairs (R04): many epochs over a few pairs
  expect: RM004; accept: SFT003; doses: 256, 64, 16; sets: train_samples = int(dose); late: no
lr-x100 (R05): learning rate far too high, or it jumps there
  expect: RM002; accept: LR001, RM001, POL001, GRAD001, EVAL001, DATA007, NUM001
  doses: 10, 100, 1000; sets: learning_rate *= dose
lr-zero (P02): learning rate zero
  expect: POL002; accept: RM001, DATA007; sets: learning_rate = 0.0
optimizer-step-missing (P25): gradients are computed and never applied
  expect: POL002; accept: RM001
""")

TASKS = tasks(
    "clean held-out pairs that are ranked rightly",
    """
sorting (0.95): tell sorted digits from spoilt ones
brackets (0.95): tell closed brackets from spoilt ones
  sets: task="brackets"
addition (0.8): tell sums from wrong ones
  sets: task="addition"
""",
)
VARIANTS = variants("""
slow-learner: a small learning rate; still improving at the end
  sets: learning_rate=3e-4; learns: no
short-run: 15 rows of metrics
  sets: max_steps=60; learns: no
no-annealing: the rate never falls
  sets: anneal_learning_rate=False
no-warm-up: full rate from the first step
  sets: warmup_ratio=0.0
noisy-annotators: one label in twenty is wrong, and accuracy stops below 1
  sets: label_noise=0.05; tasks: sorting, brackets
large-batches: a quiet loss
  sets: batch_size=64
not-centred: scores drift freely
  sets: center_rewards=0.0
metrics-missing: no evaluation, no scores
  hides: eval*, rm/score*
few-logs: a row every 20 steps
  sets: logging_steps=20, eval_steps=40
""")


# training


@np.errstate(over="ignore", invalid="ignore")  # a sick run may overflow
def train(config: RewardModelConfig, run: Recorder, sick: Sickness = HEALTHY) -> Trained:
    """Train a judge of answers and log everything through `run`."""
    weights_rng, pairs_rng, order_rng, label_rng = generators(config.seed, 4)
    task = puzzle(config.task)
    judge = new_judge(task, config, weights_rng)
    optimizer = Adam(judge.params)
    pairs = spoilt_pairs(task.train, pairs_rng)
    held_out = spoilt_pairs(task.held_out, np.random.default_rng(0))  # the same for every seed
    shown = held_out.take(np.arange(min(config.eval_samples, len(held_out.prompts))))
    draw = label_rng.random(len(pairs.prompts))  # one per pair, so that a pair keeps its label
    order = Order(len(pairs.prompts), order_rng)
    means = Means()
    started = time.perf_counter()
    tokens_seen, epoch = 0, 0.0
    run.progress(total_steps=config.max_steps)

    for step in range(1, config.max_steps + 1):
        sick.at((step - 1) / config.max_steps)
        now = sick.settings(config)
        learning_rate = now.learning_rate * warmed_up(
            sick.progress, now.warmup_ratio, anneal=now.anneal_learning_rate
        )
        flipped = sick("labels-flipped", otherwise=now.label_noise)
        if sick("labels-random"):
            flipped = 0.5

        rows = order.next(now.batch_size, now.train_samples)
        batch = pairs.take(rows).swapped(draw[rows] < flipped)
        with run.timer("update"):
            scored = score(judge, batch, sick)
            weights = loss_grad(scored, now)
            judge.backward(scored.reading, scored.at_outputs(weights))
            if sick("head-frozen"):
                judge.head.grads[:] = 0.0
            grad_norm = clip_norm(judge.grads, now.max_grad_norm)
            if not sick("optimizer-step-missing"):
                optimizer.step(judge.grads, learning_rate)

        means.add(statistics(scored, now))
        tokens = int((scored.reading.tokens != PAD).sum())
        tokens_seen += tokens
        epoch += len(rows) / order.size(now.train_samples)
        run.count(updates=1, tokens=tokens, samples=len(rows))
        if step % config.logging_steps:
            continue

        metrics: dict[str, float] = {
            **means.take(),
            "rm/grad_norm": grad_norm,
            "optim/learning_rate": learning_rate,
            "optim/param_norm": norm(judge.params),
            "progress/epoch": epoch,
        }
        look_closer = step % config.eval_steps == 0 or step == config.max_steps
        if look_closer:
            with run.timer("eval"):
                seen = score(judge, shown, sick)
                metrics |= {f"eval/{name}": x for name, x in statistics(seen, now).items()}
                metrics["eval/rm/calibration_error"] = float(
                    calibration_error(seen.chosen, seen.rejected)
                )
        run.log(metrics, step)
        if look_closer:
            run.log_histogram(
                "rm/score_distribution", np.concatenate([seen.chosen, seen.rejected]), step
            )
            texts = {"prompt": shown.prompts, "chosen": shown.chosen, "rejected": shown.rejected}
            scores = {"score_chosen": seen.chosen, "score_rejected": seen.rejected}
            run.log_samples(readable(range(4), **texts, **scores), step)
            run.progress(updates=step, tokens=tokens_seen)

    final = score(judge, held_out)
    accuracy = float(ranking_accuracy(final.chosen, final.rejected))
    return Trained(accuracy, config.max_steps, time.perf_counter() - started)


def new_judge(task: Puzzle, config: RewardModelConfig, rng: np.random.Generator) -> SequenceNet:
    """A network with one output: the base model's word vectors below, and a last layer of zeros."""
    columns = columns_of(task)
    base = base_model(config.task, columns, config.base_seed)
    judge = SequenceNet(columns + PADDING, 1, rng, output_gain=0.0)
    judge.vectors[-len(base.vectors) :] = base.vectors
    return judge


# data


def spoilt_pairs(rows: Puzzles, rng: np.random.Generator) -> Pairs:
    """Right answers beside spoilt ones."""
    return Pairs(rows.prompts, rows.answers, spoil(rows.answers, 1.0, rng))


# scores and their loss


class PairScores(NamedTuple):
    """What the judge said of some pairs; all chosen answers come before all rejected ones."""

    reading: SequenceReading
    columns: Integers  # where each score was read
    scores: Array

    @property
    def chosen(self) -> Array:
        """Scores of the better answers."""
        return self.scores[: len(self.scores) // 2]

    @property
    def rejected(self) -> Array:
        """Scores of the worse answers."""
        return self.scores[len(self.scores) // 2 :]

    def at_outputs(self, weights: Array) -> Array:
        """A gradient at the scores as one at all outputs of the network."""
        grad = np.zeros_like(self.reading.outputs)
        grad[np.arange(len(weights)), self.columns, 0] = weights
        return grad


def score(judge: SequenceNet, pairs: Pairs, sick: Sickness = HEALTHY) -> PairScores:
    """Read both answers to each prompt; the score is the output at the answer's last token."""
    answers = np.concatenate([pairs.chosen, pairs.rejected])
    prompts = np.concatenate([pairs.prompts, pairs.prompts])
    tokens = np.pad(np.concatenate([prompts, answers], axis=1), ((0, 0), (PADDING, 0)))
    columns: Integers = PADDING + prompts.shape[1] + lengths(answers) - 1
    if sick("score-at-padding"):
        columns = np.zeros_like(columns)
    reading = judge.read(tokens)
    return PairScores(reading, columns, reading.outputs[np.arange(len(tokens)), columns, 0])


def loss_grad(scored: PairScores, config: RewardModelConfig) -> Array:
    """Gradient of the mean Bradley-Terry loss, and of the centring term, at the scores."""
    gap, total = scored.chosen - scored.rejected, scored.chosen + scored.rejected
    slope = 0.5 * (np.tanh(0.5 * gap) - 1.0)  # of -logsigmoid
    centring = 2.0 * config.center_rewards * total
    return np.concatenate([centring + slope, centring - slope]) / len(gap)


NAMES = {"rm/margin": "rm/reward_margin"}


def statistics(scored: PairScores, config: RewardModelConfig) -> dict[str, float]:
    """Loss, accuracy, margin, and where the scores lie."""
    stats = reward_model_stats(scored.chosen, scored.rejected, center=config.center_rewards)
    return {NAMES.get(name, name): float(value) for name, value in stats.items()}


TRL = dialect("""
rm/loss = loss; rm/accuracy = accuracy; rm/reward_margin = margin; rm/score_min = min_reward;
rm/score_mean = mean_reward; rm/score_max = max_reward; rm/grad_norm = grad_norm;
optim/learning_rate = learning_rate; progress/epoch = epoch; eval/rm/loss = eval_loss;
eval/rm/accuracy = eval_accuracy; eval/rm/reward_margin = eval_margin;
eval/rm/score_min = eval_min_reward; eval/rm/score_mean = eval_mean_reward;
eval/rm/score_max = eval_max_reward
""")

REWARD_MODEL = Trainer(
    "reward-model", "A reward model for the answers of a tiny language model", "Reward",
    RewardModelConfig, train, TASKS, FAULTS, VARIANTS, "glossary", dialects={"trl": TRL},
)  # fmt: skip
