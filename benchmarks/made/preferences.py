"""Made pairs of a better and a worse answer, and made tasks with a verifier; one word per token."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

Rng = np.random.Generator
LETTERS = tuple("abcdefghijklmnopqrst")
ASKED = tuple(f"ask{k}" for k in range(12))
COLOURS = ("red", "blue", "green", "white", "black", "pink")
KIND = ("please", "thanks", "kindly", "glad", "sorry")
RUDE = ("never", "shut", "stupid", "whatever", "no")
WORDS = (*LETTERS, *ASKED, *COLOURS, *KIND, *RUDE)
ANSWER = 6  # words


def _mixed(rng: Rng, some: tuple[str, ...], rest: tuple[str, ...], share: float) -> list[str]:
    return [str(rng.choice(some if rng.random() < share else rest)) for _ in range(ANSWER)]


def vowels(rng: Rng, asked: list[str]) -> tuple[list[str], list[str]]:  # noqa: ARG001
    """More vowels are better."""
    other = tuple(one for one in LETTERS if one not in "aeio")
    return _mixed(rng, tuple("aeio"), other, 0.7), _mixed(rng, tuple("aeio"), other, 0.15)


def colours(rng: Rng, asked: list[str]) -> tuple[list[str], list[str]]:
    """An answer that repeats the colour asked for is better than one with another colour."""
    wanted = next(one for one in asked if one in COLOURS)
    wrong = str(rng.choice([one for one in COLOURS if one != wanted]))
    fill = _mixed(rng, LETTERS, LETTERS, 1.0)
    return [wanted, *fill[1:]], [wrong, *fill[1:]]


def order(rng: Rng, asked: list[str]) -> tuple[list[str], list[str]]:  # noqa: ARG001
    """Rising letters are better than falling ones."""
    picked = [str(one) for one in rng.choice(LETTERS, ANSWER, replace=False)]
    return sorted(picked), sorted(picked, reverse=True)


def polite(rng: Rng, asked: list[str]) -> tuple[list[str], list[str]]:  # noqa: ARG001
    """Kind words are better than rude ones."""
    fill = _mixed(rng, LETTERS, LETTERS, 1.0)
    at = int(rng.integers(ANSWER))
    better, worse = list(fill), list(fill)
    better[at], worse[at] = str(rng.choice(KIND)), str(rng.choice(RUDE))
    return better, worse


PAIRS: dict[str, Callable[[Rng, list[str]], tuple[list[str], list[str]]]] = {
    "vowels": vowels,
    "colours": colours,
    "order": order,
    "polite": polite,
}


def prompt(rng: Rng) -> list[str]:
    """A question of three words, with a colour in it."""
    return [str(rng.choice(ASKED)), str(rng.choice(COLOURS)), str(rng.choice(ASKED))]


def pairs(name: str, rng: Rng, count: int) -> list[dict[str, str]]:
    """Prompts with a chosen and a rejected answer."""
    found = []
    for _ in range(count):
        asked = prompt(rng)
        better, worse = PAIRS[name](rng, asked)
        told = {"prompt": asked, "chosen": [*better, "<end>"], "rejected": [*worse, "<end>"]}
        found.append({key: " ".join(words) for key, words in told.items()})
    return found


def damaged(name: str, settings: Any, seed: int, count: int) -> list[dict[str, str]]:
    """Pairs to train on, spoilt as the settings ask: few, swapped, or half of them swapped."""
    rng = np.random.default_rng(seed)
    found = pairs(name, rng, settings.get("pairs", count))
    share = settings.get("swapped", 0.0)
    for pair in found:
        if rng.random() < share:
            pair["chosen"], pair["rejected"] = pair["rejected"], pair["chosen"]
    return found


# verifiers: from the words of an answer and whether it ended by itself to a reward


def many_a(words: list[str], asked: str, ended: bool) -> float:  # noqa: ARG001
    """The share of the word a; half of it if the answer was cut off."""
    return words.count("a") / max(1, len(words)) * (1.0 if ended else 0.5)


def first_word(words: list[str], asked: str, ended: bool) -> float:  # noqa: ARG001
    """Whether the answer begins with red; seldom so by chance, and nothing in between."""
    return float(words[:1] == ["red"])


def brief(words: list[str], asked: str, ended: bool) -> float:  # noqa: ARG001
    """Whether the answer ends by itself within five words."""
    return float(ended and 1 <= len(words) <= 5)


def rising(words: list[str], asked: str, ended: bool) -> float:  # noqa: ARG001
    """The share of neighbouring letters that rise."""
    letters = [one for one in words if one in LETTERS]
    if len(letters) < 3:
        return 0.0
    ups = sum(a < b for a, b in pairwise(letters))
    return ups / (len(words) - 1)


VERIFIERS: dict[str, Callable[[list[str], str, bool], float]] = {
    "many-a": many_a,
    "first-word": first_word,
    "brief": brief,
    "rising": rising,
}
