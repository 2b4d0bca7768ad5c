"""What the trainers of language models on fixed data share: order, schedule, means, samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.lm import SequenceNet
from runvitals.lab.nn import Integers
from runvitals.lab.puzzles import VOCABULARY, Puzzle, Puzzles, Tokens, readable
from runvitals.model import ConfigError

EVERYTHING = 10_000  # more than any puzzle has held-out rows


class Order:
    """Row numbers in a new random order in every epoch.

    >>> order = Order(1000, np.random.default_rng(0))
    >>> sorted(order.next(4, limit=4).tolist()), order.size(limit=4)
    ([0, 1, 2, 3], 4)
    """

    def __init__(self, rows: int, rng: np.random.Generator) -> None:
        self._rows = rows
        self._rng = rng
        self._left = np.zeros(0, np.int64)

    def size(self, limit: int | None) -> int:
        """Rows in an epoch."""
        return self._rows if limit is None else min(limit, self._rows)

    def next(self, count: int, limit: int | None = None) -> Integers:
        """The next `count` row numbers, all of them below `limit`."""
        while len(self._left) < count:
            self._left = np.concatenate([self._left, self._rng.permutation(self.size(limit))])
        taken, self._left = self._left[:count], self._left[count:]
        return taken


def warmed_up(progress: float, warmup: float, *, anneal: bool) -> float:
    """Share of the learning rate: up in a straight line, then down to 0 if it is annealed.

    >>> [round(warmed_up(x, 0.1, anneal=True), 6) for x in (0.0, 0.05, 0.1, 0.55)]
    [0.0, 0.5, 1.0, 0.5]
    """
    if progress < warmup:
        return progress / warmup
    return 1.0 - (progress - warmup) / (1.0 - warmup) if anneal else 1.0


def check_steps(max_steps: int, logging_steps: int, eval_steps: int) -> None:
    """Whether the rows of metrics fit into a run, and the evaluations to the rows."""
    if eval_steps % logging_steps:
        raise ConfigError(
            f"eval_steps={eval_steps} is not a multiple of logging_steps={logging_steps}"
        )
    if max_steps < logging_steps:
        raise ConfigError(f"max_steps={max_steps} is less than one row of metrics")


def columns_of(task: Puzzle) -> int:
    """Of a prompt with its answer."""
    return task.prompt_width + task.answer_width


def copy_of(model: SequenceNet, columns: int) -> SequenceNet:
    """A language model of its own with the same weights."""
    copy = SequenceNet(columns, VOCABULARY, np.random.default_rng(0))
    copy.copy_from(model)
    return copy


def some_samples(rows: Puzzles, written: Tokens, right: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """What a model wrote to the first prompts, to be read."""
    texts = {"prompt": rows.prompts, "completion": written, "answer": rows.answers}
    return readable(range(min(4, len(written))), **texts, right=right)
