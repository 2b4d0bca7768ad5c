"""Small tasks for language models whose answers a program can check.

A puzzle is a table of prompts with their right answers, split once into training and held-out rows.
Prompts are filled up on the left and answers on the right, so that every response begins in the
same column. An answer is a mark, the characters of the answer, and the end token: `#57.` is the
right answer to `19+38=`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Tokens = NDArray[np.int64]

PAD, END, MARK = 0, 1, 2
CHARACTERS = "_.#0123456789+=>()[]{}~"  # the first three are the tokens above; ~ asks a tool
VOCABULARY = len(CHARACTERS)
TOOL = CHARACTERS.index("~")
DIGITS = slice(CHARACTERS.index("0"), CHARACTERS.index("9") + 1)
HELD_OUT = 0.2
_ID = {character: i for i, character in enumerate(CHARACTERS)}


def encode(texts: list[str], width: int, *, fill: str = "right") -> Tokens:
    """Token ids of texts, filled up to one width on one side."""
    tokens = np.zeros((len(texts), width), np.int64)
    for row, text in zip(tokens, texts, strict=True):
        ids = [_ID[character] for character in text]
        row[slice(0, len(ids)) if fill == "right" else slice(width - len(ids), width)] = ids
    return tokens


def decode(tokens: Tokens) -> str:
    """One row as text, without the filling.

    >>> decode(encode(["#57."], 8)[0])
    '#57.'
    """
    return "".join(CHARACTERS[token] for token in tokens if token != PAD)


def readable(rows: Iterable[int], **columns: NDArray[Any]) -> list[dict[str, Any]]:
    """Some rows of several columns as samples to read; tokens become texts.

    >>> readable([1], answer=encode(["#5.", "#57."], 5), right=np.array([True, False]))
    [{'answer': '#57.', 'right': False}]
    """
    return [
        {
            name: decode(column[i]) if column.ndim > 1 else column[i].item()
            for name, column in columns.items()
        }
        for i in rows
    ]


class Puzzles(NamedTuple):
    """Prompts and their right answers, row by row."""

    prompts: Tokens
    answers: Tokens

    def take(self, rows: NDArray[np.integer]) -> Puzzles:
        """These rows only."""
        return Puzzles(self.prompts[rows], self.answers[rows])


class Pairs(NamedTuple):
    """Two answers to each prompt, the better one first."""

    prompts: Tokens
    chosen: Tokens
    rejected: Tokens

    def take(self, rows: NDArray[np.integer]) -> Pairs:
        """These rows only."""
        return Pairs(self.prompts[rows], self.chosen[rows], self.rejected[rows])

    def swapped(self, where: NDArray[np.bool_]) -> Pairs:
        """With the labels of some rows flipped."""
        flip = where[:, None]
        return Pairs(
            self.prompts,
            np.where(flip, self.rejected, self.chosen),
            np.where(flip, self.chosen, self.rejected),
        )


class Puzzle(NamedTuple):
    """A task: training rows, and held-out rows that no trainer may learn from."""

    name: str
    train: Puzzles
    held_out: Puzzles

    @property
    def prompt_width(self) -> int:
        """Columns of a prompt; the response begins after them."""
        return int(self.train.prompts.shape[1])

    @property
    def answer_width(self) -> int:
        """Columns of the longest right answer, with its mark and end."""
        return int(self.train.answers.shape[1])


@lru_cache
def puzzle(name: str) -> Puzzle:
    """`addition`, `sorting` or `brackets`."""
    questions, answers = MAKERS[name]()
    prompts = encode(questions, max(map(len, questions)), fill="left")
    marked = [f"#{answer}." for answer in answers]
    table = Puzzles(prompts, encode(marked, max(map(len, marked))))
    order = np.random.default_rng(20_260_101).permutation(len(questions))
    held_out = int(HELD_OUT * len(order))
    return Puzzle(name, table.take(order[held_out:]), table.take(order[:held_out]))


def _addition() -> tuple[list[str], list[str]]:
    """Two numbers below 60 to add up."""
    pairs = list(itertools.product(range(60), repeat=2))
    return [f"{a:02d}+{b:02d}=" for a, b in pairs], [str(a + b) for a, b in pairs]


def _sorting() -> tuple[list[str], list[str]]:
    """Four digits to put in order."""
    rows = ["".join(digits) for digits in itertools.product("01234567", repeat=4)]
    return [f"{row}>" for row in rows], ["".join(sorted(row)) for row in rows]


def _brackets() -> tuple[list[str], list[str]]:
    """One to six opened brackets to close in the right order."""
    closing = {"(": ")", "[": "]", "{": "}"}
    rows = [
        "".join(opened)
        for depth in range(1, 7)
        for opened in itertools.product("([{", repeat=depth)
    ]
    return [f"{row}>" for row in rows], ["".join(closing[c] for c in row[::-1]) for row in rows]


MAKERS = {"addition": _addition, "sorting": _sorting, "brackets": _brackets}


def lengths(tokens: Tokens) -> NDArray[np.int64]:
    """Tokens in each prompt or response, the end token included and the filling not."""
    return (tokens != PAD).sum(axis=1)


def is_right(responses: Tokens, answers: Tokens) -> NDArray[np.bool_]:
    """Whether each response is exactly the right answer."""
    width = max(responses.shape[1], answers.shape[1])
    return (widened(responses, width) == widened(answers, width)).all(axis=1)


def widened(tokens: Tokens, width: int) -> Tokens:
    """The same rows, filled up on the right."""
    return np.pad(tokens, ((0, 0), (0, width - tokens.shape[1])))
