"""GRPO with a policy that chooses how to write, and rewards that pay for the wrong thing.

The policy is a softmax over ways to write an answer, and how often its answers are right. It is trained
on groups of eight texts with advantages relative to the group, as GRPO does. A fault changes what is
paid, or what stands between the trainer and its generator; what the texts become is up to the learning.
In the task `tools` texts are conversations in which a tool is called. What is written is recorded as
samples: it is what most of these faults can be seen in.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from runvitals.lab.contract import HEALTHY, Recorder, Sickness, Trained, Trainer
from runvitals.lab.pages import faults, tasks, variants

Random = np.random.Generator
WAYS = ("short", "long", "garbage", "copy", "formal", "loop")
TALENT = np.array([2.0, 1.0, -2.0, -1.5, -1.0, -2.5])  # for each way, at the start
ABLE = (0, 1, 4)  # the ways that may lead to a right answer
WORDS = (
    "we add the first number to the second and then see that it is less so take away from this sum "
    "what gives a part of all for each case now check again with care until done because every step by "
    "itself may hide some small mistake that nobody would notice later"
).split()


@dataclass(frozen=True)
class WritingConfig:
    """Settings."""

    seed: int = 0
    total_steps: int = 80
    prompts: int = 6  # of a step
    group_size: int = 8
    update_size: float = 0.12
    eval_every: int = 10
    tools: bool = False
    # a right answer is logged beside the reward, which also pays for being short
    scored: bool = False


@dataclass(frozen=True)
class Essay:
    """What was written, in which way, and whether its answer is right."""

    way: str
    words: list[str]
    is_right: bool
    calls: int = 0
    is_cut: bool = False


FAULTS = faults("""
garbage-pays (W01): the reward pays for garbage
  expect: TEXT001
length-pays (W02): the reward grows with the length of a text
  expect: GAIN001, LEN005
copying-pays (W03): the reward pays for words of the prompt
  expect: TEXT004
loops-pay (W04): the reward pays for repetition
  expect: TEXT002; tasks: answers
format-only (W05): the reward pays for the form of an answer alone
  expect: GAIN002; sets: scored = True; late: no
tool-calls-pay (W06): the reward pays for every call of a tool
  expect: TEXT009; tasks: tools
texts-cut (W07): texts are cut before their answer, and only their finish reason tells
  expect: LEN001; doses: 0.3, 0.7, 0.95  # share of the texts
contaminated-evaluation (W08): the evaluation asks prompts of the training
  expect: GAIN004; harm: telemetry; late: no
routing-noise (W09): rollout engine and trainer send tokens to different experts
  expect: MIS005; doses: 0.3, 0.5, 0.8  # share of the tokens
stale-weights (W10): texts are written by weights that are many updates old
  expect: MIS003; doses: 6, 12, 24  # updates
slow-rank (W11): one of four ranks is slow, and the others wait for it
  expect: LOAD002, LOAD005; harm: telemetry; doses: 1.4, 1.8, 3.0  # times slower
""")
VARIANTS = variants("""
with-score: a right answer is logged beside a reward that also pays for being short
  sets: scored=True
large-groups: 16 texts for each prompt
  sets: group_size=16
short-run: 24 steps
  sets: total_steps=24; learns: no
""")
TASKS = tasks(
    "chance of a right answer",
    """
answers (0.75): write answers
tools (0.75): write answers with the help of a tool
  sets: tools=True
""",
)


def train(config: WritingConfig, run: Recorder, sick: Sickness = HEALTHY) -> Trained:
    """Train, and record metrics under the catalog's names with every text that was written."""
    started, rng = time.perf_counter(), np.random.default_rng(config.seed)
    logits = np.append(TALENT + 0.2 * rng.standard_normal(len(WAYS)), -0.8)  # the last: being right
    history = [logits]
    asked = [f"Question {n}: {' '.join(rng.choice(WORDS, 20))}?" for n in range(240)]
    held_out = asked[:40] if sick("contaminated-evaluation") else asked[200:]
    run.progress(total_steps=config.total_steps)
    for step in range(1, config.total_steps + 1):
        sick.at(step / config.total_steps)
        now = sick.settings(config)
        behind = min(int(sick("stale-weights")), step - 1)
        lost = sick("routing-noise", otherwise=0.01)
        writes = history[-1 - behind]
        chances, right = softmax(writes[:-1]), chance_of(writes[-1], lost)
        gradient, texts, rewards, groups = np.zeros_like(logits), [], [], []
        for place in rng.choice(200, config.prompts, replace=False):
            ways = rng.choice(len(WAYS), config.group_size, p=chances)
            able = np.isin(ways, ABLE) & (rng.random(config.group_size) < right)
            group = [
                write(WAYS[way], asked[place], bool(ok), now, sick, rng)
                for way, ok in zip(ways, able, strict=True)
            ]
            paid = np.array([pay(text, now, sick) for text in group])
            advantages = (paid - paid.mean()) / (paid.std() + 1e-4)
            for way, text, advantage in zip(ways, group, advantages, strict=True):
                gradient[:-1] += advantage * (np.eye(len(WAYS))[way] - chances)
                gradient[-1] += advantage * (float(text.is_right) - right) * (way in ABLE)
            texts += group
            rewards += paid.tolist()
            groups.append(float(paid.std()))
            for text, reward in zip(group, paid.tolist(), strict=True):
                run.log_samples(fields(asked[place], text, reward, now, "train"), step)
        logits = logits + config.update_size * gradient / np.sqrt(len(texts))
        history.append(logits)
        lengths = [len(text.words) for text in texts]
        values = {
            "reward/score_mean": float(np.mean(rewards)),
            "reward/score_std": float(np.std(rewards)),
            "reward/zero_std_fraction": float(np.mean([spread < 1e-9 for spread in groups])),
            "length/response_mean": float(np.mean(lengths)),
            "length/response_max": float(np.max(lengths)),
            "length/response_min": float(np.min(lengths)),
            "policy/entropy": float(-(chances * np.log(chances)).sum()),
            "async/staleness_mean": float(behind),
            "moe/routing_disagreement": float((rng.random(2_000) < lost).mean()),
        }
        times = 1.0 + 0.03 * rng.standard_normal(4)  # seconds of a step on each of four ranks
        times[2] *= sick("slow-rank", otherwise=1.0)
        values |= {f"time/step_s{{rank={rank}}}": float(t) for rank, t in enumerate(times)}
        if step % config.eval_every == 0:
            found = [write("short", one, bool(rng.random() < right), now, sick, rng)
                     for one in held_out[:24]]  # fmt: skip
            for one, text in zip(held_out, found, strict=False):
                run.log_samples(fields(one, text, float(text.is_right), now, "eval"), step)
            values["eval/score_mean"] = float(np.mean([text.is_right for text in found]))
        run.log(values, step)
    score = softmax(logits[:-1])[list(ABLE)].sum() * chance_of(logits[-1], 0.01)
    return Trained(float(score), config.total_steps, time.perf_counter() - started)


def write(
    way: str, asked: str, is_right: bool, now: WritingConfig, sick: Sickness, rng: Random
) -> Essay:
    """A text of this kind."""
    body = [str(word) for word in rng.choice(WORDS, int(rng.integers(18, 40)))]
    words = {
        "short": body,
        "long": [*body, *map(str, rng.choice(WORDS, 60))],
        "garbage": ["!" * int(rng.integers(60, 200))],
        "copy": asked.split() * 2,
        "formal": ["answer:", *body[:12], "answer:", "answer:"],
        "loop": body if now.tools else body[:5] * 14,  # with tools, the calls are what repeats
    }[way]
    words = [*words, "The", "answer", "is", "7" if is_right else "9"]
    calls = (4 if way == "loop" else 1) if now.tools else 0
    cut = sick("texts-cut")
    is_cut = bool(cut) and rng.random() < cut
    return Essay(way, words[:10] if is_cut else words, is_right and not is_cut, calls, is_cut)


def pay(text: Essay, now: WritingConfig, sick: Sickness) -> float:
    """The reward of a text: that of its answer, or what a fault pays for."""
    for way, paid in (
        ("garbage", sick("garbage-pays")),
        ("copy", sick("copying-pays")),
        ("loop", sick("loops-pay")),
        ("formal", sick("format-only")),
    ):
        if paid:
            return float(text.way == way)
    if sick("length-pays"):
        return len(text.words) / 60
    if sick("tool-calls-pay"):
        return text.calls / 4
    return 0.8 * text.is_right + 0.2 * (text.way == "short") if now.scored else float(text.is_right)


def fields(
    asked: str, text: Essay, reward: float, now: WritingConfig, split: str
) -> dict[str, Any]:
    """A text as it is logged."""
    written: object = " ".join(text.words)
    if text.calls:
        call = {"role": "assistant", "tool_calls": [{"name": "look_up", "arguments": "{}"}]}
        result = {"role": "tool", "content": "7 apples"}
        written = [*[call, result] * text.calls, {"role": "assistant", "content": written}]
    row = {"prompt": asked, "completion": written, "reward": reward, "split": split}
    row["finish_reason"] = "length" if text.is_cut else "stop"
    return {**row, "correct": float(text.is_right)} if now.scored else row


def chance_of(logit: float, lost: float) -> float:
    """How often an answer is right if this share of the tokens goes to other experts."""
    return float((1 - lost) / (1 + np.exp(-logit)))


def softmax(logits: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Chances that add up to one."""
    raised = np.exp(logits - logits.max())
    return np.asarray(raised / raised.sum())


TITLE = "GRPO on texts that are read: a policy that chooses how to write"
WRITING = Trainer("writing", TITLE, "GRPO", WritingConfig, train, TASKS, FAULTS, VARIANTS)
