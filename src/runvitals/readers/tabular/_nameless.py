"""Names for columns of numbers that have none: what counts, and what the file is called after."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from runvitals.readers.raw.numbers import parse_number
from runvitals.readers.rows.evidence import is_training_file, measured_in

MIN_ROWS = 8  # a shorter file without column names could be anything (judgement)
MAX_COLUMNS = 64
ALMOST = 0.95  # of the steps: a log that was appended to begins anew now and then (judgement)


def is_nameless_log(stem: str, rows: Sequence[Sequence[str]]) -> bool:
    """Whether a file is called like the log of a training, and holds columns of numbers."""
    if len(rows) < MIN_ROWS or not is_training_file(stem, surely=True):
        return False
    width = len(rows[0])
    return (
        width <= MAX_COLUMNS
        and all(len(row) == width for row in rows[:-1])
        and all(parse_number(cell) is not None for row in rows for cell in row)
    )


def names_by_file(stem: str, rows: Sequence[Sequence[str]]) -> list[str]:
    """The names of such columns.

    The last of those that count comes right before what is measured; a file is called after the first
    of that, or after the only one.

    >>> names_by_file("rewards", [["0", "0", "4.5"], ["1", "1000", "3.5"]])
    ['index', 'step', 'rewards']
    """
    width = len(rows[0])
    names = [f"column {i + 1}" for i in range(width)]
    counters = 0
    while counters < width - 1 and _counts(rows, counters):
        counters += 1
    if counters:
        names[:counters] = ["index", *names[1 : counters - 1], "step"][-counters:]
    said = measured_in(stem)
    if width - counters == 1:
        names[-1] = said or stem
    elif said is not None:
        names[counters] = said
    return names


def _counts(rows: Sequence[Sequence[str]], column: int) -> bool:
    """Whether it goes up by whole numbers; it may begin anew."""
    values = [parse_number(row[column]) or 0.0 for row in rows if len(row) > column]
    steps = [later - earlier for earlier, later in pairwise(values)]
    up = sum(step > 0 for step in steps)
    return all(value % 1 == 0 for value in values) and up >= ALMOST * len(steps)
