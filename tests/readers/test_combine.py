"""Several logs of one run as one table."""

from pathlib import Path

import numpy as np

from runvitals.model import RowBlock
from runvitals.readers.joining.combine import Combined
from runvitals.readers.log import Log

NAMES = ("loss", "reward", "kl")


def block(steps):
    values = np.array([[1.0 / step, float(step), 0.1 * step] for step in steps])
    return RowBlock(NAMES, np.array(steps), np.zeros(len(steps)), values)


def log(steps):
    made = Log(Path("log"), "made")
    made.points.add(block(steps))
    return made


def test_a_row_that_another_file_was_quicker_to_tell_counts_once():
    table, events = log(range(1, 20)), log(range(1, 21))
    combined = Combined()
    combined.take(table)
    combined.take(events)

    combined.follow([(table, [(1, block([20, 21]))]), (events, [(1, block([21]))])])

    assert combined.table.column("loss")[0].tolist() == list(range(1, 22))
