"""Parts of a series, and the steps they span."""

import numpy as np
import pytest

from runvitals.model import Series, Span

STEPS = np.arange(0, 100, 10)
SERIES = Series("loss", STEPS, STEPS / 10.0, STEPS + 0.5, "train/loss", {"rank": "0"})


@pytest.mark.parametrize(
    ("first", "last", "span"),
    [
        (0, -1, Span(0, 90, 10)),
        (3, -1, Span(30, 90, 7)),
        (3, 5, Span(30, 50, 3)),
        (0, -3, Span(0, 70, 8)),
        (-4, 2, Span(0, 20, 3)),
        (12, -1, Span(90, 90, 1)),
    ],
)
def test_a_span_has_both_ends_and_counts_its_points(first, last, span):
    assert SERIES.span(first, last) == span


def test_a_part_keeps_steps_times_and_meaning():
    part = SERIES.part(-3)
    assert part.steps.tolist() == [70, 80, 90]
    assert part.values.tolist() == [7.0, 8.0, 9.0]
    assert part.times.tolist() == [70.5, 80.5, 90.5]
    assert (part.name, part.metric, part.labels) == ("loss", "train/loss", {"rank": "0"})
    assert SERIES.part(2, 4).steps.tolist() == [20, 30]
