"""Texts as models write them, sound and broken."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from runvitals.model import Sample

WORDS = (
    "the sum of all numbers is then divided by two so that we can see how many apples remain in each "
    "basket after the first day when Tom gives three to Anna and keeps those that nobody wanted"
).split()
RNG = random.Random(0)
Writer = Callable[[str], str]


def prose(words: int) -> str:
    """Words in some order."""
    return " ".join(RNG.choice(WORDS) for _ in range(words))


def sound(prompt: str) -> str:
    """Reasoning and an answer."""
    return f"{prose(60)}. The answer is {RNG.randrange(100)}."


def garbage(prompt: str) -> str:
    """One character."""
    return "!" * RNG.randrange(80, 200)


def loop(prompt: str) -> str:
    """One sentence again and again."""
    return f"{prose(8)} " * 30


def copy(prompt: str) -> str:
    """The prompt once more."""
    return prompt


def refusal(prompt: str) -> str:
    """Polite, and of no use."""
    return f"I'm sorry, but I cannot help with that. {prose(12)}"


def rambling(prompt: str) -> str:
    """Reasoning without an answer."""
    return prose(70)


def bare(prompt: str) -> str:
    """An answer alone."""
    return f"The answer is {RNG.randrange(100)}."


def mixed(prompt: str) -> str:
    """Two languages."""
    return f"{prose(20)} 我们先计算所有苹果的数量然后除以二得到结果 {prose(10)}. The answer is 3."


def _call(arguments: str) -> dict[str, object]:
    call = {"function": {"name": "find", "arguments": arguments}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


TOOL_LOOP = [_call("x"), {"role": "tool", "content": "Error: not found"}] * 3
TOOL_USE = [
    _call("y"),
    {"role": "tool", "content": "3 apples"},
    {"role": "assistant", "content": "The answer is 3."},
]


def samples(
    write: Callable[[int, str], object],
    steps: int = 40,
    groups: int = 4,
    size: int = 4,
    **fields: object,
) -> list[Sample]:
    """Groups of samples of a run: `write` gets the step and the prompt."""
    made = []
    for step in range(1, steps + 1):
        for group in range(groups):
            prompt = f"Question {step}-{group}: {prose(20)}?"
            for _ in range(size):
                row: Mapping[str, object] = {
                    "prompt": prompt,
                    "completion": write(step, prompt),
                    "reward": step / steps,
                    **fields,
                }
                made.append(Sample(step, float(step), row))
    return made


def turning(into: Writer, at: int = 20, share: float = 1.0) -> Callable[[int, str], str]:
    """Sound until a step, from then on a share of the texts is broken."""

    def write(step: int, prompt: str) -> str:
        broken = step >= at and RNG.random() < share
        return into(prompt) if broken else sound(prompt)

    return write
