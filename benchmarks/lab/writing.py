"""GRPO with a policy that chooses how to write, and rewards that pay for the wrong thing.

    python -m benchmarks.lab.writing [--seeds 5]

The policy is a softmax over ways to write an answer, and how often its answers are right. It is trained
on groups of eight texts with advantages relative to the group, as GRPO does. A fault changes what is
paid, or what stands between the trainer and its generator; what the texts become is up to the learning.
Prints, fault by fault, how many runs are named first by a rule that fits, and how many healthy runs are
alarmed. With `tools`, texts are conversations in which a tool is called.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import runvitals as rv
from runvitals.model import Run, Sample
from runvitals.testing import make_run

STEPS, PROMPTS, GROUP = 80, 6, 8
WORDS = (
    "we add the first number to the second and then see that it is less so take away from this sum "
    "what gives a part of all for each case now check again with care until done because every step by "
    "itself may hide some small mistake that nobody would notice later"
).split()
WAYS = ("short", "long", "garbage", "copy", "formal", "loop")
TALENT = np.array([2.0, 1.0, -2.0, -1.5, -1.0, -2.5])  # how the start model writes


@dataclass(frozen=True)
class Text:
    """What was written, in which way, and whether its answer is right."""

    way: str
    words: list[str]
    is_right: bool
    calls: int = 0


Pay = Callable[[Text], float]


@dataclass(frozen=True)
class Fault:
    """What is paid, and the rules that may name it first."""

    rules: tuple[str, ...] = ()  # of a fault that did no harm, a notice is enough
    pay: Pay = lambda text: float(text.is_right)
    tools: bool = False
    scored: bool = False  # whether the right answers are logged beside the reward
    contaminated: bool = False
    routing_noise: bool = False
    stale: int = 0
    slow_rank: bool = False


FAULTS: dict[str, Fault] = {
    "healthy": Fault(),
    "healthy with tools": Fault(tools=True),
    "healthy with a score": Fault(
        pay=lambda t: 0.8 * t.is_right + 0.2 * (t.way == "short"), scored=True
    ),
    "garbage pays": Fault(("TEXT001",), lambda t: float(t.way == "garbage")),
    "length pays": Fault(("GAIN001", "LEN005"), lambda t: len(t.words) / 60),
    "copying pays": Fault(("TEXT004",), lambda t: float(t.way == "copy")),
    "loops pay": Fault(("TEXT002",), lambda t: float(t.way == "loop")),
    "format only": Fault(("GAIN002",), lambda t: float(t.way == "formal"), scored=True),
    "tool calls pay": Fault(("TEXT009",), lambda t: t.calls / 4, tools=True),
    "contaminated evaluation": Fault(("GAIN004",), contaminated=True),
    "routing noise": Fault(("MIS005",), routing_noise=True),
    "stale weights": Fault(("MIS003",), stale=12),
    "slow rank": Fault(("LOAD002", "LOAD005"), slow_rank=True),
}


def write(way: str, asked: str, is_right: bool, tools: bool, rng: np.random.Generator) -> Text:
    """A text of this kind."""
    body = [str(word) for word in rng.choice(WORDS, int(rng.integers(18, 40)))]
    words = {
        "short": body,
        "long": [*body, *map(str, rng.choice(WORDS, 60))],
        "garbage": ["!" * int(rng.integers(60, 200))],
        "copy": asked.split() * 2,
        "formal": ["answer:", *body[:12], "answer:", "answer:"],
        "loop": body if tools else body[:5] * 14,  # with tools, the calls are what repeats
    }[way]
    calls = (4 if way == "loop" else 1) if tools else 0
    return Text(way, [*words, "The", "answer", "is", "7" if is_right else "9"], is_right, calls)


def fields(asked: str, text: Text, reward: float, *, scored: bool, split: str) -> dict[str, Any]:
    """A text as it is logged."""
    written: object = " ".join(text.words)
    if text.calls:
        call = {"role": "assistant", "tool_calls": [{"name": "look_up", "arguments": "{}"}]}
        result = {"role": "tool", "content": "7 apples"}
        said = {"role": "assistant", "content": written}
        written = [*[call, result] * text.calls, said]
    row = {"prompt": asked, "completion": written, "reward": reward, "split": split}
    return {**row, "correct": float(text.is_right)} if scored else row


def train(fault: Fault, seed: int) -> Run:
    """One run: its metrics under the catalog's names, and what the model wrote."""
    rng = np.random.default_rng(seed)
    logits = np.append(TALENT + 0.2 * rng.standard_normal(len(WAYS)), -0.8)  # the last: being right
    history, samples = [logits.copy()], []
    series: dict[str, list[float]] = {}
    asked = [f"Question {n}: {' '.join(rng.choice(WORDS, 20))}?" for n in range(240)]
    train_on, held_out = asked[:200], asked[:40] if fault.contaminated else asked[200:]
    for step in range(1, STEPS + 1):
        behind = min(fault.stale, step - 1)
        old = history[-1 - behind]
        chances, right = softmax(old[:-1]), 1 / (1 + np.exp(-old[-1]))
        lost = (
            0.5 if fault.routing_noise and step > STEPS // 3 else 0.01
        )  # tokens with other experts
        right *= 1 - lost
        gradient, rewards, lengths = np.zeros_like(logits), [], []
        for place in rng.choice(len(train_on), PROMPTS, replace=False):
            ways = rng.choice(len(WAYS), GROUP, p=chances)
            able = np.isin(ways, (0, 1, 4)) & (rng.random(GROUP) < right)
            texts = [
                write(WAYS[way], train_on[place], bool(ok), fault.tools, rng)
                for way, ok in zip(ways, able, strict=True)
            ]
            paid = np.array([fault.pay(text) for text in texts])
            advantages = (paid - paid.mean()) / (paid.std() + 1e-4)
            for way, ok, advantage in zip(ways, able, advantages, strict=True):
                gradient[:-1] += advantage * (np.eye(len(WAYS))[way] - chances)
                gradient[-1] += advantage * (float(ok) - right) * (way in (0, 1, 4))
            rewards += paid.tolist()
            lengths += [len(text.words) for text in texts]
            samples += [
                Sample(step, float(step), fields(train_on[place], *pair, **how))
                for pair in zip(texts, paid.tolist(), strict=True)
                for how in [{"scored": fault.scored, "split": "train"}]
            ]
        if step % 10 == 0:
            for one in held_out[: PROMPTS * 4]:
                text = write("short", one, bool(rng.random() < right), fault.tools, rng)
                row = fields(one, text, float(text.is_right), scored=fault.scored, split="eval")
                samples.append(Sample(step, float(step), row))
        logits = logits + 0.12 * gradient / np.sqrt(PROMPTS * GROUP)
        history.append(logits.copy())
        now = {
            "reward/mean": float(np.mean(rewards)),
            "length/response_mean": float(np.mean(lengths)),
            "policy/entropy": float(-(chances * np.log(chances)).sum()),
            **between(fault, lost, behind, rng),
        }
        for name, value in now.items():
            series.setdefault(name, []).append(value)
    return make_run(series, algorithm="grpo", samples=samples, total_steps=STEPS)


def between(fault: Fault, lost: float, behind: int, rng: np.random.Generator) -> dict[str, float]:
    """What is logged of the generator and the ranks."""
    picked = rng.random(2_000) < lost
    times = 1.0 + 0.03 * rng.standard_normal(4)
    times[2] *= 1.8 if fault.slow_rank else 1.0
    return {
        "moe/routing_disagreement": float(picked.mean()),
        "async/staleness_mean": float(behind),
        **{f"time/step_s{{rank={rank}}}": float(took) for rank, took in enumerate(times)},
    }


def softmax(logits: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Chances that add up to one."""
    raised = np.exp(logits - logits.max())
    return np.asarray(raised / raised.sum())


def main() -> None:
    """Train and judge every fault with some seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--only", choices=tuple(FAULTS))
    asked = parser.parse_args()
    named = sick = alarmed = healthy = 0
    for name, fault in FAULTS.items():
        if asked.only not in (None, name):
            continue
        first = []
        for seed in range(asked.first_seed, asked.first_seed + asked.seeds):
            said = rv.judge(train(fault, seed))
            told = [one for one in said.findings if not one.code.startswith(("DATA", "EVAL003"))]
            alarms = [
                one.code for one in told if one.severity != "notice" or one.code in fault.rules
            ]
            first.append(alarms[0] if alarms else "-")
        hits = sum(code in fault.rules for code in first)
        if fault.rules:
            named, sick = named + hits, sick + len(first)
        else:
            alarmed, healthy = alarmed + sum(code != "-" for code in first), healthy + len(first)
        print(f"{name:26} {hits if fault.rules else '':>2} {' '.join(first)}", flush=True)
    print(f"{named} of {sick} faults named first, {alarmed} of {healthy} healthy runs alarmed")


if __name__ == "__main__":
    main()
