"""Many small blocks of a stream as a few large ones, column by column in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from runvitals.model import RowBlock


def gathered(blocks: Sequence[RowBlock]) -> Iterator[RowBlock]:
    """The same rows: those of the same names in one block, in the order they were logged.

    A stream holds a block for each second; a series in thousands of pieces is slow to put together.
    """
    alike: dict[tuple[tuple[str, ...], int], list[RowBlock]] = {}
    for block in blocks:
        alike.setdefault((block.names, block.rank), []).append(block)
    for (names, rank), parts in alike.items():
        rows = sum(map(len, parts))
        values = np.empty((rows, len(names)), order="F")
        at = 0
        for part in parts:
            values[at : at + len(part)] = part.values
            at += len(part)
        steps = np.concatenate([part.steps for part in parts])
        times = np.concatenate([part.times for part in parts])
        yield RowBlock(names, steps, times, values, rank)
