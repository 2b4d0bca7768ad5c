"""Made texts of a few words each, so that a tiny model can learn them in seconds.

A text is a list of words; every world has its own words. Sampling is by rule, so that there are as many
texts as one wants and held-out ones are never among those trained on but by chance.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

Rng = np.random.Generator
LENGTH = 24  # words of a text


@cache
def _chain() -> np.ndarray[Any, Any]:
    """Which of 16 letters follows which: four each, the first of them mostly."""
    rng = np.random.default_rng(16)
    odds = np.zeros((16, 16))
    for row in odds:
        row[rng.choice(16, 4, replace=False)] = (0.6, 0.2, 0.15, 0.05)
    return odds


def markov(rng: Rng) -> list[str]:
    """A walk through letters."""
    here = int(rng.integers(16))
    walk = [here]
    while len(walk) < LENGTH:
        here = int(rng.choice(16, p=_chain()[here]))
        walk.append(here)
    return [chr(97 + one) for one in walk]


def sums(rng: Rng) -> list[str]:
    """Additions of two digits, one after the other."""
    text = ""
    while len(text) < LENGTH:
        a, b = (int(one) for one in rng.integers(10, size=2))
        text += f"{a}+{b}={a + b:02};"
    return list(text[:LENGTH])


def brackets(rng: Rng) -> list[str]:
    """Brackets of three kinds that match."""
    text: list[str] = []
    still_open: list[str] = []
    while len(text) < LENGTH:
        if still_open and (rng.random() < 0.55 or len(still_open) > 4):
            text.append({"(": ")", "[": "]", "{": "}"}[still_open.pop()])
        else:
            still_open.append(str(rng.choice(["(", "[", "{"], p=(0.6, 0.3, 0.1))))
            text.append(still_open[-1])
    return text


FOODS = ("eggs", "milk", "flour", "butter", "sugar", "salt", "rice", "beans")
VERBS = {"eggs": "beat", "milk": "pour", "flour": "sift", "butter": "melt"}


def recipes(rng: Rng) -> list[str]:
    """Short orders, in which the verb follows from the food."""
    text: list[str] = []
    while len(text) < LENGTH:
        food = str(rng.choice(FOODS))
        amount = str(rng.choice(["one", "two", "three"]))
        verb = VERBS.get(food, "add")
        text += ["take", amount, "cup", "of", food, "and", verb, "the", food, "slowly", "."]
    return text[:LENGTH]


TEXTS: dict[str, Callable[[Rng], list[str]]] = {
    "markov": markov,
    "sums": sums,
    "brackets": brackets,
    "recipes": recipes,
}


@cache
def words_of(name: str) -> tuple[str, ...]:
    """All words of a world, in a fixed order."""
    rng = np.random.default_rng(0)
    return tuple(sorted({word for _ in range(400) for word in TEXTS[name](rng)}))


def sample(name: str, rng: Rng, count: int) -> list[list[str]]:
    """Some texts of a world."""
    return [TEXTS[name](rng) for _ in range(count)]


def numbers(name: str, texts: list[list[str]]) -> np.ndarray[Any, Any]:
    """Texts as rows of word numbers."""
    place = {word: k for k, word in enumerate(words_of(name))}
    return np.array([[place[word] for word in text] for text in texts])


def damaged(name: str, settings: Any, seed: int, count: int) -> list[list[str]]:
    """Texts to train on, spoilt as the settings ask."""
    rng = np.random.default_rng(seed)
    texts = sample(name, rng, settings.get("texts", count))
    if settings.get("shuffled"):
        words = words_of(name)
        texts = [[str(rng.choice(words)) for _ in text] for text in texts]
    return texts
